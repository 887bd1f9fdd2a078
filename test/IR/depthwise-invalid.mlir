// RUN: mp-opt %s -split-input-file -verify-diagnostics

// mp.depthwise_conv (C10)
func.func @narrow_taps(%x: tensor<2x8x8x4xf16>, %w: tensor<9x4xf16>) {
  // expected-error @+1 {{taps has type 'f16', expected f32 beside images of 'f16'}}
  %0 = mp.depthwise_conv %x, %w window [3, 3] strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] : tensor<2x8x8x4xf16>, tensor<9x4xf16> -> tensor<2x6x6x4xf16>
  return
}
// -----
// mp.depthwise_conv (C10)
func.func @taps_of_wide_images(%x: tensor<2x8x8x4xf64>, %w: tensor<9x4xf32>) {
  // expected-error @+1 {{taps has type 'f32', expected f64 beside images of 'f64'}}
  %0 = mp.depthwise_conv %x, %w window [3, 3] strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] : tensor<2x8x8x4xf64>, tensor<9x4xf32> -> tensor<2x6x6x4xf64>
  return
}
// -----
// mp.depthwise_conv (C10)
func.func @result_of_a_third_type(%x: tensor<2x8x8x4xf16>, %w: tensor<9x4xf32>) {
  // expected-error @+1 {{result has type 'bf16', expected 'f16' or 'f32'}}
  %0 = mp.depthwise_conv %x, %w window [3, 3] strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] : tensor<2x8x8x4xf16>, tensor<9x4xf32> -> tensor<2x6x6x4xbf16>
  return
}
// -----
// mp.depthwise_conv (C10)
func.func @bias_of_a_third_type(%x: tensor<2x8x8x4xf16>, %w: tensor<9x4xf32>, %b: tensor<4xbf16>) {
  // expected-error @+1 {{bias has type 'bf16', expected 'f16' or 'f32'}}
  %0 = mp.depthwise_conv %x, %w bias %b : tensor<4xbf16> window [3, 3] strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] : tensor<2x8x8x4xf16>, tensor<9x4xf32> -> tensor<2x6x6x4xf16>
  return
}
// -----
// mp.depthwise_conv (C11)
func.func @taps(%x: tensor<2x8x8x4xf16>, %w: tensor<4x9xf32>) {
  // expected-error @+1 {{taps have shape [4x9], expected [9x4]: the pixels of a window, and channels}}
  %0 = mp.depthwise_conv %x, %w window [3, 3] strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] : tensor<2x8x8x4xf16>, tensor<4x9xf32> -> tensor<2x6x6x4xf16>
  return
}
// -----
// mp.depthwise_conv (C11)
func.func @taps_of_a_transpose(%g: tensor<2x6x6x4xf16>, %w: tensor<9x3xf32>) {
  // expected-error @+1 {{taps have shape [9x3], expected [9x4]}}
  %0 = mp.depthwise_conv_transpose %g, %w window [3, 3] strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] : tensor<2x6x6x4xf16>, tensor<9x3xf32> -> tensor<2x8x8x4xf16>
  return
}
// -----
// mp.depthwise_conv (C4)
func.func @no_channels(%x: tensor<2x8x8x0xf16>, %w: tensor<9x0xf32>) {
  // expected-error @+1 {{groups are at least 1 and divide the number of filters, found 0 groups of 0 filters}}
  %0 = mp.depthwise_conv %x, %w window [3, 3] strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] : tensor<2x8x8x0xf16>, tensor<9x0xf32> -> tensor<2x6x6x0xf16>
  return
}
// -----
// mp.depthwise_conv (C5)
func.func @strides(%x: tensor<2x8x8x4xf16>, %w: tensor<9x4xf32>) {
  // expected-error @+1 {{strides has 1 numbers, expected 2 for 2 spatial dimensions}}
  %0 = mp.depthwise_conv %x, %w window [3, 3] strides [1] padding [0, 0, 0, 0] dilations [1, 1] : tensor<2x8x8x4xf16>, tensor<9x4xf32> -> tensor<2x6x6x4xf16>
  return
}
// -----
// mp.depthwise_conv (C6)
func.func @window_beyond_the_image(%x: tensor<2x8x8x4xf16>, %w: tensor<9x4xf32>) {
  // expected-error @+1 {{a window spans 9 pixels in spatial dimension 0, where the image has 8 with its padding}}
  %0 = mp.depthwise_conv %x, %w window [9, 1] strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] : tensor<2x8x8x4xf16>, tensor<9x4xf32> -> tensor<2x1x8x4xf16>
  return
}
// -----
// mp.depthwise_conv (C7)
func.func @bias(%x: tensor<2x8x8x4xf16>, %w: tensor<9x4xf32>, %b: tensor<3xf16>) {
  // expected-error @+1 {{bias has shape [3], expected [4]}}
  %0 = mp.depthwise_conv %x, %w bias %b : tensor<3xf16> window [3, 3] strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] : tensor<2x8x8x4xf16>, tensor<9x4xf32> -> tensor<2x6x6x4xf16>
  return
}
// -----
// mp.depthwise_conv (C8)
func.func @input(%g: tensor<2x6x7x4xf16>, %w: tensor<9x4xf32>) {
  // expected-error @+1 {{input has shape [2x6x7x4], but mp.conv of [2x8x8x4] with filters [4x3x3x1] gives [2x6x6x4]}}
  %0 = mp.depthwise_conv_transpose %g, %w window [3, 3] strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] : tensor<2x6x7x4xf16>, tensor<9x4xf32> -> tensor<2x8x8x4xf16>
  return
}
// -----
// mp.depthwise_conv_row_sums (C10)
func.func @operands(%x: tensor<2x8x8x4xf16>, %g: tensor<2x6x6x4xf32>) {
  // expected-error @+1 {{operands differ in type: image has 'f16', gradient has 'f32'}}
  %0 = mp.depthwise_conv_row_sums %x, %g window [3, 3] strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] : tensor<2x8x8x4xf16>, tensor<2x6x6x4xf32> -> tensor<2x9x6x4xf32>
  return
}
// -----
// mp.depthwise_conv_row_sums (C10)
func.func @narrow_products(%x: tensor<2x8x8x4xf16>, %g: tensor<2x6x6x4xf16>) {
  // expected-error @+1 {{result has type 'f16', expected f32 beside images of 'f16'}}
  %0 = mp.depthwise_conv_row_sums %x, %g window [3, 3] strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] : tensor<2x8x8x4xf16>, tensor<2x6x6x4xf16> -> tensor<2x9x6x4xf16>
  return
}
// -----
// mp.depthwise_conv_row_sums (C11)
func.func @products(%x: tensor<2x8x8x4xf16>, %g: tensor<2x6x6x4xf16>) {
  // expected-error @+1 {{result has shape [2x6x9x4], operands and attributes give [2x9x6x4]}}
  %0 = mp.depthwise_conv_row_sums %x, %g window [3, 3] strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] : tensor<2x8x8x4xf16>, tensor<2x6x6x4xf16> -> tensor<2x6x9x4xf32>
  return
}
