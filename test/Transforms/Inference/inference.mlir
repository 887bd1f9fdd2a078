// RUN: mp-opt %s -mp-specialize=batch=4 -mp-inference -split-input-file | FileCheck %s

// The model stays as it is.
// CHECK-LABEL: func.func @model(
// CHECK-SAME: mp.program = "model"
// CHECK: mp.dropout

// Evaluation: every input, weights for the rows, no randomness, nothing written.
// CHECK-LABEL: func.func @eval(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x8xf32> {mp.batched, mp.input = "x"}
// CHECK-SAME: mp.input = "y"
// CHECK-SAME: %[[MEAN:[a-z0-9]+]]: tensor<8xf32> {{{.*}}mp.state = "mean"}
// CHECK-NOT: mp.state = "rng"
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: tensor<4xf32> {mp.batched, mp.row_weights}
// CHECK-SAME: -> (tensor<f32> {mp.loss}, tensor<4x2xf32> {mp.batched, mp.output = "z"}, tensor<4xf32> {mp.batched, mp.metric = "first"})
// CHECK-SAME: mp.program = "eval"
// CHECK-NOT: mp.dropout
// CHECK: mp.sub %[[X]], %[[MEAN]]
// CHECK-NOT: mp.add
// CHECK: mp.softmax_cross_entropy {{.*}} weights %[[ROWS]]

// Inference: what the outputs need.
// CHECK-LABEL: func.func @infer(
// CHECK-NOT: mp.input = "y"
// CHECK-NOT: mp.row_weights
// CHECK-SAME: -> (tensor<4x2xf32> {mp.batched, mp.output = "z"})
// CHECK-SAME: mp.program = "infer"
// CHECK-NOT: mp.softmax_cross_entropy
// CHECK-NOT: mp.reduce_max
func.func @model(%x: tensor<?x8xf32> {mp.input = "x"}, %y: tensor<?xui8> {mp.input = "y"},
    %w: tensor<8x2xf32> {mp.parameter = "w", mp.initializer = #mp.zeros}, %mean: tensor<8xf32> {mp.state = "mean", mp.initializer = #mp.zeros},
    %rng: tensor<2xi64> {mp.state = "rng"})
    -> (tensor<f32> {mp.loss}, tensor<?x2xf32> {mp.output = "z"}, tensor<?xf32> {mp.metric = "first"}, tensor<8xf32> {mp.next = "mean"})
    attributes {mp.program = "model"} {
  %c = mp.sub %x, %mean : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
  %d = mp.dropout %c, %rng {rate = 0.5, stream = 1} : tensor<?x8xf32>
  %z = mp.matmul %d, %w acc f32 : tensor<?x8xf32>, tensor<8x2xf32> -> tensor<?x2xf32>
  %l = mp.softmax_cross_entropy %z, %y : tensor<?x2xf32>, tensor<?xui8> -> tensor<f32>
  %m = mp.reduce_max %z dimensions [1] : tensor<?x2xf32> -> tensor<?xf32>
  %n = mp.add %mean, %mean : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  return %l, %z, %m, %n : tensor<f32>, tensor<?x2xf32>, tensor<?xf32>, tensor<8xf32>
}

// -----

// Without outputs there is nothing to infer; types are training's.
// CHECK-LABEL: func.func @losing(
// CHECK-LABEL: func.func @eval(
// CHECK: mp.cast %{{.*}} {autocast} : tensor<f32> -> tensor<f16>
// CHECK-NOT: func.func
func.func @losing(%w: tensor<f32> {mp.parameter = "w", mp.initializer = #mp.zeros}) -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %h = mp.cast %w {autocast} : tensor<f32> -> tensor<f16>
  %l = mp.cast %h : tensor<f16> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// Without loss and metric there is nothing to evaluate; dropout whose result is the output is gone, too.
// CHECK-LABEL: func.func @silent(
// CHECK-LABEL: func.func @infer(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>
// CHECK-NEXT: return %[[X]]
// CHECK-NOT: func.func
func.func @silent(%x: tensor<?xf32> {mp.input = "x"}, %rng: tensor<2xi64> {mp.state = "rng"}) -> (tensor<?xf32> {mp.output = "x"})
    attributes {mp.program = "model"} {
  %d = mp.dropout %x, %rng {rate = 0.5, stream = 1} : tensor<?xf32>
  return %d : tensor<?xf32>
}

// -----

// Two models, two of each.
// CHECK: func.func @one(
// CHECK: func.func @infer(
// CHECK: func.func @two(
// CHECK: func.func @infer_0(
func.func @one(%x: tensor<?xf32> {mp.input = "x"}) -> (tensor<?xf32> {mp.output = "x"}) attributes {mp.program = "model"} {
  return %x : tensor<?xf32>
}
func.func @two(%x: tensor<?xf32> {mp.input = "x"}) -> (tensor<?xf32> {mp.output = "x"}) attributes {mp.program = "model"} {
  return %x : tensor<?xf32>
}
