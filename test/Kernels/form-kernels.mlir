// RUN: mp-opt %s -mp-form-kernels -mp-verify-kernels | FileCheck %s

// CHECK-LABEL: @elementwise_ops_follow_their_contraction
// CHECK-COUNT-1: mp.kernel
// CHECK-NOT: mp.kernel
// CHECK: return
func.func @elementwise_ops_follow_their_contraction(%x: tensor<4x8xf16>, %w: tensor<8x4xf16>, %r: tensor<4x4xf16>) -> tensor<4x4xf16> {
  %0 = mp.matmul %x, %w acc f32 : tensor<4x8xf16>, tensor<8x4xf16> -> tensor<4x4xf16>
  %1 = mp.relu %0 : tensor<4x4xf16>
  %2 = mp.add %1, %r : tensor<4x4xf16>, tensor<4x4xf16> -> tensor<4x4xf16>
  %3 = mp.exp %2 : tensor<4x4xf16>
  return %3 : tensor<4x4xf16>
}

// Both readers cast the weight themselves.
// CHECK-LABEL: @cast_of_an_argument_is_repeated
// CHECK: mp.kernel "matmul
// CHECK-NEXT: mp.cast %{{.*}} : tensor<8x8xf32> -> tensor<8x8xf16>
// CHECK: mp.kernel "matmul
// CHECK-NEXT: mp.cast %{{.*}} : tensor<8x8xf32> -> tensor<8x8xf16>
// CHECK-NOT: mp.kernel
// CHECK: return
func.func @cast_of_an_argument_is_repeated(%x: tensor<4x8xf16>, %w: tensor<8x8xf32>) -> tensor<4x8xf16> {
  %h = mp.cast %w : tensor<8x8xf32> -> tensor<8x8xf16>
  %0 = mp.matmul %x, %h acc f32 : tensor<4x8xf16>, tensor<8x8xf16> -> tensor<4x8xf16>
  %1 = mp.matmul %0, %h acc f32 : tensor<4x8xf16>, tensor<8x8xf16> -> tensor<4x8xf16>
  return %1 : tensor<4x8xf16>
}

// The narrow value is in memory; who reads it widens it.
// CHECK-LABEL: @widening_cast_is_repeated_and_narrowing_one_is_not
// CHECK: %[[H:.*]] = mp.kernel "matmul
// CHECK: mp.matmul
// CHECK-NEXT: mp.cast %{{.*}} : tensor<8x8xf32> -> tensor<8x8xf16>
// CHECK-NEXT: mp.yield %{{.*}} : tensor<8x8xf16>
// CHECK: mp.kernel "softmax{{.*}} = %[[H]])
// CHECK-NEXT: mp.cast %{{.*}} : tensor<8x8xf16> -> tensor<8x8xf32>
func.func @widening_cast_is_repeated_and_narrowing_one_is_not(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8xf32>) {
  %0 = mp.matmul %x, %x acc f32 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %h = mp.cast %0 : tensor<8x8xf32> -> tensor<8x8xf16>
  %f = mp.cast %h : tensor<8x8xf16> -> tensor<8x8xf32>
  %s = mp.softmax %f : tensor<8x8xf32>
  %c = mp.reduce_sum %f dimensions [0] : tensor<8x8xf32> -> tensor<8xf32>
  return %s, %c : tensor<8x8xf32>, tensor<8xf32>
}

