// Gradients of images in blocks that leave a thread few registers beside its sums and fragments.
func.func @infer(%g0: tensor<8x14x14x256xf16> {mp.input = "g0"}, %w0: tensor<256x3x3x256xf16> {mp.input = "w0"}, %g1: tensor<8x28x28x64xf16> {mp.input = "g1"}, %w1: tensor<64x3x3x64xf16> {mp.input = "w1"}) -> (tensor<8x14x14x256xf16> {mp.output = "dx0"}, tensor<8x56x56x64xf16> {mp.output = "dx1"}) attributes {mp.program = "infer"} {
  %dx0 = mp.conv_transpose %g0, %w0 acc f32 {padding = same, mp.schedule = #mp.mma<block_m = 128, block_n = 128, block_k = 64, warps_m = 2, warps_n = 2, stages = 3, instruction = mma.m16n8k16>} : tensor<8x14x14x256xf16>, tensor<256x3x3x256xf16> -> tensor<8x14x14x256xf16>
  %dx1 = mp.conv_transpose %g1, %w1 acc f32 {strides = [2, 2], padding = same, mp.schedule = #mp.mma<block_m = 128, block_n = 128, block_k = 64, warps_m = 2, warps_n = 2, stages = 3, instruction = mma.m16n8k16>} : tensor<8x28x28x64xf16>, tensor<64x3x3x64xf16> -> tensor<8x56x56x64xf16>
  return %dx0, %dx1 : tensor<8x14x14x256xf16>, tensor<8x56x56x64xf16>
}
