// Convolutions with their gradients: of 3 channels, of many, strided, of groups and of 1 x 1.
func.func @infer(%x0: tensor<16x32x32x3xf16> {mp.input = "x0"},
    %w0: tensor<32x3x3x3xf16> {mp.input = "w0"},
    %b0: tensor<32xf16> {mp.input = "b0"},
    %g0: tensor<16x32x32x32xf16> {mp.input = "g0"},
    %x1: tensor<16x28x28x64xf16> {mp.input = "x1"},
    %w1: tensor<128x3x3x64xf16> {mp.input = "w1"},
    %g1: tensor<16x14x14x128xf16> {mp.input = "g1"},
    %x2: tensor<8x14x14x32xf16> {mp.input = "x2"},
    %w2: tensor<48x3x3x16xf16> {mp.input = "w2"},
    %g2: tensor<8x14x14x48xf16> {mp.input = "g2"},
    %x3: tensor<4x9x9x16xf32> {mp.input = "x3"},
    %w3: tensor<24x1x1x16xf32> {mp.input = "w3"},
    %g3: tensor<4x9x9x24xf32> {mp.input = "g3"})
    -> (tensor<16x32x32x32xf16> {mp.output = "y0"},
        tensor<16x32x32x3xf16> {mp.output = "dx0"},
        tensor<32x3x3x3xf16> {mp.output = "dw0"},
        tensor<16x14x14x128xf16> {mp.output = "y1"},
        tensor<16x28x28x64xf16> {mp.output = "dx1"},
        tensor<128x3x3x64xf32> {mp.output = "dw1"},
        tensor<8x14x14x48xf16> {mp.output = "y2"},
        tensor<8x14x14x32xf16> {mp.output = "dx2"},
        tensor<48x3x3x16xf16> {mp.output = "dw2"},
        tensor<4x9x9x24xf32> {mp.output = "y3"},
        tensor<4x9x9x16xf32> {mp.output = "dx3"},
        tensor<24x1x1x16xf32> {mp.output = "dw3"}) attributes {mp.program = "infer"} {
  %y0 = mp.conv %x0, %w0 bias %b0 : tensor<32xf16> acc f32 {padding = same} : tensor<16x32x32x3xf16>, tensor<32x3x3x3xf16> -> tensor<16x32x32x32xf16>
  %r0 = mp.relu %y0 : tensor<16x32x32x32xf16>
  %dx0 = mp.conv_transpose %g0, %w0 acc f32 {padding = same} : tensor<16x32x32x32xf16>, tensor<32x3x3x3xf16> -> tensor<16x32x32x3xf16>
  %dw0 = mp.conv_filter_grad %x0, %g0 acc f32 {padding = same} : tensor<16x32x32x3xf16>, tensor<16x32x32x32xf16> -> tensor<32x3x3x3xf16>
  %y1 = mp.conv %x1, %w1 acc f32 {strides = [2, 2], padding = same} : tensor<16x28x28x64xf16>, tensor<128x3x3x64xf16> -> tensor<16x14x14x128xf16>
  %dx1 = mp.conv_transpose %g1, %w1 acc f32 {strides = [2, 2], padding = same} : tensor<16x14x14x128xf16>, tensor<128x3x3x64xf16> -> tensor<16x28x28x64xf16>
  %dw1 = mp.conv_filter_grad %x1, %g1 acc f32 {strides = [2, 2], padding = same} : tensor<16x28x28x64xf16>, tensor<16x14x14x128xf16> -> tensor<128x3x3x64xf32>
  %y2 = mp.conv %x2, %w2 acc f32 {padding = same, groups = 2} : tensor<8x14x14x32xf16>, tensor<48x3x3x16xf16> -> tensor<8x14x14x48xf16>
  %dx2 = mp.conv_transpose %g2, %w2 acc f32 {padding = same, groups = 2} : tensor<8x14x14x48xf16>, tensor<48x3x3x16xf16> -> tensor<8x14x14x32xf16>
  %dw2 = mp.conv_filter_grad %x2, %g2 acc f32 {padding = same, groups = 2} : tensor<8x14x14x32xf16>, tensor<8x14x14x48xf16> -> tensor<48x3x3x16xf16>
  %y3 = mp.conv %x3, %w3 acc f32 : tensor<4x9x9x16xf32>, tensor<24x1x1x16xf32> -> tensor<4x9x9x24xf32>
  %dx3 = mp.conv_transpose %g3, %w3 acc f32 : tensor<4x9x9x24xf32>, tensor<24x1x1x16xf32> -> tensor<4x9x9x16xf32>
  %dw3 = mp.conv_filter_grad %x3, %g3 acc f32 : tensor<4x9x9x16xf32>, tensor<4x9x9x24xf32> -> tensor<24x1x1x16xf32>
  return %r0, %dx0, %dw0, %y1, %dx1, %dw1, %y2, %dx2, %dw2, %y3, %dx3, %dw3 : tensor<16x32x32x32xf16>, tensor<16x32x32x3xf16>, tensor<32x3x3x3xf16>, tensor<16x14x14x128xf16>, tensor<16x28x28x64xf16>, tensor<128x3x3x64xf32>, tensor<8x14x14x48xf16>, tensor<8x14x14x32xf16>, tensor<48x3x3x16xf16>, tensor<4x9x9x24xf32>, tensor<4x9x9x16xf32>, tensor<24x1x1x16xf32>
}
