// RUN: mp-opt %s -mp-decompose | FileCheck %s
// RUN: mp-opt %s -mp-decompose=features=sm_80 | FileCheck %s --check-prefix=GPU

// CHECK-LABEL: @loss_is_the_mean_of_its_rows
func.func @loss_is_the_mean_of_its_rows(%z: tensor<4x10xf16>, %y: tensor<4xui8>) -> tensor<f32> {
  // CHECK: %[[ROWS:.*]] = mp.softmax_cross_entropy_rows %arg0, %arg1 : tensor<4x10xf16>, tensor<4xui8> -> tensor<4xf32>
  // CHECK: mp.reduce_mean %[[ROWS]] dimensions [0] : tensor<4xf32> -> tensor<f32>
  %l = mp.softmax_cross_entropy %z, %y : tensor<4x10xf16>, tensor<4xui8> -> tensor<f32>
  return %l : tensor<f32>
}

// CHECK-LABEL: @weighted_loss_is_a_weighted_mean
func.func @weighted_loss_is_a_weighted_mean(%z: tensor<4x10xf16>, %y: tensor<4xui8>, %w: tensor<4xf32>) -> tensor<f32> {
  // CHECK: %[[ROWS:.*]] = mp.softmax_cross_entropy_rows
  // CHECK: %[[WEIGHTED:.*]] = mp.mul %[[ROWS]], %arg2
  // CHECK: %[[SUM:.*]] = mp.reduce_sum %[[WEIGHTED]] dimensions [0]
  // CHECK: %[[WEIGHT:.*]] = mp.reduce_sum %arg2 dimensions [0]
  // CHECK: mp.div %[[SUM]], %[[WEIGHT]]
  %l = mp.softmax_cross_entropy %z, %y weights %w : tensor<4xf32> : tensor<4x10xf16>, tensor<4xui8> -> tensor<f32>
  return %l : tensor<f32>
}

// CHECK-LABEL: @loss_of_one_row
func.func @loss_of_one_row(%z: tensor<10xf64>, %y: tensor<i32>) -> tensor<f64> {
  // CHECK: %[[ROWS:.*]] = mp.softmax_cross_entropy_rows %arg0, %arg1 : tensor<10xf64>, tensor<i32> -> tensor<f64>
  // CHECK: return %[[ROWS]]
  %l = mp.softmax_cross_entropy %z, %y : tensor<10xf64>, tensor<i32> -> tensor<f64>
  return %l : tensor<f64>
}

// CHECK-LABEL: @gradient_of_the_mean_stays
func.func @gradient_of_the_mean_stays(%z: tensor<4x10xf16>, %y: tensor<4xui8>, %scale: tensor<f32>) -> tensor<4x10xf16> {
  // CHECK: %[[ONE:.*]] = mp.constant dense<1.000000e+00> : tensor<f32>
  // CHECK: %[[SEED:.*]] = mp.mul %[[ONE]], %arg2
  // CHECK: mp.softmax_cross_entropy_grad %arg0, %arg1, %[[SEED]]
  %one = mp.gradient_seed : tensor<f32>
  %seed = mp.scale_loss %one, %scale
  %g = mp.softmax_cross_entropy_grad %z, %y, %seed : tensor<4x10xf16>, tensor<4xui8>, tensor<f32>
  return %g : tensor<4x10xf16>
}

// CHECK-LABEL: @weighted_gradient_has_a_factor_per_row
func.func @weighted_gradient_has_a_factor_per_row(%z: tensor<4x10xf16>, %y: tensor<4xui8>, %g: tensor<f32>, %w: tensor<4xf32>) -> tensor<4x10xf16> {
  // CHECK: %[[SCALED:.*]] = mp.mul %arg3, %arg2 : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  // CHECK: %[[SUM:.*]] = mp.reduce_sum %arg3 dimensions [0]
  // CHECK: %[[FACTOR:.*]] = mp.div %[[SCALED]], %[[SUM]] : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  // CHECK: mp.softmax_cross_entropy_grad_rows %arg0, %arg1, %[[FACTOR]]
  %d = mp.softmax_cross_entropy_grad %z, %y, %g weights %w : tensor<4xf32> : tensor<4x10xf16>, tensor<4xui8>, tensor<f32>
  return %d : tensor<4x10xf16>
}

// CHECK-LABEL: @unscale_checks_the_products
// GPU-LABEL: @unscale_checks_the_products
func.func @unscale_checks_the_products(%a: tensor<300x300xf32>, %b: tensor<300xf32>, %scale: tensor<f32>) -> (tensor<300x300xf32>, tensor<300xf32>, tensor<i32>) {
  // CHECK: %[[INVERSE:.*]] = mp.div %{{.*}}, %arg2 : tensor<f32>
  // CHECK: %[[A:.*]] = mp.mul %arg0, %[[INVERSE]]
  // CHECK: %[[B:.*]] = mp.mul %arg1, %[[INVERSE]]
  // CHECK: %[[FA:.*]] = mp.nonfinite_blocks %[[A]] {block = 32768 : i64} : tensor<300x300xf32> -> tensor<3xi32>
  // A block of a GPU is 256 threads.
  // GPU: mp.nonfinite_blocks {{.*}} {block = 4096 : i64} : tensor<300x300xf32> -> tensor<22xi32>
  // CHECK: %[[FB:.*]] = mp.nonfinite_blocks %[[B]] {block = 32768 : i64} : tensor<300xf32> -> tensor<1xi32>
  // CHECK: %[[BAD:.*]] = mp.first_bad %[[FA]], %[[FB]]
  // CHECK: return %[[A]], %[[B]], %[[BAD]]
  %u:2, %bad = mp.unscale %a, %b by %scale {names = ["a", "b"]} : tensor<300x300xf32>, tensor<300xf32>
  return %u#0, %u#1, %bad : tensor<300x300xf32>, tensor<300xf32>, tensor<i32>
}

