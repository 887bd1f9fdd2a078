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

// A mean over rows is one over the rows that count, whatever the others hold.
// CHECK-LABEL: func.func @a_mean_is_written_with_weights(
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: tensor<4xf32> {mp.batched, mp.row_weights})
func.func @a_mean_is_written_with_weights(%x: tensor<?x3xf16> {mp.input = "x"}) -> (tensor<f16> {mp.output = "y"})
    attributes {mp.program = "model"} {
  // CHECK: %[[WIDE:.*]] = mp.cast %{{.*}} : tensor<4x3xf16> -> tensor<4x3xf32>
  // CHECK: %[[COLUMN:.*]] = mp.reshape %[[ROWS]] : tensor<4xf32> -> tensor<4x1xf32>
  // CHECK: %[[COUNTS:.*]] = mp.compare gt %[[COLUMN]], %[[ZERO:.*]] : tensor<4x1xf32>, tensor<f32>
  // CHECK: %[[PRODUCT:.*]] = mp.mul %[[WIDE]], %[[COLUMN]]
  // CHECK: %[[WEIGHED:.*]] = mp.select %[[COUNTS]], %[[PRODUCT]], %[[ZERO]]
  // CHECK: %[[SUM:.*]] = mp.reduce_sum %[[WEIGHED]] dimensions [0, 1]
  // CHECK: %[[ALL:.*]] = mp.reduce_sum %[[ROWS]] dimensions [0]
  // CHECK: %[[COUNT:.*]] = mp.mul %[[ALL]], %{{.*}} : tensor<f32>, tensor<f32>
  // CHECK: %[[MEAN:.*]] = mp.div %[[SUM]], %[[COUNT]]
  // CHECK: %[[NARROW:.*]] = mp.cast %[[MEAN]] : tensor<f32> -> tensor<f16>
  // CHECK: return %[[NARROW]]
  %y = mp.reduce_mean %x dimensions [0, 1] : tensor<?x3xf16> -> tensor<f16>
  return %y : tensor<f16>
}

// Two steps: of each row, then of the rows.
// CHECK-LABEL: func.func @a_sum_has_rows_of_its_own(
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: tensor<4xf32> {mp.batched, mp.row_weights})
func.func @a_sum_has_rows_of_its_own(%x: tensor<?x3xf32> {mp.input = "x"}) -> (tensor<f32> {mp.loss})
    attributes {mp.program = "model"} {
  // CHECK: %[[EACH:.*]] = mp.reduce_mean %{{.*}} dimensions [1] : tensor<4x3xf32> -> tensor<4xf32>
  // CHECK: mp.mul %[[EACH]], %{{.*}} : tensor<4xf32>, tensor<4xf32>
  // CHECK-NOT: mp.div
  %r = mp.reduce_mean %x dimensions [1] : tensor<?x3xf32> -> tensor<?xf32>
  %y = mp.reduce_sum %r dimensions [0] : tensor<?xf32> -> tensor<f32>
  return %y : tensor<f32>
}

// CHECK-LABEL: func.func @only_models_take_row_weights(
// CHECK-NOT: mp.row_weights
func.func @only_models_take_row_weights(%x: tensor<?xf32> {mp.input = "x"}) -> (tensor<?xf32> {mp.output = "y"})
    attributes {mp.program = "infer"} {
  return %x : tensor<?xf32>
}
