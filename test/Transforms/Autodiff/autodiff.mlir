// RUN: mp-opt %s -mp-autodiff -split-input-file | FileCheck %s

// A model becomes a training step: the output is gone, the metric stays, gradients come last.
// CHECK-LABEL: func.func @train_step(
// CHECK-SAME: -> (tensor<f32> {mp.loss}, tensor<4xf32> {mp.metric = "first"}, tensor<8x2xf32> {mp.gradient = "w"})
// CHECK-SAME: mp.program = "train_step"
// CHECK-NOT: mp.exp
// CHECK: %[[ONE:.*]] = mp.gradient_seed : tensor<f32>
// CHECK: %[[GZ:.*]] = mp.softmax_cross_entropy_grad %{{.*}}, %{{.*}}, %[[ONE]]
// CHECK: %[[GW:.*]] = mp.matmul %{{.*}}, %[[GZ]] transpose_lhs acc f32
// CHECK-NOT: mp.matmul
// CHECK: return %{{.*}}, %{{.*}}, %[[GW]]
func.func @model(%x: tensor<4x8xf32> {mp.input = "x"}, %y: tensor<4xui8> {mp.input = "y"},
    %w: tensor<8x2xf32> {mp.parameter = "w", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}, tensor<4x2xf32> {mp.output = "e"}, tensor<4xf32> {mp.metric = "first"})
    attributes {mp.program = "model"} {
  %z = mp.matmul %x, %w acc f32 : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  %l = mp.softmax_cross_entropy %z, %y : tensor<4x2xf32>, tensor<4xui8> -> tensor<f32>
  %e = mp.exp %z : tensor<4x2xf32>
  %m = mp.reduce_max %z dimensions [1] : tensor<4x2xf32> -> tensor<4xf32>
  return %l, %e, %m : tensor<f32>, tensor<4x2xf32>, tensor<4xf32>
}

// -----

// Backward has forward's types, and the gradient of a marked cast is marked.
// CHECK-LABEL: func.func @train_step(
// CHECK: mp.softmax_cross_entropy_grad {{.*}} : tensor<4x2xf16>, tensor<4xui8>, tensor<f32>
// CHECK: %[[GH:.*]] = mp.matmul {{.*}} transpose_lhs acc f32 : tensor<4x8xf16>, tensor<4x2xf16> -> tensor<8x2xf16>
// CHECK: mp.cast %[[GH]] {autocast} : tensor<8x2xf16> -> tensor<8x2xf32>
func.func @half(%x: tensor<4x8xf16> {mp.input = "x"}, %y: tensor<4xui8> {mp.input = "y"},
    %w: tensor<8x2xf32> {mp.parameter = "w", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %wh = mp.cast %w {autocast} : tensor<8x2xf32> -> tensor<8x2xf16>
  %z = mp.matmul %x, %wh acc f32 : tensor<4x8xf16>, tensor<8x2xf16> -> tensor<4x2xf16>
  %l = mp.softmax_cross_entropy %z, %y : tensor<4x2xf16>, tensor<4xui8> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// Three uses of one parameter: two sums, in the order of the last user first.
// CHECK-LABEL: func.func @train_step(
// CHECK: %[[LAST:.*]] = mp.mul %{{.*}}, %{{.*}}
// CHECK-COUNT-2: mp.add {{.*}} : tensor<f32>, tensor<f32> -> tensor<f32>
// CHECK-NOT: mp.add
// CHECK: return
func.func @fan_out(%w: tensor<f32> {mp.parameter = "w", mp.initializer = #mp.ones})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %a = mp.relu %w : tensor<f32>
  %b = mp.mul %a, %w : tensor<f32>, tensor<f32> -> tensor<f32>
  %c = mp.mul %b, %w : tensor<f32>, tensor<f32> -> tensor<f32>
  return %c : tensor<f32>
}
