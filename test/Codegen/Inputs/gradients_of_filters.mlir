// Gradients of filters whose pixels k counts: padded, strided and padded, strided, of an image of many pixels, and padded
// where a thread has four pixels of a step, of which images are made, and are not.
func.func @infer(%x0: tensor<4x16x16x32xf16> {mp.input = "x0"}, %g0: tensor<4x16x16x32xf16> {mp.input = "g0"},
    %x1: tensor<4x17x15x32xf16> {mp.input = "x1"}, %g1: tensor<4x9x8x32xf16> {mp.input = "g1"},
    %x2: tensor<4x17x15x32xf16> {mp.input = "x2"}, %g2: tensor<4x8x7x32xf16> {mp.input = "g2"},
    %x3: tensor<2x130x130x32xf16> {mp.input = "x3"}, %g3: tensor<2x130x130x32xf16> {mp.input = "g3"},
    %x4: tensor<4x16x16x64xf16> {mp.input = "x4"}, %g4: tensor<4x16x16x32xf16> {mp.input = "g4"},
    %x5: tensor<4x14x16x64xf16> {mp.input = "x5"}, %g5: tensor<4x14x16x32xf16> {mp.input = "g5"})
    -> (tensor<32x3x3x32xf16> {mp.output = "dw0"}, tensor<32x3x3x32xf16> {mp.output = "dw1"},
        tensor<32x3x3x32xf16> {mp.output = "dw2"}, tensor<32x3x3x32xf16> {mp.output = "dw3"},
        tensor<32x3x3x64xf16> {mp.output = "dw4"}, tensor<32x3x3x64xf16> {mp.output = "dw5"}) attributes {mp.program = "infer"} {
  %dw0 = mp.conv_filter_grad %x0, %g0 acc f32 {padding = same, mp.schedule = #mp.mma<block_m = 32, block_n = 32, block_k = 64, warps_m = 2, warps_n = 2, stages = 4, instruction = mma.m16n8k16>} : tensor<4x16x16x32xf16>, tensor<4x16x16x32xf16> -> tensor<32x3x3x32xf16>
  %dw1 = mp.conv_filter_grad %x1, %g1 acc f32 {padding = same, strides = [2, 2], mp.schedule = #mp.mma<block_m = 32, block_n = 32, block_k = 64, warps_m = 2, warps_n = 2, stages = 4, instruction = mma.m16n8k16>} : tensor<4x17x15x32xf16>, tensor<4x9x8x32xf16> -> tensor<32x3x3x32xf16>
  %dw2 = mp.conv_filter_grad %x2, %g2 acc f32 {strides = [2, 2], mp.schedule = #mp.mma<block_m = 32, block_n = 32, block_k = 64, warps_m = 2, warps_n = 2, stages = 4, instruction = mma.m16n8k16>} : tensor<4x17x15x32xf16>, tensor<4x8x7x32xf16> -> tensor<32x3x3x32xf16>
  %dw3 = mp.conv_filter_grad %x3, %g3 acc f32 {padding = same, mp.schedule = #mp.mma<block_m = 32, block_n = 32, block_k = 64, warps_m = 2, warps_n = 2, stages = 4, instruction = mma.m16n8k16>} : tensor<2x130x130x32xf16>, tensor<2x130x130x32xf16> -> tensor<32x3x3x32xf16>
  %dw4 = mp.conv_filter_grad %x4, %g4 acc f32 {padding = same, mp.schedule = #mp.mma<block_m = 32, block_n = 64, block_k = 64, warps_m = 2, warps_n = 2, stages = 4, instruction = mma.m16n8k16>} : tensor<4x16x16x64xf16>, tensor<4x16x16x32xf16> -> tensor<32x3x3x64xf16>
  %dw5 = mp.conv_filter_grad %x5, %g5 acc f32 {padding = same, mp.schedule = #mp.mma<block_m = 32, block_n = 64, block_k = 64, warps_m = 2, warps_n = 2, stages = 4, instruction = mma.m16n8k16>} : tensor<4x14x16x64xf16>, tensor<4x14x16x32xf16> -> tensor<32x3x3x64xf16>
  return %dw0, %dw1, %dw2, %dw3, %dw4, %dw5 : tensor<32x3x3x32xf16>, tensor<32x3x3x32xf16>, tensor<32x3x3x32xf16>, tensor<32x3x3x32xf16>, tensor<32x3x3x64xf16>, tensor<32x3x3x64xf16>
}
