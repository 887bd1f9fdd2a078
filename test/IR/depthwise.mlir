// RUN: mp-opt %s | FileCheck %s

// CHECK-LABEL: @depthwise
// CHECK: mp.depthwise_conv %{{.*}}, %{{.*}} bias %{{.*}} : tensor<5xf16> reversed window [3, 2] strides [2, 1] padding [1, 1, 0, 1] dilations [1, 1] : tensor<2x9x7x5xf16>, tensor<6x5xf32> -> tensor<2x5x7x5xf16>
// CHECK: mp.depthwise_conv_transpose %{{.*}}, %{{.*}} window [3, 2] strides [2, 1] padding [1, 1, 0, 1] dilations [1, 1] : tensor<2x5x7x5xf16>, tensor<6x5xf32> -> tensor<2x9x7x5xf32>
// CHECK: mp.depthwise_conv_row_sums %{{.*}}, %{{.*}} window [3, 2] strides [2, 1] padding [1, 1, 0, 1] dilations [1, 1] : tensor<2x9x7x5xf16>, tensor<2x5x7x5xf16> -> tensor<2x6x5x5xf32>
func.func @depthwise(%x: tensor<2x9x7x5xf16>, %w: tensor<6x5xf32>, %b: tensor<5xf16>)
    -> (tensor<2x5x7x5xf16>, tensor<2x9x7x5xf32>, tensor<2x6x5x5xf32>) {
  %y = mp.depthwise_conv %x, %w bias %b : tensor<5xf16> reversed window [3, 2] strides [2, 1] padding [1, 1, 0, 1] dilations [1, 1] : tensor<2x9x7x5xf16>, tensor<6x5xf32> -> tensor<2x5x7x5xf16>
  %g = mp.depthwise_conv_transpose %y, %w window [3, 2] strides [2, 1] padding [1, 1, 0, 1] dilations [1, 1] : tensor<2x5x7x5xf16>, tensor<6x5xf32> -> tensor<2x9x7x5xf32>
  %t = mp.depthwise_conv_row_sums %x, %y window [3, 2] strides [2, 1] padding [1, 1, 0, 1] dilations [1, 1] : tensor<2x9x7x5xf16>, tensor<2x5x7x5xf16> -> tensor<2x6x5x5xf32>
  return %y, %g, %t : tensor<2x5x7x5xf16>, tensor<2x9x7x5xf32>, tensor<2x6x5x5xf32>
}
