// RUN: mp-opt %s -mp-specialize="batch=4 pad" | FileCheck %s
// RUN: mp-opt %s -mp-specialize="batch=4 pad" -mp-specialize="batch=4 pad" | FileCheck %s

// CHECK-LABEL: func.func @the_loss_weighs_rows(
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: tensor<4xf32> {mp.batched, mp.row_weights})
func.func @the_loss_weighs_rows(%z: tensor<?x5xf32> {mp.input = "z"}, %y: tensor<?xui8> {mp.input = "y"}) -> (tensor<f32> {mp.loss})
    attributes {mp.program = "model"} {
  // CHECK: mp.softmax_cross_entropy %{{.*}}, %{{.*}} weights %[[ROWS]] : tensor<4xf32>
  %l = mp.softmax_cross_entropy %z, %y : tensor<?x5xf32>, tensor<?xui8> -> tensor<f32>
  return %l : tensor<f32>
}

// CHECK-LABEL: func.func @own_weights_are_kept(
// CHECK-SAME: %[[OWN:[a-z0-9]+]]: tensor<4xf32> {mp.batched, mp.input = "w"}
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: tensor<4xf32> {mp.batched, mp.row_weights})
func.func @own_weights_are_kept(%z: tensor<?x5xf32> {mp.input = "z"}, %y: tensor<?xui8> {mp.input = "y"}, %w: tensor<?xf32> {mp.input = "w"})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  // CHECK: %[[BOTH:.*]] = mp.mul %[[OWN]], %[[ROWS]]
  // CHECK: weights %[[BOTH]]
  %l = mp.softmax_cross_entropy %z, %y weights %w : tensor<?xf32> : tensor<?x5xf32>, tensor<?xui8> -> tensor<f32>
  return %l : tensor<f32>
}

// A row of a sequence model holds several predictions; each has its row's weight.
// CHECK-LABEL: func.func @weights_repeat_within_a_row(
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: tensor<4xf32> {mp.batched, mp.row_weights})
func.func @weights_repeat_within_a_row(%z: tensor<?x7x5xf64> {mp.input = "z"}, %y: tensor<?x7xi32> {mp.input = "y"})
    -> (tensor<f64> {mp.loss}) attributes {mp.program = "model"} {
  // CHECK: %[[WIDE:.*]] = mp.cast %[[ROWS]] : tensor<4xf32> -> tensor<4xf64>
  // CHECK: %[[COLUMN:.*]] = mp.reshape %[[WIDE]] : tensor<4xf64> -> tensor<4x1xf64>
  // CHECK: %[[ALL:.*]] = mp.broadcast %[[COLUMN]] : tensor<4x1xf64> -> tensor<4x7xf64>
  // CHECK: weights %[[ALL]]
  %l = mp.softmax_cross_entropy %z, %y : tensor<?x7x5xf64>, tensor<?x7xi32> -> tensor<f64>
  return %l : tensor<f64>
}

// CHECK-LABEL: func.func @only_models_take_row_weights(
// CHECK-NOT: mp.row_weights
func.func @only_models_take_row_weights(%x: tensor<?xf32> {mp.input = "x"}) -> (tensor<?xf32> {mp.output = "y"})
    attributes {mp.program = "infer"} {
  return %x : tensor<?xf32>
}
