// RUN: mp-opt %s | FileCheck %s

// CHECK-LABEL: @what_is_left_out_is_one_and_no_padding
func.func @what_is_left_out_is_one_and_no_padding(%x: tensor<2x8x8x4xf16>, %w: tensor<6x3x3x4xf16>) -> tensor<2x6x6x6xf16> {
  // CHECK: mp.conv %{{.*}}, %{{.*}} acc f32 {strides = [1, 1], padding = [0, 0, 0, 0], dilations = [1, 1], groups = 1} : tensor<2x8x8x4xf16>, tensor<6x3x3x4xf16> -> tensor<2x6x6x6xf16>
  %0 = mp.conv %x, %w acc f32 : tensor<2x8x8x4xf16>, tensor<6x3x3x4xf16> -> tensor<2x6x6x6xf16>
  return %0 : tensor<2x6x6x6xf16>
}

// CHECK-LABEL: @forms
func.func @forms(%x: tensor<2x8x9x4xf16>, %w: tensor<6x3x2x2xf16>, %b: tensor<6xf16>, %bf: tensor<6xf32>, %v: tensor<6x1x1x4xf16>)
    -> (tensor<2x4x4x6xf16>, tensor<2x8x9x6xf32>, tensor<2x8x9x6xf16>) {
  // CHECK: mp.conv %{{.*}}, %{{.*}} bias %{{.*}} : tensor<6xf16> acc f32 {strides = [2, 3], padding = [1, 0, 2, 3], dilations = [1, 2], groups = 2}
  %0 = mp.conv %x, %w bias %b : tensor<6xf16> acc f32 {dilations = [1, 2], groups = 2, padding = [1, 0, 2, 3], strides = [2, 3]} : tensor<2x8x9x4xf16>, tensor<6x3x2x2xf16> -> tensor<2x4x4x6xf16>
  // CHECK: bias %{{.*}} : tensor<6xf32> acc f32 {{.*}} -> tensor<2x8x9x6xf32>
  %1 = mp.conv %x, %v bias %bf : tensor<6xf32> acc f32 : tensor<2x8x9x4xf16>, tensor<6x1x1x4xf16> -> tensor<2x8x9x6xf32>
  // CHECK: acc f16 {strides = [1, 1], padding = [0, 0, 0, 0], dilations = [1, 1], groups = 1, mp.precision = f16}
  %2 = mp.conv %x, %v acc f16 {mp.precision = f16} : tensor<2x8x9x4xf16>, tensor<6x1x1x4xf16> -> tensor<2x8x9x6xf16>
  return %0, %1, %2 : tensor<2x4x4x6xf16>, tensor<2x8x9x6xf32>, tensor<2x8x9x6xf16>
}

// The odd pixel of padding is high: below and to the right.
// CHECK-LABEL: @same_is_that_of_tensorflow
func.func @same_is_that_of_tensorflow(%x: tensor<?x32x224x3xf32>, %w: tensor<4x3x7x3xf32>, %v: tensor<4x2x2x3xf32>) -> tensor<?x32x224x4xf32> {
  // CHECK: padding = [1, 1, 3, 3]
  %0 = mp.conv %x, %w acc f32 {padding = same} : tensor<?x32x224x3xf32>, tensor<4x3x7x3xf32> -> tensor<?x32x224x4xf32>
  // CHECK: strides = [2, 2], padding = [0, 1, 2, 3]
  %1 = mp.conv %x, %w acc f32 {padding = same, strides = [2, 2]} : tensor<?x32x224x3xf32>, tensor<4x3x7x3xf32> -> tensor<?x16x112x4xf32>
  // CHECK: padding = [2, 2, 6, 6], dilations = [2, 2]
  %2 = mp.conv %x, %w acc f32 {dilations = [2, 2], padding = same} : tensor<?x32x224x3xf32>, tensor<4x3x7x3xf32> -> tensor<?x32x224x4xf32>
  // A stride beyond the window leaves pixels out, and pads none.
  // CHECK: padding = [0, 0, 0, 0]
  %3 = mp.conv %x, %v acc f32 {padding = same, strides = [4, 8]} : tensor<?x32x224x3xf32>, tensor<4x2x2x3xf32> -> tensor<?x8x28x4xf32>
  // CHECK: padding = [0, 0, 0, 0]
  %4 = mp.conv %x, %v acc f32 {padding = valid} : tensor<?x32x224x3xf32>, tensor<4x2x2x3xf32> -> tensor<?x31x223x4xf32>
  return %0 : tensor<?x32x224x4xf32>
}