// CHECK-LABEL: @check_finite_checks_in_the_gradients_type
func.func @check_finite_checks_in_the_gradients_type(%a: tensor<8xf16>) -> tensor<i32> {
  // CHECK: %[[F:.*]] = mp.nonfinite_blocks %arg0 {block = 32768 : i64} : tensor<8xf16> -> tensor<1xi32>
  // CHECK: mp.first_bad %[[F]] : tensor<1xi32>
  %bad = mp.check_finite %a {names = ["a"]} : tensor<8xf16>
  return %bad : tensor<i32>
}

// CHECK-LABEL: @norm_sums_partial_sums
// GPU-LABEL: @norm_sums_partial_sums
func.func @norm_sums_partial_sums(%a: tensor<300x300xf32>, %b: tensor<2xf32>) -> tensor<f32> {
  // CHECK: %[[PA:.*]] = mp.sum_squares_blocks %arg0 {block = 32768 : i64} : tensor<300x300xf32> -> tensor<3xf32>
  // GPU: mp.sum_squares_blocks %arg0 {block = 4096 : i64} : tensor<300x300xf32> -> tensor<22xf32>
  // CHECK: %[[SA:.*]] = mp.reduce_sum %[[PA]] dimensions [0]
  // CHECK: %[[PB:.*]] = mp.sum_squares_blocks %arg1
  // CHECK: %[[SB:.*]] = mp.reduce_sum %[[PB]] dimensions [0]
  // CHECK: %[[SUM:.*]] = mp.add %[[SA]], %[[SB]]
  // CHECK: mp.sqrt %[[SUM]]
  %n = mp.global_norm %a, %b : tensor<300x300xf32>, tensor<2xf32>
  return %n : tensor<f32>
}

// CHECK-LABEL: @clip_keeps_a_nan
func.func @clip_keeps_a_nan(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<f32>) {
  // CHECK: %[[NORM:.*]] = mp.sqrt
  // CHECK: %[[RATIO:.*]] = mp.div
  // A ratio that is NaN is not greater than 1 and is taken as it is.
  // CHECK: %[[MORE:.*]] = mp.compare gt %[[RATIO]], %[[ONE:.*]] :
  // CHECK: %[[FACTOR:.*]] = mp.select %[[MORE]], %[[ONE]], %[[RATIO]]
  // CHECK: %[[CLIPPED:.*]] = mp.mul %arg0, %[[FACTOR]]
  // CHECK: return %[[CLIPPED]], %[[NORM]]
  %c, %n = mp.clip_by_global_norm %a {max_norm = 1.0 : f32} : tensor<2xf32>
  return %c, %n : tensor<2xf32>, tensor<f32>
}

// CHECK-LABEL: @like_is_dropped
func.func @like_is_dropped(%b: tensor<8xf32>, %x: tensor<4x8xf16>) -> (tensor<4x8xf32>, tensor<4x8xi64>) {
  // CHECK: mp.broadcast %arg0 : tensor<8xf32> -> tensor<4x8xf32>
  %0 = mp.broadcast %b like %x : tensor<4x8xf16> : tensor<8xf32> -> tensor<4x8xf32>
  // CHECK: mp.iota dimension 0 -> tensor<4x8xi64>
  %1 = mp.iota dimension 0 like %x : tensor<4x8xf16> -> tensor<4x8xi64>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xi64>
}

