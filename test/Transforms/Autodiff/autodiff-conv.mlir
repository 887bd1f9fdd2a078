// RUN: mp-opt %s -mp-autodiff -split-input-file | FileCheck %s

// The gradients of a convolution are two of its kind, with the same windows, and a sum over all pixels for the bias.
// CHECK-LABEL: func.func @train_step(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x8x8x2xf32> {{[{][^}]*[}]}}, %[[G:[a-z0-9]+]]: tensor<4x4x4x6xf32> {{[{][^}]*[}]}}, %[[W:[a-z0-9]+]]: tensor<6x3x3x1xf32>
// CHECK: mp.conv %{{.*}}, %[[W]] bias
// CHECK: mp.broadcast
// CHECK: %[[GY:.*]] = mp.mul {{.*}} : tensor<4x4x4x6xf32>
// CHECK-DAG: %[[GX:.*]] = mp.conv_transpose %[[GY]], %[[W]] acc f32 {strides = [2, 2], padding = [0, 1, 0, 1], dilations = [1, 1], groups = 2} : tensor<4x4x4x6xf32>, tensor<6x3x3x1xf32> -> tensor<4x8x8x2xf32>
// CHECK-DAG: %[[GW:.*]] = mp.conv_filter_grad %{{.*}}, %[[GY]] acc f32 {strides = [2, 2], padding = [0, 1, 0, 1], dilations = [1, 1], groups = 2} : tensor<4x8x8x2xf32>, tensor<4x4x4x6xf32> -> tensor<6x3x3x1xf32>
// CHECK-DAG: %[[GB:.*]] = mp.reduce_sum %[[GY]] dimensions [0, 1, 2] : tensor<4x4x4x6xf32> -> tensor<6xf32>
func.func @model(%x: tensor<4x8x8x2xf32> {mp.parameter = "x", mp.initializer = #mp.zeros}, %g: tensor<4x4x4x6xf32> {mp.input = "g"},
    %w: tensor<6x3x3x1xf32> {mp.parameter = "w", mp.initializer = #mp.zeros}, %b: tensor<6xf32> {mp.parameter = "b", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %y = mp.conv %x, %w bias %b : tensor<6xf32> acc f32 {strides = [2, 2], padding = same, groups = 2} : tensor<4x8x8x2xf32>, tensor<6x3x3x1xf32> -> tensor<4x4x4x6xf32>
  %p = mp.mul %y, %g : tensor<4x4x4x6xf32>, tensor<4x4x4x6xf32> -> tensor<4x4x4x6xf32>
  %l = mp.reduce_sum %p dimensions [0, 1, 2, 3] : tensor<4x4x4x6xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// Of the images of a data set no gradient is made. A wide result's gradient is rounded to the operands' type first.
// CHECK-LABEL: func.func @train_step(
// CHECK: %[[GY:.*]] = mp.cast %{{.*}} : tensor<4x6x6x3xf32> -> tensor<4x6x6x3xf16>
// CHECK-NOT: mp.conv_transpose
// CHECK: %[[GW:.*]] = mp.conv_filter_grad %{{.*}}, %[[GY]] acc f32 {{.*}} : tensor<4x8x8x2xf16>, tensor<4x6x6x3xf16> -> tensor<3x3x3x2xf16>
// CHECK: mp.cast %[[GW]] {autocast}
func.func @wide_result(%x: tensor<4x8x8x2xf16> {mp.input = "x"}, %w: tensor<3x3x3x2xf32> {mp.parameter = "w", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %wh = mp.cast %w {autocast} : tensor<3x3x3x2xf32> -> tensor<3x3x3x2xf16>
  %y = mp.conv %x, %wh acc f32 : tensor<4x8x8x2xf16>, tensor<3x3x3x2xf16> -> tensor<4x6x6x3xf32>
  %l = mp.reduce_sum %y dimensions [0, 1, 2, 3] : tensor<4x6x6x3xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// A transposed convolution has a plain one as its gradient; what was the image is the gradient of the result.
// CHECK-LABEL: func.func @train_step(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x4x4x6xf32> {{[{][^}]*[}]}}, %[[W:[a-z0-9]+]]: tensor<6x3x3x2xf32>
// CHECK: mp.conv_transpose %[[X]], %[[W]]
// CHECK: %[[GY:.*]] = mp.broadcast {{.*}} -> tensor<4x9x9x2xf32>
// CHECK-DAG: mp.conv %[[GY]], %[[W]] acc f32 {strides = [2, 2], padding = [0, 0, 0, 0], dilations = [1, 1], groups = 1} : tensor<4x9x9x2xf32>, tensor<6x3x3x2xf32> -> tensor<4x4x4x6xf32>
// CHECK-DAG: mp.conv_filter_grad %[[GY]], %[[X]] acc f32 {{.*}} : tensor<4x9x9x2xf32>, tensor<4x4x4x6xf32> -> tensor<6x3x3x2xf32>
func.func @transposed(%x: tensor<4x4x4x6xf32> {mp.parameter = "x", mp.initializer = #mp.zeros},
    %w: tensor<6x3x3x2xf32> {mp.parameter = "w", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %y = mp.conv_transpose %x, %w acc f32 {strides = [2, 2]} : tensor<4x4x4x6xf32>, tensor<6x3x3x2xf32> -> tensor<4x9x9x2xf32>
  %l = mp.reduce_sum %y dimensions [0, 1, 2, 3] : tensor<4x9x9x2xf32> -> tensor<f32>
  return %l : tensor<f32>
}
