// RUN: mp-opt %s -mp-autocast -o %t.once
// RUN: FileCheck %s < %t.once
// A second run changes nothing more, though the regions are gone.
// RUN: mp-opt %t.once -mp-autocast | diff %t.once -
// RUN: mp-opt %s -mp-autocast=policy=float32 | FileCheck %s --check-prefix=OFF

// CHECK-NOT: mp.autocast
// OFF-NOT: mp.autocast

// Where autocast is off, a value has the type that it has in the input.
// CHECK-LABEL: func.func @off(
// CHECK: %[[Z:.*]] = mp.matmul {{.*}} -> tensor<4x4xf16>
// CHECK: %[[F:.*]] = mp.cast %[[Z]] {autocast} : tensor<4x4xf16> -> tensor<4x4xf32>
// CHECK: %[[O:.*]] = mp.matmul %[[F]], %[[F]] acc f32 {mp.precision = f32} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
// CHECK: return %[[O]]
func.func @off(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = mp.matmul %x, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = mp.autocast enabled = false -> (tensor<4x4xf32>) {
    %2 = mp.matmul %0, %0 acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    mp.yield %2 : tensor<4x4xf32>
  }
  return %1 : tensor<4x4xf32>
}

// The innermost region wins.
// CHECK-LABEL: func.func @nested(
// CHECK: mp.matmul {{.*}} {mp.precision = bf16} : tensor<4x4xbf16>, tensor<4x4xbf16> -> tensor<4x4xbf16>
// CHECK: mp.matmul {{.*}} {mp.precision = f32} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
// CHECK: mp.matmul {{.*}} : tensor<4x4xf16>, tensor<4x4xf16> -> tensor<4x4xf16>
// A region's type is heard where the policy has none.
// OFF-LABEL: func.func @nested(
// OFF: mp.matmul {{.*}} {mp.precision = bf16} : tensor<4x4xbf16>, tensor<4x4xbf16> -> tensor<4x4xbf16>
// OFF: mp.matmul {{.*}} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
// OFF: mp.matmul {{.*}} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
func.func @nested(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = mp.autocast enabled = false -> (tensor<4x4xf32>) {
    %1 = mp.autocast type = bf16 -> (tensor<4x4xf32>) {
      %2 = mp.matmul %x, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      mp.yield %2 : tensor<4x4xf32>
    }
    %3 = mp.matmul %1, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    %4 = mp.autocast -> (tensor<4x4xf32>) {
      %5 = mp.matmul %3, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      mp.yield %5 : tensor<4x4xf32>
    }
    mp.yield %4 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// A value leaves a region as it is, without a cast between two products.
// CHECK-LABEL: func.func @values_leave_as_they_are(
// CHECK: %[[Z:.*]] = mp.matmul {{.*}} -> tensor<4x4xf16>
// CHECK-NEXT: mp.matmul %[[Z]], %[[Z]]
func.func @values_leave_as_they_are(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = mp.autocast type = f16 -> (tensor<4x4xf32>) {
    %1 = mp.matmul %x, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    mp.yield %1 : tensor<4x4xf32>
  }
  %2 = mp.matmul %0, %0 acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// f16 and bf16 meet in f32.
// CHECK-LABEL: func.func @two_low_types(
// CHECK: mp.add {{.*}} -> tensor<4x4xf32>
func.func @two_low_types(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = mp.autocast type = bf16 -> (tensor<4x4xf32>) {
    %1 = mp.matmul %x, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    mp.yield %1 : tensor<4x4xf32>
  }
  %2 = mp.matmul %x, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %3 = mp.add %0, %2 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// An attribute on the op is stronger than any region.
// CHECK-LABEL: func.func @mp_precision_wins(
// CHECK: mp.matmul {{.*}} {mp.precision = bf16} : tensor<4x4xbf16>
// CHECK: mp.exp {{.*}} {mp.precision = f16} : tensor<4x4xf16>
// CHECK: mp.matmul {{.*}} {mp.precision = f32} : tensor<4x4xf32>
// OFF-LABEL: func.func @mp_precision_wins(
// OFF: mp.matmul {{.*}} {mp.precision = bf16} : tensor<4x4xbf16>
func.func @mp_precision_wins(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = mp.autocast enabled = false -> (tensor<4x4xf32>) {
    %1 = mp.matmul %x, %x acc f32 {mp.precision = bf16} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    mp.yield %1 : tensor<4x4xf32>
  }
  %2 = mp.exp %0 {mp.precision = f16} : tensor<4x4xf32>
  %3 = mp.matmul %2, %2 acc f32 {mp.precision = f32} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// One constant, two low types: each has its own, and what nothing uses is erased once.
// CHECK-LABEL: func.func @a_constant_in_two_low_types(
// CHECK-DAG: mp.constant dense<2.000000e+00> : tensor<4x4xbf16>
// CHECK-DAG: mp.constant dense<2.000000e+00> : tensor<4x4xf16>
// CHECK-NOT: mp.constant
// CHECK: return
func.func @a_constant_in_two_low_types(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %c = mp.constant dense<2.0> : tensor<4x4xf32>
  %0 = mp.autocast type = bf16 -> (tensor<4x4xf32>) {
    %1 = mp.matmul %x, %c acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    mp.yield %1 : tensor<4x4xf32>
  }
  %2 = mp.matmul %x, %c acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %0, %2 : tensor<4x4xf32>, tensor<4x4xf32>
}

// A cast that serves several blocks stands where it dominates them.
// CHECK-LABEL: func.func @blocks(
// CHECK: mp.cast {{.*}} {autocast} : tensor<4x4xf32> -> tensor<4x4xf16>
// CHECK: cf.cond_br
// CHECK-NOT: mp.cast {{.*}} -> tensor<4x4xf16>
// CHECK: return
func.func @blocks(%x: tensor<4x4xf32>, %c: i1) -> tensor<4x4xf32> {
  cf.cond_br %c, ^a, ^b
^a:
  %0 = mp.matmul %x, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
^b:
  %1 = mp.matmul %x, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