// CHECK-LABEL: @nothing_is_computed_of_nothing
func.func @nothing_is_computed_of_nothing(%x: tensor<0x3xf32>, %a: tensor<4x0xf16>, %b: tensor<0x2xf16>, %c: tensor<2xf16>)
    -> (tensor<0x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<4x2xf16>, tensor<4x2xf16>, tensor<i32>) {
  // CHECK-NOT: mp.relu
  // CHECK-NOT: mp.reduce
  // CHECK-NOT: mp.matmul
  // CHECK-DAG: %[[EMPTY:.*]] = mp.constant dense<> : tensor<0x3xf32>
  // CHECK-DAG: %[[SUM:.*]] = mp.constant dense<0.000000e+00> : tensor<3xf32>
  // CHECK-DAG: %[[MAX:.*]] = mp.constant dense<0xFF800000> : tensor<3xf32>
  // CHECK-DAG: %[[MEAN:.*]] = mp.constant dense<0x7FC00000> : tensor<f32>
  // CHECK-DAG: mp.constant dense<0.000000e+00> : tensor<4x2xf16>
  // CHECK-DAG: %[[ZEROS:.*]] = mp.constant dense<0.000000e+00> : tensor<4x2xf32>
  // CHECK-DAG: %[[BIAS:.*]] = mp.cast %arg3 : tensor<2xf16> -> tensor<2xf32>
  // CHECK-DAG: mp.add %[[ZEROS]], %[[BIAS]]
  // CHECK-DAG: %[[FLAG:.*]] = mp.constant dense<0> : tensor<1xi32>
  // CHECK: %[[BAD:.*]] = mp.first_bad %[[FLAG]] : tensor<1xi32>
  // CHECK: return %[[EMPTY]], %[[SUM]], %[[MAX]], %[[MEAN]],
  %0 = mp.relu %x : tensor<0x3xf32>
  %1 = mp.reduce_sum %0 dimensions [0] : tensor<0x3xf32> -> tensor<3xf32>
  %2 = mp.reduce_max %x dimensions [0] : tensor<0x3xf32> -> tensor<3xf32>
  %3 = mp.reduce_mean %x dimensions [0, 1] : tensor<0x3xf32> -> tensor<f32>
  %4 = mp.matmul %a, %b acc f16 : tensor<4x0xf16>, tensor<0x2xf16> -> tensor<4x2xf16>
  %5 = mp.matmul %a, %b bias %c : tensor<2xf16> acc f32 : tensor<4x0xf16>, tensor<0x2xf16> -> tensor<4x2xf16>
  %6 = mp.check_finite %x {names = ["x"]} : tensor<0x3xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<0x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<4x2xf16>, tensor<4x2xf16>, tensor<i32>
}

// A mask has a bit for each element and one word more.
// CHECK-LABEL: @dropout_reads_a_mask
func.func @dropout_reads_a_mask(%x: tensor<13x5xf16>, %e: tensor<0x5xf32>, %rng: tensor<2xi64>) -> (tensor<13x5xf16>, tensor<0x5xf32>) {
  // CHECK: %[[MASK:.*]] = mp.dropout_mask %arg2 {rate = 5.000000e-01 : f64, stream = 3 : i64} : tensor<3xi64>
  // CHECK: %[[KEPT:.*]] = mp.masked_dropout %arg0, %[[MASK]] {rate = 5.000000e-01 : f64} : tensor<13x5xf16>, tensor<3xi64>
  %y = mp.dropout %x, %rng {rate = 0.5, stream = 3} : tensor<13x5xf16>
  // CHECK: %[[NONE:.*]] = mp.constant dense<> : tensor<0x5xf32>
  %n = mp.dropout %e, %rng {rate = 0.5, stream = 3} : tensor<0x5xf32>
  // CHECK: return %[[KEPT]], %[[NONE]]
  return %y, %n : tensor<13x5xf16>, tensor<0x5xf32>
}

// Where a target is 0 nothing is added, whatever its logarithm.
// CHECK-LABEL: @divergence
func.func @divergence(%logs: tensor<4x3xf32>, %target: tensor<4x3xf32>) -> tensor<f32> {
  // CHECK: %[[COUNTS:.*]] = mp.compare gt %arg1
  // CHECK: mp.select %[[COUNTS]], %arg1
  // CHECK: mp.log
  // CHECK: mp.select %[[COUNTS]]
  %l = mp.kl_div %logs, %target : tensor<4x3xf32>, tensor<4x3xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// Slices taken off in turn are slices of one value: no rest is copied.
// CHECK-LABEL: @taken_off
// CHECK-DAG: mp.slice %arg0 [1:2, :] : tensor<5x3xf16> -> tensor<1x3xf16>
// CHECK-DAG: mp.slice %arg0 [2:4, :] : tensor<5x3xf16> -> tensor<2x3xf16>
// CHECK-DAG: mp.slice %arg0 [4:5, :]
func.func @taken_off(%x: tensor<5x3xf16>) -> (tensor<1x3xf16>, tensor<2x3xf16>, tensor<1x3xf16>) {
  %0, %rest = mp.split %x sizes [1, 4] dimension 0 : tensor<5x3xf16> -> tensor<1x3xf16>, tensor<4x3xf16>
  %1, %behind = mp.split %rest sizes [1, 3] dimension 0 : tensor<4x3xf16> -> tensor<1x3xf16>, tensor<3x3xf16>
  %2, %last = mp.split %behind sizes [2, 1] dimension 0 : tensor<3x3xf16> -> tensor<2x3xf16>, tensor<1x3xf16>
  return %1, %2, %last : tensor<1x3xf16>, tensor<2x3xf16>, tensor<1x3xf16>
}

// What is about gradients alone is its operand.
// CHECK-LABEL: @gradient_rules
func.func @gradient_rules(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %{{.*}}: tensor<4xf32>)
  %0 = mp.stop_gradient %x : tensor<4xf32>
  %1 = mp.straight_through %0, %y : tensor<4xf32>
  %2 = mp.reverse_gradient %1 : tensor<4xf32>
  // CHECK-NEXT: return %[[X]]
  return %2 : tensor<4xf32>
}