// What the image and the filter are of a gradient says where `same` is.
// CHECK-LABEL: @gradients
func.func @gradients(%x: tensor<?x9x6x4xf32>, %g: tensor<?x5x3x8xf32>, %w: tensor<8x3x2x4xf32>) -> (tensor<?x9x6x4xf32>, tensor<8x3x2x4xf32>) {
  // CHECK: mp.conv_transpose %{{.*}}, %{{.*}} acc f32 {strides = [2, 2], padding = [1, 1, 0, 0], dilations = [1, 1], groups = 1} : tensor<?x5x3x8xf32>, tensor<8x3x2x4xf32> -> tensor<?x9x6x4xf32>
  %0 = mp.conv_transpose %g, %w acc f32 {strides = [2, 2], padding = same} : tensor<?x5x3x8xf32>, tensor<8x3x2x4xf32> -> tensor<?x9x6x4xf32>
  // CHECK: mp.conv_filter_grad %{{.*}}, %{{.*}} acc f32 {strides = [2, 2], padding = [1, 1, 0, 0], dilations = [1, 1], groups = 1} : tensor<?x9x6x4xf32>, tensor<?x5x3x8xf32> -> tensor<8x3x2x4xf32>
  %1 = mp.conv_filter_grad %x, %g acc f32 {strides = [2, 2], padding = same} : tensor<?x9x6x4xf32>, tensor<?x5x3x8xf32> -> tensor<8x3x2x4xf32>
  return %0, %1 : tensor<?x9x6x4xf32>, tensor<8x3x2x4xf32>
}

// The same operand has several images that a stride of 2 may have made it of.
// CHECK-LABEL: @the_result_says_its_size
func.func @the_result_says_its_size(%g: tensor<1x4x4x2xf32>, %w: tensor<2x3x3x2xf32>) -> (tensor<1x9x9x2xf32>, tensor<1x10x9x2xf32>) {
  // CHECK: -> tensor<1x9x9x2xf32>
  %0 = mp.conv_transpose %g, %w acc f32 {strides = [2, 2]} : tensor<1x4x4x2xf32>, tensor<2x3x3x2xf32> -> tensor<1x9x9x2xf32>
  // CHECK: -> tensor<1x10x9x2xf32>
  %1 = mp.conv_transpose %g, %w acc f32 {strides = [2, 2]} : tensor<1x4x4x2xf32>, tensor<2x3x3x2xf32> -> tensor<1x10x9x2xf32>
  return %0, %1 : tensor<1x9x9x2xf32>, tensor<1x10x9x2xf32>
}

// CHECK-LABEL: @one_and_three_dimensions
func.func @one_and_three_dimensions(%x: tensor<2x9x4xbf16>, %w: tensor<6x3x4xbf16>, %y: tensor<2x5x6x7x4xf64>, %v: tensor<4x3x3x3x1xf64>)
    -> (tensor<2x4x6xbf16>, tensor<2x5x6x7x4xf64>) {
  // CHECK: mp.conv %{{.*}}, %{{.*}} acc f32 {strides = [2], padding = [0, 0], dilations = [1], groups = 1}
  %0 = mp.conv %x, %w acc f32 {strides = [2]} : tensor<2x9x4xbf16>, tensor<6x3x4xbf16> -> tensor<2x4x6xbf16>
  // CHECK: mp.conv %{{.*}}, %{{.*}} acc f64 {strides = [1, 1, 1], padding = [1, 1, 1, 1, 1, 1], dilations = [1, 1, 1], groups = 4}
  %1 = mp.conv %y, %v acc f64 {padding = same, groups = 4} : tensor<2x5x6x7x4xf64>, tensor<4x3x3x3x1xf64> -> tensor<2x5x6x7x4xf64>
  return %0, %1 : tensor<2x4x6xbf16>, tensor<2x5x6x7x4xf64>
}

// No rows, no channels, no filters: spatial sizes are 1 or more, others may be 0.
// CHECK-LABEL: @sizes_of_0
func.func @sizes_of_0(%x: tensor<0x4x4x0xf32>, %w: tensor<0x3x3x0xf32>) -> tensor<0x2x2x0xf32> {
  // CHECK: groups = 3} : tensor<0x4x4x0xf32>
  %0 = mp.conv %x, %w acc f32 {groups = 3} : tensor<0x4x4x0xf32>, tensor<0x3x3x0xf32> -> tensor<0x2x2x0xf32>
  return %0 : tensor<0x2x2x0xf32>
}

// CHECK-LABEL: @names_of_any_letters
func.func @names_of_any_letters(%x: tensor<2x4x4x1xf32>, %w: tensor<1x3x3x1xf32>) -> tensor<2x2x2x1xf32> {
  // CHECK: groups = 1, "my.strange name" = 1 : i64, my.unit}
  %0 = mp.conv %x, %w acc f32 {"my.strange name" = 1 : i64, my.unit} : tensor<2x4x4x1xf32>, tensor<1x3x3x1xf32> -> tensor<2x2x2x1xf32>
  return %0 : tensor<2x2x2x1xf32>
}
