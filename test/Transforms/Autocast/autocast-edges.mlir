// RUN: mp-opt %s -mp-autocast | FileCheck %s
// RUN: mp-opt %s -mp-autocast -o %t.once && mp-opt %t.once -mp-autocast | diff %t.once -
// RUN: mp-opt %s -mp-autocast="deny=mp.reduce_sum,loc:sums/* allow=mp.reduce_sum[keep_dims]" | FileCheck %s --check-prefix=RULES

// Integers and truths have no precision: what reads them keeps their types, whatever else it reads.
// CHECK-LABEL: func.func @integers_and_truths(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4x4xf32>, %[[I:[^:]*]]: tensor<4x4xi32>, %[[C:[^:]*]]: tensor<4x4xi1>
// CHECK: %[[H:.*]] = mp.matmul {{.*}} -> tensor<4x4xf16>
// CHECK: mp.add %[[I]], %[[I]] : tensor<4x4xi32>, tensor<4x4xi32> -> tensor<4x4xi32>
// CHECK: mp.select %[[C]], %[[H]], %[[H]] : tensor<4x4xi1>, tensor<4x4xf16>, tensor<4x4xf16> -> tensor<4x4xf16>
// CHECK: mp.logical_not %[[C]] : tensor<4x4xi1>
// A cast of integers is the user's and stays f32; the f16 it meets becomes that.
// CHECK: %[[F:.*]] = mp.cast %{{.*}} : tensor<4x4xi32> -> tensor<4x4xf32>
// CHECK: mp.mul %{{.*}}, %[[F]] : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
func.func @integers_and_truths(%x: tensor<4x4xf32>, %i: tensor<4x4xi32>, %c: tensor<4x4xi1>) -> (tensor<4x4xf32>, tensor<4x4xi1>) {
  %0 = mp.matmul %x, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = mp.add %i, %i : tensor<4x4xi32>, tensor<4x4xi32> -> tensor<4x4xi32>
  %2 = mp.select %c, %0, %0 : tensor<4x4xi1>, tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %3 = mp.logical_not %c : tensor<4x4xi1>
  %4 = mp.cast %1 : tensor<4x4xi32> -> tensor<4x4xf32>
  %5 = mp.mul %2, %4 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %5, %3 : tensor<4x4xf32>, tensor<4x4xi1>
}

// f64 beside f32: each chain has its type, and no cast joins them but the user's.
// CHECK-LABEL: func.func @f64_beside_f32(
// CHECK: mp.matmul {{.*}} -> tensor<4x4xf16>
// CHECK: mp.matmul {{.*}} -> tensor<4x4xf64>
// CHECK: mp.cast %{{.*}} : tensor<4x4xf64> -> tensor<4x4xf32>
func.func @f64_beside_f32(%x: tensor<4x4xf32>, %d: tensor<4x4xf64>) -> (tensor<4x4xf32>, tensor<4x4xf64>) {
  %0 = mp.matmul %x, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = mp.matmul %d, %d acc f64 : tensor<4x4xf64>, tensor<4x4xf64> -> tensor<4x4xf64>
  %2 = mp.cast %1 : tensor<4x4xf64> -> tensor<4x4xf32>
  %3 = mp.add %0, %2 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %3, %1 : tensor<4x4xf32>, tensor<4x4xf64>
}

// A weight of three layers, one of them in bf16: a cast for each type, none for each layer.
// CHECK-LABEL: func.func @a_shared_weight(
// CHECK-SAME: %[[X:[^:]*]]: tensor<4x4xf32>, %[[W:[^:]*]]: tensor<4x4xf32>
// CHECK: mp.cast %[[W]] {autocast} : tensor<4x4xf32> -> tensor<4x4xf16>
// CHECK-NOT: mp.cast %[[W]] {autocast} : tensor<4x4xf32> -> tensor<4x4xf16>
// CHECK: mp.cast %[[W]] {autocast} : tensor<4x4xf32> -> tensor<4x4xbf16>
// CHECK-NOT: mp.cast %[[W]]
// CHECK: return
func.func @a_shared_weight(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = mp.matmul %x, %w acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = mp.matmul %0, %w acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %2 = mp.autocast type = bf16 -> (tensor<4x4xf32>) {
    %3 = mp.matmul %1, %w acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    mp.yield %3 : tensor<4x4xf32>
  }
  return %2 : tensor<4x4xf32>
}

