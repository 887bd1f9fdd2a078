// Convolutions whose results are normalized: of whole blocks of rows, and of rows that no block divides.
func.func @infer(%x0: tensor<16x32x32x64xf16> {mp.input = "x0"}, %w0: tensor<256x3x3x64xf16> {mp.input = "w0"}, %c0: tensor<256xf32> {mp.input = "c0"},
    %x1: tensor<3x15x15x16xf16> {mp.input = "x1"}, %w1: tensor<24x3x3x16xf16> {mp.input = "w1"}, %c1: tensor<24xf32> {mp.input = "c1"},
    %x2: tensor<3x15x15x5xf32> {mp.input = "x2"}, %w2: tensor<7x3x3x5xf32> {mp.input = "w2"}, %c2: tensor<7xf32> {mp.input = "c2"})
    -> (tensor<16x32x32x256xf16> {mp.output = "y0"}, tensor<3x15x15x24xf16> {mp.output = "y1"}, tensor<3x15x15x7xf32> {mp.output = "y2"}) attributes {mp.program = "infer"} {
  %z0 = mp.conv %x0, %w0 acc f32 {padding = same} : tensor<16x32x32x64xf16>, tensor<256x3x3x64xf16> -> tensor<16x32x32x256xf16>
  %y0, %m0, %v0, %n0 = mp.batch_norm %z0, %c0, %c0 : tensor<16x32x32x256xf16>, tensor<256xf32>
  %z1 = mp.conv %x1, %w1 acc f32 {padding = same} : tensor<3x15x15x16xf16>, tensor<24x3x3x16xf16> -> tensor<3x15x15x24xf16>
  %y1, %m1, %v1, %n1 = mp.batch_norm %z1, %c1, %c1 : tensor<3x15x15x24xf16>, tensor<24xf32>
  %z2 = mp.conv %x2, %w2 acc f32 {padding = same} : tensor<3x15x15x5xf32>, tensor<7x3x3x5xf32> -> tensor<3x15x15x7xf32>
  %y2, %m2, %v2, %n2 = mp.batch_norm %z2, %c2, %c2 : tensor<3x15x15x7xf32>, tensor<7xf32>
  return %y0, %y1, %y2 : tensor<16x32x32x256xf16>, tensor<3x15x15x24xf16>, tensor<3x15x15x7xf32>
}
