// RUN: mp-opt %s -mp-decompose | FileCheck %s
// Convolutions of single channels are maps, and their gradients in the filter sums of maps.

// CHECK-LABEL: @forward
// CHECK: %[[M:.*]] = mp.reshape %{{.*}} : tensor<8x3x3x1xbf16> -> tensor<8x9xbf16>
// CHECK: %[[T:.*]] = mp.transpose %[[M]] permutation [1, 0] : tensor<8x9xbf16> -> tensor<9x8xbf16>
// CHECK: %[[W:.*]] = mp.cast %[[T]] : tensor<9x8xbf16> -> tensor<9x8xf32>
// CHECK: mp.depthwise_conv %{{.*}}, %[[W]] bias %{{.*}} : tensor<8xbf16> window [3, 3] strides [2, 1] padding [1, 0, 1, 1] dilations [1, 1] : tensor<4x9x7x8xbf16>, tensor<9x8xf32> -> tensor<4x4x7x8xbf16>
func.func @forward(%x: tensor<4x9x7x8xbf16>, %w: tensor<8x3x3x1xbf16>, %b: tensor<8xbf16>) -> tensor<4x4x7x8xbf16> {
  %y = mp.conv %x, %w bias %b : tensor<8xbf16> acc f32 {strides = [2, 1], padding = [1, 0, 1, 1], groups = 8} : tensor<4x9x7x8xbf16>, tensor<8x3x3x1xbf16> -> tensor<4x4x7x8xbf16>
  return %y : tensor<4x4x7x8xbf16>
}

// Without strides the image's gradient is the convolution with taps the other way around.
// CHECK-LABEL: @data_gradient
// CHECK: mp.depthwise_conv %{{.*}}, %{{.*}} reversed window [3, 3] strides [1, 1] padding [2, 1, 1, 2] dilations [1, 1] : tensor<4x8x6x8xf32>, tensor<9x8xf32> -> tensor<4x9x7x8xf32>
func.func @data_gradient(%g: tensor<4x8x6x8xf32>, %w: tensor<8x3x3x1xf32>) -> tensor<4x9x7x8xf32> {
  %x = mp.conv_transpose %g, %w acc f32 {padding = [0, 1, 1, 0], groups = 8} : tensor<4x8x6x8xf32>, tensor<8x3x3x1xf32> -> tensor<4x9x7x8xf32>
  return %x : tensor<4x9x7x8xf32>
}

// CHECK-LABEL: @data_gradient_under_strides
// CHECK: mp.depthwise_conv_transpose %{{.*}}, %{{.*}} window [3, 3] strides [2, 2] padding [0, 1, 0, 1] dilations [1, 1]
func.func @data_gradient_under_strides(%g: tensor<4x4x4x8xf32>, %w: tensor<8x3x3x1xf32>) -> tensor<4x8x8x8xf32> {
  %x = mp.conv_transpose %g, %w acc f32 {strides = [2, 2], padding = same, groups = 8} : tensor<4x4x4x8xf32>, tensor<8x3x3x1xf32> -> tensor<4x8x8x8xf32>
  return %x : tensor<4x8x8x8xf32>
}

// CHECK-LABEL: @filter_gradient
// CHECK: %[[P:.*]] = mp.depthwise_conv_row_sums {{.*}} -> tensor<4x9x9x8xf32>
// CHECK: %[[I:.*]] = mp.reduce_sum %[[P]] dimensions [2] : tensor<4x9x9x8xf32> -> tensor<4x9x8xf32>
// CHECK: %[[S:.*]] = mp.reduce_sum %[[I]] dimensions [0] : tensor<4x9x8xf32> -> tensor<9x8xf32>
// CHECK: %[[C:.*]] = mp.cast %[[S]] : tensor<9x8xf32> -> tensor<9x8xbf16>
// CHECK: %[[T:.*]] = mp.transpose %[[C]] permutation [1, 0] : tensor<9x8xbf16> -> tensor<8x9xbf16>
// CHECK: mp.reshape %[[T]] : tensor<8x9xbf16> -> tensor<8x3x3x1xbf16>
func.func @filter_gradient(%x: tensor<4x9x8x8xbf16>, %g: tensor<4x9x8x8xbf16>) -> tensor<8x3x3x1xbf16> {
  %w = mp.conv_filter_grad %x, %g acc f32 {padding = same, groups = 8} : tensor<4x9x8x8xbf16>, tensor<4x9x8x8xbf16> -> tensor<8x3x3x1xbf16>
  return %w : tensor<8x3x3x1xbf16>
}

// Filters that share a channel, groups of several, sums in f16 and an image of one channel stay products.
// CHECK-LABEL: @products
// CHECK-COUNT-4: mp.conv %
// CHECK-NOT: mp.depthwise_conv
func.func @products(%x: tensor<2x4x4x4xf16>, %twice: tensor<8x3x3x1xf16>, %pairs: tensor<4x3x3x2xf16>, %w: tensor<4x3x3x1xf16>, %grey: tensor<2x4x4x1xf16>, %one: tensor<1x3x3x1xf16>)
    -> (tensor<2x2x2x8xf16>, tensor<2x2x2x4xf16>, tensor<2x2x2x4xf16>, tensor<2x2x2x1xf16>) {
  %0 = mp.conv %x, %twice acc f32 {groups = 4} : tensor<2x4x4x4xf16>, tensor<8x3x3x1xf16> -> tensor<2x2x2x8xf16>
  %1 = mp.conv %x, %pairs acc f32 {groups = 2} : tensor<2x4x4x4xf16>, tensor<4x3x3x2xf16> -> tensor<2x2x2x4xf16>
  %2 = mp.conv %x, %w acc f16 {groups = 4} : tensor<2x4x4x4xf16>, tensor<4x3x3x1xf16> -> tensor<2x2x2x4xf16>
  %3 = mp.conv %grey, %one acc f32 : tensor<2x4x4x1xf16>, tensor<1x3x3x1xf16> -> tensor<2x2x2x1xf16>
  return %0, %1, %2, %3 : tensor<2x2x2x8xf16>, tensor<2x2x2x4xf16>, tensor<2x2x2x4xf16>, tensor<2x2x2x1xf16>
}
