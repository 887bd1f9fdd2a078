// One convolution, whose steps of k are taps: 32 channels.
func.func @infer(%x: tensor<16x6x8x32xf16> {mp.input = "x"}, %w: tensor<32x3x3x32xf16> {mp.input = "w"})
    -> (tensor<16x6x8x32xf16> {mp.output = "y"}) attributes {mp.program = "infer"} {
  %y = mp.conv %x, %w acc f32 {padding = same, mp.schedule = #mp.mma<block_m = 64, block_n = 32, block_k = 32, warps_m = 2, warps_n = 1, stages = 3, instruction = mma.m16n8k16>} : tensor<16x6x8x32xf16>, tensor<32x3x3x32xf16> -> tensor<16x6x8x32xf16>
  return %y : tensor<16x6x8x32xf16>
}
