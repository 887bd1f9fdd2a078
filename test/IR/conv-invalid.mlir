// RUN: mp-opt %s -split-input-file -verify-diagnostics

// mp.conv (C1)
func.func @mixed_operands(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x3x4xf32>) {
  // expected-error @+1 {{operands differ in type: image has 'f16', filter has 'f32'}}
  %0 = mp.conv %x, %w acc f32 : tensor<2x8x8x4xf16>, tensor<6x3x3x4xf32> -> tensor<2x6x6x6xf16>
  return
}
// -----
// mp.conv (C1)
func.func @accumulator(%x: tensor<2x8x8x4xf32>, %w: tensor<6x3x3x4xf32>) {
  // expected-error @+1 {{accumulator 'f16' does not serve 'f32' operands, expected f32}}
  %0 = mp.conv %x, %w acc f16 : tensor<2x8x8x4xf32>, tensor<6x3x3x4xf32> -> tensor<2x6x6x6xf32>
  return
}
// -----
// mp.conv (C1)
func.func @result_of_a_third_type(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{result has type 'bf16', expected the operands' 'f16' or the accumulator's 'f32'}}
  %0 = mp.conv %x, %w acc f32 : tensor<2x8x8x4xf16>, tensor<6x3x3x4xf16> -> tensor<2x6x6x6xbf16>
  return
}
// -----
// mp.conv (C2)
func.func @no_spatial_dimension(%x: tensor<8x4xf16>, %w: tensor<6x4xf16>) {
  // expected-error @+1 {{image and filter have one rank from 3 to 5, found shapes [8x4] and [6x4]}}
  %0 = mp.conv %x, %w acc f32 : tensor<8x4xf16>, tensor<6x4xf16> -> tensor<8x6xf16>
  return
}
// -----
// mp.conv (C2)
func.func @four_spatial_dimensions(%x: tensor<1x2x2x2x2x1xf16>, %w: tensor<1x1x1x1x1x1xf16>) {
  // expected-error @+1 {{image and filter have one rank from 3 to 5, found shapes [1x2x2x2x2x1] and [1x1x1x1x1x1]}}
  %0 = mp.conv %x, %w acc f32 : tensor<1x2x2x2x2x1xf16>, tensor<1x1x1x1x1x1xf16> -> tensor<1x2x2x2x2x1xf16>
  return
}
// -----
// mp.conv (C2)
func.func @ranks(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x4xf16>) {
  // expected-error @+1 {{image and filter have one rank from 3 to 5, found shapes [2x8x8x4] and [6x3x4]}}
  %0 = mp.conv %x, %w acc f32 : tensor<2x8x8x4xf16>, tensor<6x3x4xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// mp.conv (C2)
func.func @open_image(%x: tensor<2x?x8x4xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{has an open size other than the first of the image, which is [2x?x8x4]; the filter is [6x3x3x4]}}
  %0 = mp.conv %x, %w acc f32 : tensor<2x?x8x4xf16>, tensor<6x3x3x4xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// mp.conv (C2)
func.func @open_filter(%x: tensor<2x8x8x4xf16>, %w: tensor<?x3x3x4xf16>) {
  // expected-error @+1 {{has an open size other than the first of the image, which is [2x8x8x4]; the filter is [?x3x3x4]}}
  %0 = mp.conv %x, %w acc f32 : tensor<2x8x8x4xf16>, tensor<?x3x3x4xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// mp.conv (C3)
func.func @channels(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x3x3xf16>) {
  // expected-error @+1 {{image has 4 channels, expected 3 (groups 1, filter [6x3x3x3]); images are [N, spatial..., C], filters [K, spatial..., C / groups]}}
  %0 = mp.conv %x, %w acc f32 : tensor<2x8x8x4xf16>, tensor<6x3x3x3xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// mp.conv (C3)
func.func @channels_of_groups(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{image has 4 channels, expected 8 (groups 2, filter [6x3x3x4])}}
  %0 = mp.conv %x, %w acc f32 {groups = 2} : tensor<2x8x8x4xf16>, tensor<6x3x3x4xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// mp.conv (C3)
func.func @groups_of_channels(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x3x1xf16>) {
  // expected-error @+1 {{image has 4 channels, expected 3 (groups 3, filter [6x3x3x1])}}
  %0 = mp.conv %x, %w acc f32 {groups = 3} : tensor<2x8x8x4xf16>, tensor<6x3x3x1xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// mp.conv (C4)
func.func @groups_of_filters(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x3x1xf16>) {
  // expected-error @+1 {{groups are at least 1 and divide the number of filters, found 4 groups of 6 filters}}
  %0 = mp.conv %x, %w acc f32 {groups = 4} : tensor<2x8x8x4xf16>, tensor<6x3x3x1xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// mp.conv (C4)
func.func @no_groups(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{groups are at least 1 and divide the number of filters, found 0 groups of 6 filters}}
  %0 = mp.conv %x, %w acc f32 {groups = 0} : tensor<2x8x8x4xf16>, tensor<6x3x3x4xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// mp.conv (C5)
func.func @strides(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{strides is at least 1, found 0}}
  %0 = mp.conv %x, %w acc f32 {strides = [1, 0]} : tensor<2x8x8x4xf16>, tensor<6x3x3x4xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// mp.conv (C5)
// no constraint: the text is refused
func.func @number_of_strides(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{strides has 1 numbers, expected 2 for 2 spatial dimensions}}
  %0 = mp.conv %x, %w acc f32 {strides = [1]} : tensor<2x8x8x4xf16>, tensor<6x3x3x4xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// mp.conv (C5)
func.func @padding(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{padding is at least 0, found -1}}
  %0 = mp.conv %x, %w acc f32 {padding = [0, 0, -1, 0]} : tensor<2x8x8x4xf16>, tensor<6x3x3x4xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// mp.conv (C5)
func.func @number_of_paddings(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{padding has 2 numbers, expected 4 for 2 spatial dimensions}}
  %0 = mp.conv %x, %w acc f32 {padding = [1, 1]} : tensor<2x8x8x4xf16>, tensor<6x3x3x4xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// mp.conv (C5)
func.func @dilations(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{dilations is at least 1, found -2}}
  %0 = mp.conv %x, %w acc f32 {dilations = [-2, 1]} : tensor<2x8x8x4xf16>, tensor<6x3x3x4xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// mp.conv (C5)
func.func @number_of_dilations(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{dilations has 3 numbers, expected 2 for 2 spatial dimensions}}
  %0 = mp.conv %x, %w acc f32 {dilations = [1, 1, 1]} : tensor<2x8x8x4xf16>, tensor<6x3x3x4xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// mp.conv (C5)
func.func @same_leaves_bad_windows_to_the_verifier(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{strides is at least 1, found 0}}
  %0 = mp.conv %x, %w acc f32 {padding = same, strides = [0, 1]} : tensor<2x8x8x4xf16>, tensor<6x3x3x4xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// mp.conv (C6)
func.func @window_beyond_the_image(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{a window spans 11 pixels in spatial dimension 1, where the image has 10 with its padding: the result would be empty; take a smaller window, or more padding}}
  %0 = mp.conv %x, %w acc f32 {padding = [0, 0, 1, 1], dilations = [1, 5]} : tensor<2x8x8x4xf16>, tensor<6x3x3x4xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// mp.conv (C6)
func.func @empty_image(%x: tensor<2x8x0x4xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{spatial sizes are at least 1, found image [2x8x0x4]}}
  %0 = mp.conv %x, %w acc f32 {padding = [0, 0, 2, 2]} : tensor<2x8x0x4xf16>, tensor<6x3x3x4xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// mp.conv (C6)
func.func @empty_filter(%x: tensor<2x8x8x4xf16>, %w: tensor<6x0x3x4xf16>) {
  // expected-error @+1 {{spatial sizes are at least 1, found filter [6x0x3x4]}}
  %0 = mp.conv %x, %w acc f32 : tensor<2x8x8x4xf16>, tensor<6x0x3x4xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// mp.conv (C7)
func.func @bias_shape(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x3x4xf16>, %b: tensor<5xf16>) {
  // expected-error @+1 {{bias has shape [5], expected [6]}}
  %0 = mp.conv %x, %w bias %b : tensor<5xf16> acc f32 : tensor<2x8x8x4xf16>, tensor<6x3x3x4xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// mp.conv (C7)
func.func @bias_rank(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x3x4xf16>, %b: tensor<1x6xf16>) {
  // expected-error @+1 {{bias has shape [1x6], expected [6]}}
  %0 = mp.conv %x, %w bias %b : tensor<1x6xf16> acc f32 : tensor<2x8x8x4xf16>, tensor<6x3x3x4xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// mp.conv (C7)
func.func @bias_type(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x3x4xf16>, %b: tensor<6xbf16>) {
  // expected-error @+1 {{bias has type 'bf16', expected the image's 'f16' or the accumulator's 'f32'}}
  %0 = mp.conv %x, %w bias %b : tensor<6xbf16> acc f32 : tensor<2x8x8x4xf16>, tensor<6x3x3x4xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// mp.conv (C8)
func.func @result_shape(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{result has shape [2x6x7x6], operands and attributes give [2x6x6x6]}}
  %0 = mp.conv %x, %w acc f32 : tensor<2x8x8x4xf16>, tensor<6x3x3x4xf16> -> tensor<2x6x7x6xf16>
  return
}
// -----
// mp.conv (C8)
func.func @result_rank(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{result has shape [2x6x6], operands and attributes give [2x6x6x6]}}
  %0 = mp.conv %x, %w acc f32 : tensor<2x8x8x4xf16>, tensor<6x3x3x4xf16> -> tensor<2x6x6xf16>
  return
}
// -----
// mp.conv (C9)
func.func @span_overflows(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{has 2^63 padded pixels or more in a dimension: image [2x8x8x4], filter [6x3x3x4]; take less padding or smaller dilations}}
  %0 = mp.conv %x, %w acc f32 {dilations = [9223372036854775807, 1]} : tensor<2x8x8x4xf16>, tensor<6x3x3x4xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// mp.conv (C9)
func.func @padding_overflows(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{has 2^63 padded pixels or more in a dimension: image [2x8x8x4], filter [6x3x3x4]}}
  %0 = mp.conv %x, %w acc f32 {padding = [9223372036854775807, 0, 0, 0]} : tensor<2x8x8x4xf16>, tensor<6x3x3x4xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// no constraint: more elements than any op takes
func.func @elements_overflow(%x: tensor<1x4294967296x4294967296x1xf16>, %w: tensor<1x1x1x1xf16>) {
  // expected-error @+1 {{has a value of type 'tensor<1x4294967296x4294967296x1xf16>'; at most 2^48 elements are supported}}
  %0 = mp.conv %x, %w acc f32 : tensor<1x4294967296x4294967296x1xf16>, tensor<1x1x1x1xf16> -> tensor<1x4294967296x4294967296x1xf16>
  return
}
// -----
// no constraint: more elements than any op takes
func.func @elements_of_the_result_overflow(%x: tensor<1x1x1x1xf16>, %w: tensor<1x1x1x1xf16>) {
  // expected-error @+1 {{has a value of type 'tensor<1x4294967296x4294967296x1xf16>'; at most 2^48 elements are supported}}
  %0 = mp.conv %x, %w acc f32 {padding = [4294967295, 0, 4294967295, 0]} : tensor<1x1x1x1xf16>, tensor<1x1x1x1xf16> -> tensor<1x4294967296x4294967296x1xf16>
  return
}
// -----
// mp.conv_transpose (C1)
func.func @transpose_mixed_operands(%g: tensor<2x6x6x6xf16>, %w: tensor<6x3x3x4xf32>) {
  // expected-error @+1 {{operands differ in type: input has 'f16', filter has 'f32'}}
  %0 = mp.conv_transpose %g, %w acc f32 : tensor<2x6x6x6xf16>, tensor<6x3x3x4xf32> -> tensor<2x8x8x4xf16>
  return
}
// -----
// mp.conv_transpose (C2)
func.func @transpose_rank(%g: tensor<2x6x6x6xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{image and filter have one rank from 3 to 5, found shapes [8x4] and [6x3x3x4]}}
  %0 = mp.conv_transpose %g, %w acc f32 : tensor<2x6x6x6xf16>, tensor<6x3x3x4xf16> -> tensor<8x4xf16>
  return
}
// -----
// mp.conv_transpose (C2)
func.func @transpose_scalar(%g: tensor<2x6x6x6xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{image and filter have one rank from 3 to 5, found shapes [] and [6x3x3x4]}}
  %0 = mp.conv_transpose %g, %w acc f32 : tensor<2x6x6x6xf16>, tensor<6x3x3x4xf16> -> tensor<f16>
  return
}
// -----
// mp.conv_transpose (C2)
func.func @transpose_open_size(%g: tensor<2x6x6x6xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{has an open size other than the first of the image, which is [2x?x8x4]; the filter is [6x3x3x4]}}
  %0 = mp.conv_transpose %g, %w acc f32 : tensor<2x6x6x6xf16>, tensor<6x3x3x4xf16> -> tensor<2x?x8x4xf16>
  return
}
// -----
// mp.conv_transpose (C3)
func.func @transpose_channels(%g: tensor<2x6x6x6xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{result has 5 channels, expected 4 (groups 1, filter [6x3x3x4])}}
  %0 = mp.conv_transpose %g, %w acc f32 : tensor<2x6x6x6xf16>, tensor<6x3x3x4xf16> -> tensor<2x8x8x5xf16>
  return
}
// -----
// mp.conv (C8)
func.func @transpose_size(%g: tensor<2x6x6x6xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{input has shape [2x6x6x6], but mp.conv of [2x8x9x4] with filters [6x3x3x4] gives [2x6x7x6]}}
  %0 = mp.conv_transpose %g, %w acc f32 : tensor<2x6x6x6xf16>, tensor<6x3x3x4xf16> -> tensor<2x8x9x4xf16>
  return
}
// -----
// mp.conv (C8)
func.func @transpose_batch(%g: tensor<2x6x6x6xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{input has shape [2x6x6x6], but mp.conv of [3x8x8x4] with filters [6x3x3x4] gives [3x6x6x6]}}
  %0 = mp.conv_transpose %g, %w acc f32 : tensor<2x6x6x6xf16>, tensor<6x3x3x4xf16> -> tensor<3x8x8x4xf16>
  return
}
// -----
// mp.conv (C8)
func.func @transpose_input_rank(%g: tensor<2x6x6xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{input has shape [2x6x6], but mp.conv of [2x8x8x4] with filters [6x3x3x4] gives [2x6x6x6]}}
  %0 = mp.conv_transpose %g, %w acc f32 : tensor<2x6x6xf16>, tensor<6x3x3x4xf16> -> tensor<2x8x8x4xf16>
  return
}
// -----
// mp.conv_filter_grad (C1)
func.func @filter_grad_mixed_operands(%x: tensor<2x8x8x4xf16>, %g: tensor<2x6x6x6xbf16>) {
  // expected-error @+1 {{operands differ in type: image has 'f16', gradient has 'bf16'}}
  %0 = mp.conv_filter_grad %x, %g acc f32 : tensor<2x8x8x4xf16>, tensor<2x6x6x6xbf16> -> tensor<6x3x3x4xf16>
  return
}
// -----
// mp.conv_filter_grad (C2)
func.func @filter_grad_rank(%x: tensor<2x8x8x4xf16>, %g: tensor<2x6x6x6xf16>) {
  // expected-error @+1 {{image and filter have one rank from 3 to 5, found shapes [2x8x8x4] and [6x3x4]}}
  %0 = mp.conv_filter_grad %x, %g acc f32 : tensor<2x8x8x4xf16>, tensor<2x6x6x6xf16> -> tensor<6x3x4xf16>
  return
}
// -----
// mp.conv_filter_grad (C2)
func.func @filter_grad_open_size(%x: tensor<2x8x8x4xf16>, %g: tensor<2x6x6x6xf16>) {
  // expected-error @+1 {{has an open size other than the first of the image, which is [2x8x8x4]; the filter is [6x?x3x4]}}
  %0 = mp.conv_filter_grad %x, %g acc f32 : tensor<2x8x8x4xf16>, tensor<2x6x6x6xf16> -> tensor<6x?x3x4xf16>
  return
}
// -----
// mp.conv (C8)
func.func @filter_grad_size(%x: tensor<2x8x8x4xf16>, %g: tensor<2x6x6x6xf16>) {
  // expected-error @+1 {{gradient has shape [2x6x6x6], but mp.conv of [2x8x8x4] with filters [6x3x2x4] gives [2x6x7x6]}}
  %0 = mp.conv_filter_grad %x, %g acc f32 : tensor<2x8x8x4xf16>, tensor<2x6x6x6xf16> -> tensor<6x3x2x4xf16>
  return
}
// -----
// mp.conv (C8)
func.func @filter_grad_filters(%x: tensor<2x8x8x4xf16>, %g: tensor<2x6x6x6xf16>) {
  // expected-error @+1 {{gradient has shape [2x6x6x6], but mp.conv of [2x8x8x4] with filters [5x3x3x4] gives [2x6x6x5]}}
  %0 = mp.conv_filter_grad %x, %g acc f32 : tensor<2x8x8x4xf16>, tensor<2x6x6x6xf16> -> tensor<5x3x3x4xf16>
  return
}
// -----
// mp.conv (C8)
func.func @filter_grad_batch(%x: tensor<2x8x8x4xf16>, %g: tensor<3x6x6x6xf16>) {
  // expected-error @+1 {{gradient has shape [3x6x6x6], but mp.conv of [2x8x8x4] with filters [6x3x3x4] gives [2x6x6x6]}}
  %0 = mp.conv_filter_grad %x, %g acc f32 : tensor<2x8x8x4xf16>, tensor<3x6x6x6xf16> -> tensor<6x3x3x4xf16>
  return
}
// -----
// no constraint: the text is refused
func.func @unknown_attribute(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{has no attribute 'stride'}}
  %0 = mp.conv %x, %w acc f32 {stride = [1, 1]} : tensor<2x8x8x4xf16>, tensor<6x3x3x4xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// no constraint: the text is refused