// An f16 value that ops read as f16, f32 and bf16: one cast for each type that it lacks, and the result as it was.
// CHECK-LABEL: func.func @users_in_several_types(
// CHECK: %[[Z:.*]] = mp.matmul {{.*}} -> tensor<4x4xf16>
// CHECK-DAG: %[[F:.*]] = mp.cast %[[Z]] {autocast} : tensor<4x4xf16> -> tensor<4x4xf32>
// CHECK-DAG: mp.relu %[[Z]] : tensor<4x4xf16>
// CHECK-DAG: mp.exp %[[F]] : tensor<4x4xf32>
// CHECK-DAG: mp.softmax %[[F]] : tensor<4x4xf32>
// CHECK-DAG: mp.cast %[[Z]] {autocast} : tensor<4x4xf16> -> tensor<4x4xbf16>
// CHECK: return %{{.*}}, %[[F]]
func.func @users_in_several_types(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = mp.matmul %x, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = mp.relu %0 : tensor<4x4xf32>
  %2 = mp.exp %0 : tensor<4x4xf32>
  %3 = mp.softmax %0 : tensor<4x4xf32>
  %4 = mp.autocast type = bf16 -> (tensor<4x4xf32>) {
    %5 = mp.matmul %0, %1 acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    mp.yield %5 : tensor<4x4xf32>
  }
  return %2, %0, %3, %4 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// A value that leaves an enabled region inside a disabled one is what it is there, and read in the other's type outside.
// CHECK-LABEL: func.func @out_of_two_regions(
// CHECK: %[[Z:.*]] = mp.matmul {{.*}} -> tensor<4x4xf16>
// CHECK: mp.matmul {{.*}} {mp.precision = f32} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
// CHECK: mp.relu %[[Z]] : tensor<4x4xf16>
func.func @out_of_two_regions(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0:2 = mp.autocast enabled = false -> (tensor<4x4xf32>, tensor<4x4xf32>) {
    %1 = mp.autocast -> (tensor<4x4xf32>) {
      %2 = mp.matmul %x, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      mp.yield %2 : tensor<4x4xf32>
    }
    %3 = mp.matmul %1, %1 acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    mp.yield %1, %3 : tensor<4x4xf32>, tensor<4x4xf32>
  }
  %4 = mp.relu %0#0 : tensor<4x4xf32>
  return %4, %0#1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// One op that every kind of rule speaks of: the attribute on the op, then its place, then its attribute, then its name.
// RULES-LABEL: func.func @ops_that_several_rules_list(
// RULES: mp.reduce_sum {{.*}} dimensions [1] : tensor<4x4xf32> -> tensor<4xf32>
// RULES: mp.reduce_sum {{.*}} keep_dims : tensor<4x4xf16> -> tensor<4x1xf16>
// RULES: mp.reduce_sum {{.*}} keep_dims : tensor<4x4xf32> -> tensor<4x1xf32>
// RULES: mp.reduce_sum {{.*}} keep_dims {mp.precision = bf16} : tensor<4x4xbf16> -> tensor<4x1xbf16>
// RULES: mp.reduce_sum {{.*}} dimensions [0] {mp.precision = f32} : tensor<4x4xf32> -> tensor<4xf32>
func.func @ops_that_several_rules_list(%x: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4xf32>) {
  %0 = mp.matmul %x, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = mp.reduce_sum %0 dimensions [1] : tensor<4x4xf32> -> tensor<4xf32>
  %2 = mp.reduce_sum %0 dimensions [1] keep_dims : tensor<4x4xf32> -> tensor<4x1xf32>
  %3 = mp.reduce_sum %0 dimensions [1] keep_dims : tensor<4x4xf32> -> tensor<4x1xf32> loc("sums/place")
  %4 = mp.reduce_sum %0 dimensions [1] keep_dims {mp.precision = bf16} : tensor<4x4xf32> -> tensor<4x1xf32> loc("sums/op")
  %5 = mp.reduce_sum %0 dimensions [0] {mp.precision = f32} : tensor<4x4xf32> -> tensor<4xf32> loc("kept")
  return %1, %2, %3, %4, %5 : tensor<4xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4xf32>
}