// CHECK-LABEL: @expensive_value_is_computed_once
// CHECK: %[[E:.*]] = mp.kernel "exp
// CHECK-COUNT-1: mp.exp
// CHECK-NOT: mp.exp
// CHECK: return
func.func @expensive_value_is_computed_once(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %e = mp.exp %x : tensor<8x8xf32>
  %0 = mp.matmul %e, %x acc f32 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %1 = mp.matmul %x, %e acc f32 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// A softmax by hand: reductions over the last dimension and what lies between them are one kernel.
// CHECK-LABEL: @rows_fuse_with_what_feeds_and_follows_them
// CHECK: mp.kernel "reduce_max
// CHECK: mp.reduce_max
// CHECK-NEXT: mp.sub
// CHECK-NEXT: mp.exp
// CHECK-NEXT: mp.reduce_sum
// CHECK-NEXT: mp.div
// CHECK-NOT: mp.kernel
// CHECK: return
func.func @rows_fuse_with_what_feeds_and_follows_them(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %m = mp.reduce_max %x dimensions [1] keep_dims : tensor<4x8xf32> -> tensor<4x1xf32>
  %d = mp.sub %x, %m : tensor<4x8xf32>, tensor<4x1xf32> -> tensor<4x8xf32>
  %e = mp.exp %d : tensor<4x8xf32>
  %s = mp.reduce_sum %e dimensions [1] keep_dims : tensor<4x8xf32> -> tensor<4x1xf32>
  %y = mp.div %e, %s : tensor<4x8xf32>, tensor<4x1xf32> -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// The sums of all rows are one row of what they are multiplied with.
// CHECK-LABEL: @square_rows_wait_for_what_they_are_broadcast_from
// CHECK: mp.kernel "reduce_sum
// CHECK: mp.kernel "mul
func.func @square_rows_wait_for_what_they_are_broadcast_from(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = mp.reduce_sum %x dimensions [1] : tensor<4x4xf32> -> tensor<4xf32>
  %1 = mp.mul %x, %0 : tensor<4x4xf32>, tensor<4xf32> -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// CHECK-LABEL: @square_rows_of_widened_sums_wait_too
// CHECK: mp.kernel "reduce_sum
// CHECK: mp.kernel "mul
func.func @square_rows_of_widened_sums_wait_too(%x: tensor<4x4xf16>, %y: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>) {
  %0 = mp.reduce_sum %x dimensions [1] : tensor<4x4xf16> -> tensor<4xf16>
  %1 = mp.cast %0 : tensor<4xf16> -> tensor<4xf32>
  %2 = mp.mul %y, %1 : tensor<4x4xf32>, tensor<4xf32> -> tensor<4x4xf32>
  %3 = mp.exp %1 : tensor<4xf32>
  return %2, %3 : tensor<4x4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @columns_take_their_prologue_and_epilogue
// CHECK: mp.kernel "reduce_mean
// CHECK-NEXT: mp.exp
// CHECK-NEXT: mp.reduce_mean
// CHECK-NEXT: mp.exp
// CHECK-NOT: mp.kernel
// CHECK: return
func.func @columns_take_their_prologue_and_epilogue(%x: tensor<4x8xf32>) -> tensor<8xf32> {
  %e = mp.exp %x : tensor<4x8xf32>
  %m = mp.reduce_mean %e dimensions [0] : tensor<4x8xf32> -> tensor<8xf32>
  %l = mp.exp %m : tensor<8xf32>
  return %l : tensor<8xf32>
}

// A value that is read elsewhere, too, is no prologue of columns, whose kernel would have to write it.
// CHECK-LABEL: @columns_leave_a_map_that_others_read
// CHECK: %[[E:.*]] = mp.kernel "exp
// CHECK: mp.kernel "reduce_sum{{.*}} = %[[E]])
func.func @columns_leave_a_map_that_others_read(%x: tensor<4x8xf32>) -> (tensor<8xf32>, tensor<4x8xf32>) {
  %e = mp.exp %x : tensor<4x8xf32>
  %m = mp.reduce_sum %e dimensions [0] : tensor<4x8xf32> -> tensor<8xf32>
  return %m, %e : tensor<8xf32>, tensor<4x8xf32>
}

// The columns of the second product do not depend on those of the first.
// CHECK-LABEL: @columns_that_do_not_depend_share_a_kernel
// CHECK-COUNT-2: mp.kernel "matmul
// CHECK: mp.kernel "reduce_sum
// CHECK-NOT: mp.kernel
// CHECK: return
func.func @columns_that_do_not_depend_share_a_kernel(%x: tensor<8x8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = mp.matmul %x, %x acc f32 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %a = mp.reduce_sum %0 dimensions [0] : tensor<8x8xf32> -> tensor<8xf32>
  %1 = mp.matmul %0, %0 acc f32 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %b = mp.reduce_sum %1 dimensions [0] : tensor<8x8xf32> -> tensor<8xf32>
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// Merging these two would make a circle through the product between them.
// CHECK-LABEL: @columns_that_depend_stay_apart
// CHECK: mp.kernel "reduce_sum
// CHECK: mp.kernel "matmul
// CHECK: mp.kernel "reduce_sum
func.func @columns_that_depend_stay_apart(%x: tensor<8x8xf32>) -> (tensor<1x8xf32>, tensor<8xf32>) {
  %a = mp.reduce_sum %x dimensions [0] keep_dims : tensor<8x8xf32> -> tensor<1x8xf32>
  %1 = mp.matmul %x, %a transpose_rhs acc f32 : tensor<8x8xf32>, tensor<1x8xf32> -> tensor<8x1xf32>
  %b = mp.reduce_sum %1 dimensions [0] : tensor<8x1xf32> -> tensor<1xf32>
  %r = mp.reshape %a : tensor<1x8xf32> -> tensor<8xf32>
  %s = mp.add %r, %b : tensor<8xf32>, tensor<1xf32> -> tensor<8xf32>
  return %a, %s : tensor<1x8xf32>, tensor<8xf32>
}

// The sum reads both products, and the second reads the first: joining the first's kernel would make a circle.
// CHECK-LABEL: @epilogue_goes_to_the_last_producer
// CHECK: mp.kernel "matmul_0"
// CHECK-NEXT: mp.matmul
// CHECK-NEXT: mp.yield
// CHECK: mp.kernel "matmul_1"
// CHECK-NEXT: mp.matmul
// CHECK-NEXT: mp.sub
// CHECK-NOT: mp.kernel
// CHECK: return
func.func @epilogue_goes_to_the_last_producer(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = mp.matmul %x, %x acc f32 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %1 = mp.matmul %0, %0 acc f32 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %2 = mp.sub %0, %1 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// CHECK-LABEL: @transposes_become_flags
// CHECK-NOT: mp.transpose %
// CHECK: mp.cast
// CHECK: mp.matmul %{{.*}}, %{{.*}} transpose_lhs transpose_rhs acc f32
// CHECK-NOT: mp.transpose %
// CHECK: return
func.func @transposes_become_flags(%x: tensor<8x4xf32>, %w: tensor<2x8xf16>) -> tensor<4x2xf16> {
  %xt = mp.transpose %x permutation [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %xh = mp.cast %xt : tensor<4x8xf32> -> tensor<4x8xf16>
  %wt = mp.transpose %w permutation [1, 0] : tensor<2x8xf16> -> tensor<8x2xf16>
  %0 = mp.matmul %xh, %wt acc f32 : tensor<4x8xf16>, tensor<8x2xf16> -> tensor<4x2xf16>
  return %0 : tensor<4x2xf16>
}

// CHECK-LABEL: @batch_is_no_matrix
// CHECK: mp.transpose
// CHECK: mp.matmul
func.func @batch_is_no_matrix(%x: tensor<4x2x8xf32>, %w: tensor<2x8x8xf32>) -> tensor<2x4x8xf32> {
  %xt = mp.transpose %x permutation [1, 0, 2] : tensor<4x2x8xf32> -> tensor<2x4x8xf32>
  %0 = mp.matmul %xt, %w acc f32 : tensor<2x4x8xf32>, tensor<2x8x8xf32> -> tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}

// CHECK-LABEL: @reshape_is_a_view_and_moves_to_memory
// CHECK-NEXT: %[[V:.*]] = mp.reshape %arg0 : tensor<4x2x4xui8> -> tensor<4x8xui8>
// CHECK-NEXT: mp.kernel "matmul_0" (%{{.*}} = %[[V]]
// CHECK-NEXT: mp.cast %{{.*}} : tensor<4x8xui8> -> tensor<4x8xf32>
func.func @reshape_is_a_view_and_moves_to_memory(%x: tensor<4x2x4xui8>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %f = mp.cast %x : tensor<4x2x4xui8> -> tensor<4x2x4xf32>
  %r = mp.reshape %f : tensor<4x2x4xf32> -> tensor<4x8xf32>
  %0 = mp.matmul %r, %w acc f32 : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// A kernel cannot read a view of what it writes.
// CHECK-LABEL: @view_of_a_row_is_read_by_another_kernel
// CHECK: %[[M:.*]] = mp.kernel "reduce_max
// CHECK: %[[V:.*]] = mp.reshape %[[M]]
// CHECK: mp.kernel {{.*}} = %[[V]]
func.func @view_of_a_row_is_read_by_another_kernel(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %m = mp.reduce_max %x dimensions [1] : tensor<4x8xf32> -> tensor<4xf32>
  %r = mp.reshape %m : tensor<4xf32> -> tensor<4x1xf32>
  %d = mp.sub %x, %r : tensor<4x8xf32>, tensor<4x1xf32> -> tensor<4x8xf32>
  return %d : tensor<4x8xf32>
}

// CHECK-LABEL: @constants
// CHECK: %[[DATA:.*]] = mp.constant dense<[1.0{{.*}}, 2.0
// CHECK: mp.kernel {{.*}} = %[[DATA]]
// CHECK: mp.constant dense<3.000000e+00> : tensor<2xf32>
func.func @constants(%x: tensor<2xf32>) -> tensor<2xf32> {
  %data = mp.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %splat = mp.constant dense<3.0> : tensor<2xf32>
  %0 = mp.add %x, %data : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %1 = mp.mul %0, %splat : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// A contraction packs its operands from memory.
// CHECK-LABEL: @splat_operand_of_a_contraction_is_data
// CHECK: %[[DATA:.*]] = mp.constant dense<1.000000e+00> : tensor<8x8xf32>
// CHECK: mp.kernel "matmul_0" ({{.*}} = %[[DATA]])
func.func @splat_operand_of_a_contraction_is_data(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c = mp.constant dense<1.0> : tensor<8x8xf32>
  %0 = mp.matmul %x, %c acc f32 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// Updates wait for every kernel that reads the old state, though none of their operands depends on it.
// CHECK-LABEL: @updates_come_last
// CHECK: mp.kernel "matmul
// CHECK: mp.kernel "sgd
// CHECK-COUNT-2: mp.sgd
func.func @updates_come_last(%x: tensor<8x8xf32> {mp.input = "x"}, %w: tensor<8x8xf32> {mp.parameter = "w", mp.initializer = #mp.zeros},
    %b: tensor<8xf32> {mp.parameter = "b", mp.initializer = #mp.zeros}, %lr: tensor<f32> {mp.state = "learning_rate", mp.initializer = #mp.zeros})
    -> (tensor<8x8xf32> {mp.next = "w"}, tensor<8xf32> {mp.next = "b"}, tensor<8x8xf32> {mp.output = "y"}) attributes {mp.program = "apply"} {
  %0 = mp.sgd %w, %x, %lr : tensor<8x8xf32>
  %1 = mp.sgd %b, %b, %lr : tensor<8xf32>
  %2 = mp.matmul %x, %w acc f32 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  return %0, %1, %2 : tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: @dead_ops_are_in_no_kernel
// CHECK-NEXT: return
func.func @dead_ops_are_in_no_kernel(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mp.exp %x : tensor<8xf32>
  return %x : tensor<8xf32>
}

// Columns of each of two matrices, and the map of what they sum to.
// CHECK-LABEL: @reduction_over_the_middle_is_columns
// CHECK: mp.kernel "reduce_sum
// CHECK-NEXT: mp.reduce_sum
// CHECK-NEXT: mp.relu
// CHECK-NOT: mp.kernel
func.func @reduction_over_the_middle_is_columns(%x: tensor<2x3x4xf32>) -> tensor<2x4xf32> {
  %0 = mp.reduce_sum %x dimensions [1] : tensor<2x3x4xf32> -> tensor<2x4xf32>
  %1 = mp.relu %0 : tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// CHECK-LABEL: @reduction_that_leaves_one_between_is_serial
// CHECK: mp.kernel "reduce_sum
// CHECK-NEXT: mp.reduce_sum
// CHECK: mp.kernel "relu
func.func @reduction_that_leaves_one_between_is_serial(%x: tensor<2x3x4x5xf32>) -> tensor<3x5xf32> {
  %0 = mp.reduce_sum %x dimensions [0, 2] : tensor<2x3x4x5xf32> -> tensor<3x5xf32>
  %1 = mp.relu %0 : tensor<3x5xf32>
  return %1 : tensor<3x5xf32>
}

// A view is of memory: what makes it and what reads it are two kernels, also where both are of scalars.
// CHECK-LABEL: @view_of_a_scalar_lies_in_memory
// CHECK: %[[S:.*]] = mp.kernel "reduce_sum
// CHECK: %[[V:.*]] = mp.reshape %[[S]]
// CHECK: mp.kernel "reduce_mean{{.*}} = %[[V]])
// CHECK: return
func.func @view_of_a_scalar_lies_in_memory(%x: tensor<5xf32>) -> tensor<f32> {
  %0 = mp.reduce_sum %x dimensions [0] : tensor<5xf32> -> tensor<f32>
  %1 = mp.reshape %0 : tensor<f32> -> tensor<1xf32>
  %2 = mp.reduce_mean %1 dimensions [0] : tensor<1xf32> -> tensor<f32>
  return %2 : tensor<f32>
}
