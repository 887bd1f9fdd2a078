// Convolutions whose results are only pooled, with a bias and a relu: in large blocks, and of channels that come one by one.
func.func @infer(%x: tensor<64x15x15x64xf16> {mp.input = "x"}, %w0: tensor<256x3x3x64xf16> {mp.input = "w0"}, %b0: tensor<256xf16> {mp.input = "b0"},
    %w1: tensor<7x3x3x256xf16> {mp.input = "w1"}, %w2: tensor<32x3x3x7xf32> {mp.input = "w2"})
    -> (tensor<64x6x6x256xui8> {mp.output = "i0"}, tensor<64x1x1x32xf32> {mp.output = "p2"}) attributes {mp.program = "infer"} {
  %z0 = mp.conv %x, %w0 bias %b0 : tensor<256xf16> acc f32 : tensor<64x15x15x64xf16>, tensor<256x3x3x64xf16> -> tensor<64x13x13x256xf16>
  %r0 = mp.relu %z0 : tensor<64x13x13x256xf16>
  %p0, %i0 = mp.max_pool_with_indices %r0 window [2, 2] : tensor<64x13x13x256xf16> -> tensor<64x6x6x256xf16>, tensor<64x6x6x256xui8>
  %z1 = mp.conv %p0, %w1 acc f32 {padding = same} : tensor<64x6x6x256xf16>, tensor<7x3x3x256xf16> -> tensor<64x6x6x7xf16>
  %p1 = mp.max_pool %z1 {window = [2, 2]} : tensor<64x6x6x7xf16> -> tensor<64x3x3x7xf16>
  %f1 = mp.cast %p1 : tensor<64x3x3x7xf16> -> tensor<64x3x3x7xf32>
  %z2 = mp.conv %f1, %w2 acc f32 {padding = same} : tensor<64x3x3x7xf32>, tensor<32x3x3x7xf32> -> tensor<64x3x3x32xf32>
  %p2 = mp.max_pool %z2 {window = [2, 2]} : tensor<64x3x3x32xf32> -> tensor<64x1x1x32xf32>
  return %i0, %p2 : tensor<64x6x6x256xui8>, tensor<64x1x1x32xf32>
}
