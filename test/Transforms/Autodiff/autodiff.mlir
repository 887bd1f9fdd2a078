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

// -----

// Gradients of several types of operand meet in none: labels, masks and inputs get none, and nothing is computed for them.
// CHECK-LABEL: func.func @train_step(
// CHECK: mp.gradient_seed
// CHECK-NEXT: mp.reshape
// CHECK-NEXT: mp.broadcast
// CHECK-NEXT: mp.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[GS:.*]] = mp.select
// CHECK-NEXT: return %{{.*}}, %[[GS]]
func.func @only_parameters(%x: tensor<8xf32> {mp.input = "x"}, %w: tensor<8xf32> {mp.parameter = "w", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %c = mp.compare gt %x, %w : tensor<8xf32>, tensor<8xf32> -> tensor<8xi1>
  %s = mp.select %c, %w, %x : tensor<8xi1>, tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  %l = mp.reduce_sum %s dimensions [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// A broadcast operand's gradient is summed back, in f32 inside the reduction.
// CHECK-LABEL: func.func @train_step(
// CHECK: %[[S:.*]] = mp.reduce_sum %{{.*}} dimensions [0, 1] : tensor<4x2x8xf16> -> tensor<8xf16>
// CHECK: %[[R:.*]] = mp.reshape %[[S]] : tensor<8xf16> -> tensor<1x8xf16>
// CHECK: return %{{.*}}, %[[R]]
func.func @broadcast_back(%x: tensor<4x2x8xf16> {mp.input = "x"}, %w: tensor<1x8xf16> {mp.parameter = "w", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %y = mp.mul %x, %w : tensor<4x2x8xf16>, tensor<1x8xf16> -> tensor<4x2x8xf16>
  %f = mp.cast %y : tensor<4x2x8xf16> -> tensor<4x2x8xf32>
  %l = mp.reduce_sum %f dimensions [0, 1, 2] : tensor<4x2x8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// One matrix for every batch: one product over all rows, summed in the accumulator.
// CHECK-LABEL: func.func @train_step(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<3x4x8xf16>
// CHECK: %[[ROWS:.*]] = mp.reshape %[[X]] : tensor<3x4x8xf16> -> tensor<12x8xf16>
// CHECK: %[[G:.*]] = mp.reshape %{{.*}} : tensor<3x4x2xf16> -> tensor<12x2xf16>
// CHECK: mp.matmul %[[ROWS]], %[[G]] transpose_lhs acc f32 : tensor<12x8xf16>, tensor<12x2xf16> -> tensor<8x2xf16>
func.func @shared_matrix(%x: tensor<3x4x8xf16> {mp.input = "x"}, %w: tensor<8x2xf16> {mp.parameter = "w", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %z = mp.matmul %x, %w acc f32 : tensor<3x4x8xf16>, tensor<8x2xf16> -> tensor<3x4x2xf16>
  %f = mp.cast %z : tensor<3x4x2xf16> -> tensor<3x4x2xf32>
  %l = mp.reduce_sum %f dimensions [0, 1, 2] : tensor<3x4x2xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// A wide bias of a narrow product is summed wide; a narrow one is rounded once, after the sum.
// CHECK-LABEL: func.func @train_step(
// CHECK: %[[WIDE:.*]] = mp.cast %{{.*}} : tensor<4x2xf16> -> tensor<4x2xf32>
// CHECK: mp.reduce_sum %[[WIDE]] dimensions [0] : tensor<4x2xf32> -> tensor<2xf32>
func.func @wide_bias(%x: tensor<4x8xf16> {mp.input = "x"}, %y: tensor<4xui8> {mp.input = "y"}, %w: tensor<8x2xf16> {mp.input = "w"},
    %b: tensor<2xf32> {mp.parameter = "b", mp.initializer = #mp.zeros}) -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %z = mp.matmul %x, %w bias %b : tensor<2xf32> acc f32 : tensor<4x8xf16>, tensor<8x2xf16> -> tensor<4x2xf16>
  %l = mp.softmax_cross_entropy %z, %y : tensor<4x2xf16>, tensor<4xui8> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @train_step(
// CHECK: %[[SUM:.*]] = mp.reduce_sum %{{.*}} dimensions [0] : tensor<4x2xf32> -> tensor<2xf32>
// CHECK: mp.cast %[[SUM]] : tensor<2xf32> -> tensor<2xf16>
func.func @narrow_bias(%x: tensor<4x8xf16> {mp.input = "x"}, %y: tensor<4xui8> {mp.input = "y"}, %w: tensor<8x2xf16> {mp.input = "w"},
    %b: tensor<2xf16> {mp.parameter = "b", mp.initializer = #mp.zeros}) -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %z = mp.matmul %x, %w bias %b : tensor<2xf16> acc f32 : tensor<4x8xf16>, tensor<8x2xf16> -> tensor<4x2xf32>
  %l = mp.softmax_cross_entropy %z, %y : tensor<4x2xf32>, tensor<4xui8> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// The count of a mean is beyond f16's range: it is divided by in f32.
// CHECK-LABEL: func.func @train_step(
// CHECK: mp.constant dense<1.000000e+05> : tensor<f32>
// CHECK: mp.div {{.*}} : tensor<f32>, tensor<f32> -> tensor<f32>
// CHECK: mp.cast {{.*}} : tensor<f32> -> tensor<f16>
// CHECK: mp.broadcast {{.*}} -> tensor<100000xf16>
func.func @long_mean(%w: tensor<100000xf16> {mp.parameter = "w", mp.initializer = #mp.zeros}) -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %m = mp.reduce_mean %w dimensions [0] : tensor<100000xf16> -> tensor<f16>
  %l = mp.cast %m : tensor<f16> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// The mask of dropout is recomputed from the same stream.
// CHECK-LABEL: func.func @train_step(
// CHECK-SAME: %[[RNG:[a-z0-9]+]]: tensor<2xi64>
// CHECK-COUNT-2: mp.dropout %{{.*}}, %[[RNG]] {rate = 2.500000e-01 : f64, stream = 7 : i64}
func.func @dropout(%w: tensor<8xf32> {mp.parameter = "w", mp.initializer = #mp.zeros}, %rng: tensor<2xi64> {mp.state = "rng"})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %d = mp.dropout %w, %rng {rate = 0.25, stream = 7} : tensor<8xf32>
  %l = mp.reduce_sum %d dimensions [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// An f64 loss has an f64 seed.
// CHECK-LABEL: func.func @train_step(
// CHECK: mp.gradient_seed : tensor<f64>
func.func @double(%w: tensor<f64> {mp.parameter = "w", mp.initializer = #mp.zeros}) -> (tensor<f64> {mp.loss}) attributes {mp.program = "model"} {
  %l = mp.exp %w : tensor<f64>
  return %l : tensor<f64>
}

// -----

// A program that is no model stays.
// CHECK-LABEL: func.func @step(
// CHECK-NEXT: return
func.func @step(%w: tensor<f32> {mp.parameter = "w", mp.initializer = #mp.zeros}) -> (tensor<f32> {mp.loss}) attributes {mp.program = "train_step"} {
  return %w : tensor<f32>
}