func.func @accumulator_in_braces(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{has no attribute 'acc'}}
  %0 = mp.conv %x, %w acc f32 {acc = f16} : tensor<2x8x8x4xf16>, tensor<6x3x3x4xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// no constraint: the text is refused
func.func @twice(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{attribute 'padding' occurs twice}}
  %0 = mp.conv %x, %w acc f32 {padding = same, padding = [1, 1, 1, 1]} : tensor<2x8x8x4xf16>, tensor<6x3x3x4xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// no constraint: the text is refused
func.func @twice_groups(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{attribute 'groups' occurs twice}}
  %0 = mp.conv %x, %w acc f32 {groups = 1, groups = 2} : tensor<2x8x8x4xf16>, tensor<6x3x3x4xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// no constraint: the text is refused
func.func @twice_strides(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{attribute 'strides' occurs twice}}
  %0 = mp.conv %x, %w acc f32 {strides = [1, 1], strides = [1, 1]} : tensor<2x8x8x4xf16>, tensor<6x3x3x4xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// no constraint: the text is refused
func.func @twice_other(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{attribute 'mp.precision' occurs twice}}
  %0 = mp.conv %x, %w acc f32 {mp.precision = f16, mp.precision = f32} : tensor<2x8x8x4xf16>, tensor<6x3x3x4xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// no constraint: the text is refused
