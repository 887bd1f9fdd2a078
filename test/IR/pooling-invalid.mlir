// RUN: mp-opt %s -split-input-file -verify-diagnostics

// mp.max_pool (C1)
func.func @element_types(%x: tensor<2x8x9x4xf32>) {
  // expected-error @+1 {{requires the same element type for all operands and results}}
  %0 = mp.max_pool %x {window = [2, 2]} : tensor<2x8x9x4xf32> -> tensor<2x4x4x4xf16>
  return
}
// -----
// mp.max_pool (C1)
func.func @no_floats(%x: tensor<2x8x9x4xi32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of f16, bf16, f32 or f64 values, but got 'tensor<2x8x9x4xi32>'}}
  %0 = mp.max_pool %x {window = [2, 2]} : tensor<2x8x9x4xi32> -> tensor<2x4x4x4xi32>
  return
}
// -----
// mp.max_pool (C2)
func.func @no_spatial_dimension(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{image has rank 3 to 5, [N, spatial..., C], found shape [8x4]}}
  %0 = mp.max_pool %x {window = []} : tensor<8x4xf32> -> tensor<8x4xf32>
  return
}
// -----
// mp.max_pool (C2)
func.func @four_spatial_dimensions(%x: tensor<1x2x2x2x2x1xf32>) {
  // expected-error @+1 {{image has rank 3 to 5, [N, spatial..., C], found shape [1x2x2x2x2x1]}}
  %0 = mp.avg_pool %x {window = [1, 1, 1, 1]} : tensor<1x2x2x2x2x1xf32> -> tensor<1x2x2x2x2x1xf32>
  return
}
// -----
// mp.max_pool (C2)
func.func @open_sizes(%x: tensor<?x8x?x4xf32>) {
  // expected-error @+1 {{has an open size other than the first of the image, which is [?x8x?x4]}}
  %0 = mp.max_pool %x {window = [2, 2]} : tensor<?x8x?x4xf32> -> tensor<?x4x?x4xf32>
  return
}
// -----
// mp.max_pool (C3)
func.func @numbers_of_the_window(%x: tensor<2x8x9x4xf32>) {
  // expected-error @+1 {{window has 1 numbers, expected 2 for 2 spatial dimensions}}
  %0 = mp.max_pool %x {window = [2]} : tensor<2x8x9x4xf32> -> tensor<2x4x4x4xf32>
  return
}
// -----
// mp.max_pool (C3)
func.func @numbers_of_strides(%x: tensor<2x8x9x4xf32>) {
  // expected-error @+1 {{strides has 3 numbers, expected 2 for 2 spatial dimensions}}
  %0 = mp.max_pool %x {window = [2, 2], strides = [1, 2, 3]} : tensor<2x8x9x4xf32> -> tensor<2x4x4x4xf32>
  return
}
// -----
// mp.max_pool (C3)
func.func @numbers_of_padding(%x: tensor<2x8x9x4xf32>) {
  // expected-error @+1 {{padding has 2 numbers, expected 4 for 2 spatial dimensions}}
  %0 = mp.max_pool %x {window = [2, 2], padding = [1, 1]} : tensor<2x8x9x4xf32> -> tensor<2x4x4x4xf32>
  return
}
// -----
// mp.max_pool (C3)
func.func @window_of_0(%x: tensor<2x8x9x4xf32>) {
  // expected-error @+1 {{window is at least 1, found 0}}
  %0 = mp.max_pool %x {window = [2, 0], strides = [1, 1]} : tensor<2x8x9x4xf32> -> tensor<2x4x4x4xf32>
  return
}
// -----
// mp.max_pool (C3)
func.func @stride_of_0(%x: tensor<2x8x9x4xf32>) {
  // expected-error @+1 {{strides is at least 1, found 0}}
  %0 = mp.avg_pool %x {window = [2, 2], strides = [1, 0]} : tensor<2x8x9x4xf32> -> tensor<2x4x4x4xf32>
  return
}
// -----
// mp.max_pool (C3)
func.func @negative_padding(%x: tensor<2x8x9x4xf32>) {
  // expected-error @+1 {{padding is at least 0, found -1}}
  %0 = mp.max_pool %x {window = [2, 2], padding = [0, -1, 0, 0]} : tensor<2x8x9x4xf32> -> tensor<2x4x4x4xf32>
  return
}
// -----
// mp.max_pool (C3)
func.func @dilation_of_0(%x: tensor<2x8x9x4xf32>) {
  // expected-error @+1 {{dilations is at least 1, found 0}}
  %0 = mp.max_pool %x {window = [2, 2], dilations = [0, 1]} : tensor<2x8x9x4xf32> -> tensor<2x4x4x4xf32>
  return
}
// -----
// mp.max_pool (C4)
func.func @no_pixels(%x: tensor<2x0x9x4xf32>) {
  // expected-error @+1 {{spatial sizes are at least 1, found image [2x0x9x4]}}
  %0 = mp.max_pool %x {window = [2, 2]} : tensor<2x0x9x4xf32> -> tensor<2x0x4x4xf32>
  return
}
// -----
// mp.max_pool (C4)
func.func @larger_than_the_image(%x: tensor<2x8x9x4xf32>) {
  // expected-error @+1 {{a window spans 10 pixels in spatial dimension 1, where the image has 9 with its padding: the result would be empty; take a smaller window, or more padding}}
  %0 = mp.max_pool %x {window = [2, 10]} : tensor<2x8x9x4xf32> -> tensor<2x4x0x4xf32>
  return
}
// -----
// mp.max_pool (C5)
func.func @padding_of_a_window(%x: tensor<2x8x9x4xf32>) {
  // expected-error @+1 {{padding of 3 in spatial dimension 0 leaves windows, which span 3, without a pixel of the image; expected less than that}}
  %0 = mp.max_pool %x {window = [3, 3], padding = [3, 0, 0, 0]} : tensor<2x8x9x4xf32> -> tensor<2x3x3x4xf32>
  return
}
// -----
// mp.max_pool (C5)
func.func @padding_between_taps(%x: tensor<1x1x4xf32>) {
  // expected-error @+1 {{dilation of 2 in spatial dimension 0, where the image has 1 pixels, leaves windows in the padding without one of them; expected no more than that}}
  %0 = mp.max_pool %x {window = [2], dilations = [2], padding = [1, 1]} : tensor<1x1x4xf32> -> tensor<1x1x4xf32>
  return
}
// -----
// mp.max_pool (C6)
func.func @result(%x: tensor<2x8x9x4xf32>) {
  // expected-error @+1 {{has results of types 'tensor<2x5x4x4xf32>', expected 'tensor<2x4x4x4xf32>'}}
  %0 = mp.max_pool %x {window = [2, 2]} : tensor<2x8x9x4xf32> -> tensor<2x5x4x4xf32>
  return
}
// -----
// mp.max_pool (C6)
func.func @gradient(%x: tensor<2x8x9x4xf32>, %g: tensor<2x4x5x4xf32>) {
  // expected-error @+1 {{gradient has shape [2x4x5x4], but pooling [2x8x9x4] gives [2x4x4x4]}}
  %0 = mp.max_pool_grad %x, %g {window = [2, 2]} : tensor<2x8x9x4xf32>, tensor<2x4x5x4xf32> -> tensor<2x8x9x4xf32>
  return
}
// -----
// mp.max_pool (C6)
func.func @image_of_a_gradient(%g: tensor<2x4x4x4xf32>) {
  // expected-error @+1 {{gradient has shape [2x4x4x4], but pooling [2x8x7x4] gives [2x4x3x4]}}
  %0 = mp.avg_pool_grad %g {window = [2, 2]} : tensor<2x4x4x4xf32> -> tensor<2x8x7x4xf32>
  return
}
// -----
// mp.max_pool (C6)
func.func @type_of_a_gradient(%x: tensor<2x8x9x4xf32>, %g: tensor<2x4x4x4xf32>) {
  // expected-error @+1 {{has results of types 'tensor<2x8x8x4xf32>', expected 'tensor<2x8x9x4xf32>'}}
  %0 = mp.max_pool_grad %x, %g {window = [2, 2]} : tensor<2x8x9x4xf32>, tensor<2x4x4x4xf32> -> tensor<2x8x8x4xf32>
  return
}
// -----
// mp.max_pool (C7)
func.func @padded_pixels(%x: tensor<2x8x9x4xf32>) {
  // expected-error @+1 {{has 2^63 padded pixels or more in a dimension: image [2x8x9x4], window [2x2]}}
  %0 = mp.max_pool %x {window = [2, 2], padding = [0, 9223372036854775807, 0, 0]} : tensor<2x8x9x4xf32> -> tensor<2x4x4x4xf32>
  return
}
// -----
// mp.max_pool (C7)
func.func @pixels_of_a_window(%x: tensor<2x8x9x4xf32>) {
  // expected-error @+1 {{has 2^63 padded pixels or more in a dimension: image [2x8x9x4], window [4611686018427387904x2]}}
  %0 = mp.max_pool %x {window = [4611686018427387904, 2], dilations = [4, 1]} : tensor<2x8x9x4xf32> -> tensor<2x4x4x4xf32>
  return
}
// -----
// mp.max_pool (C7)
func.func @pixels_of_windows(%x: tensor<2x8x9x4xf32>) {
  // expected-error @+1 {{has windows of 2^63 pixels or more, [4611686018427387904x4]}}
  %0 = mp.max_pool %x {window = [4611686018427387904, 4], strides = [1, 1], padding = [4611686018427387900, 0, 0, 0]} : tensor<2x8x9x4xf32> -> tensor<2x4x4x4xf32>
  return
}
// -----
// no constraint: the text is refused
func.func @no_window(%x: tensor<2x8x9x4xf32>) {
  // expected-error @+1 {{has no window, expected {window = [...]}, a number for each spatial dimension}}
  %0 = mp.max_pool %x : tensor<2x8x9x4xf32> -> tensor<2x4x4x4xf32>
  return
}
// -----
// no constraint: the text is refused
func.func @padding_that_counts_or_not(%x: tensor<2x8x9x4xf32>) {
  // expected-error @+1 {{pads and does not say whether padding counts: write count_padding = true, as PyTorch's default has it, or count_padding = false, as TensorFlow and Keras do}}
  %0 = mp.avg_pool %x {window = [2, 2], padding = [1, 1, 1, 1]} : tensor<2x8x9x4xf32> -> tensor<2x5x5x4xf32>
  return
}
// -----
// no constraint: the text is refused
func.func @averages_do_not_dilate(%x: tensor<2x8x9x4xf32>) {
  // expected-error @+1 {{has no attribute 'dilations'}}
  %0 = mp.avg_pool %x {window = [2, 2], dilations = [2, 2]} : tensor<2x8x9x4xf32> -> tensor<2x4x4x4xf32>
  return
}
// -----
// no constraint: the text is refused
func.func @kernel_size(%x: tensor<2x8x9x4xf32>) {
  // expected-error @+1 {{has no attribute 'kernel_size'}}
  %0 = mp.max_pool %x {kernel_size = [2, 2]} : tensor<2x8x9x4xf32> -> tensor<2x4x4x4xf32>
  return
}
// -----
// no constraint: the text is refused
func.func @one_number(%x: tensor<2x8x9x4xf32>) {
  // expected-error @+1 {{window is no list, expected numbers in brackets, one for each spatial dimension}}
  %0 = mp.max_pool %x {window = 2} : tensor<2x8x9x4xf32> -> tensor<2x4x4x4xf32>
  return
}
// -----
// no constraint: the text is refused
func.func @flag(%x: tensor<2x8x9x4xf32>) {
  // expected-error @+1 {{count_padding is neither true nor false}}
  %0 = mp.avg_pool %x {window = [2, 2], count_padding = 1} : tensor<2x8x9x4xf32> -> tensor<2x4x4x4xf32>
  return
}
// -----
// no constraint: the text is refused
func.func @twice(%x: tensor<2x8x9x4xf32>) {
  // expected-error @+1 {{attribute 'window' occurs twice}}
  %0 = mp.max_pool %x {window = [2, 2], window = [2, 2]} : tensor<2x8x9x4xf32> -> tensor<2x4x4x4xf32>
  return
}
