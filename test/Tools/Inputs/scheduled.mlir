func.func @product(%a: tensor<64x64xf32> {mp.input = "a"}, %b: tensor<64x64xf32> {mp.input = "b"})
    -> (tensor<64x64xf32> {mp.output = "c"}) attributes {mp.program = "model"} {
  %c = mp.matmul %a, %b acc f32 {mp.schedule = #mp.mma<block_m = 32, block_n = 32, block_k = 32, warps_m = 1, warps_n = 1, stages = 2, instruction = mma.m16n8k16>}
      : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return %c : tensor<64x64xf32>
}