func.func @unknown_padding(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{padding is 'full', expected same, valid, or two numbers for each spatial dimension: [top, bottom, left, right]}}
  %0 = mp.conv %x, %w acc f32 {padding = full} : tensor<2x8x8x4xf16>, tensor<6x3x3x4xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// no constraint: the text is refused
func.func @same_of_an_open_size(%x: tensor<2x?x8x4xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{'padding = same' needs spatial sizes that are known}}
  %0 = mp.conv %x, %w acc f32 {padding = same} : tensor<2x?x8x4xf16>, tensor<6x3x3x4xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// no constraint: the text is refused
func.func @same_overflows(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{'padding = same' of these sizes is 2^63 or more}}
  %0 = mp.conv %x, %w acc f32 {padding = same, dilations = [9223372036854775807, 1]} : tensor<2x8x8x4xf16>, tensor<6x3x3x4xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// no constraint: the text is refused
func.func @number_of_padding(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{padding is no list, expected same, valid, or two numbers}}
  %0 = mp.conv %x, %w acc f32 {padding = 1} : tensor<2x8x8x4xf16>, tensor<6x3x3x4xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// no constraint: the text is refused
func.func @number_of_strides(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{strides is no list, expected numbers in brackets, one for each spatial dimension}}
  %0 = mp.conv %x, %w acc f32 {strides = 2} : tensor<2x8x8x4xf16>, tensor<6x3x3x4xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// no constraint: the text is refused
func.func @singular(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x3x4xf16>) {
  // expected-error @+1 {{has no attribute 'stride'; did you mean 'strides'?}}
  %0 = mp.conv %x, %w acc f32 {stride = [2, 2]} : tensor<2x8x8x4xf16>, tensor<6x3x3x4xf16> -> tensor<2x6x6x6xf16>
  return
}
// -----
// mp.conv (C8)
func.func @open_size_that_is_known(%x: tensor<?x4x4x2xf32>, %w: tensor<10x4x4x2xf32>) {
  // expected-error @+1 {{result has shape [?x?x1x10], operands and attributes give [?x1x1x10]}}
  %0 = mp.conv %x, %w acc f32 : tensor<?x4x4x2xf32>, tensor<10x4x4x2xf32> -> tensor<?x?x1x10xf32>
  return
}
