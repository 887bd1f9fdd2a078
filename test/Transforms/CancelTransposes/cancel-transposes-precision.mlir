// RUN: mp-opt %s -mp-cancel-transposes | FileCheck %s
// RUN: mp-opt %s -mp-cancel-transposes -mp-cancel-transposes | FileCheck %s

// What an op rounds its values to, by itself or by its region, it rounds them to still, and no others.

// A transpose that rounds stays, with what it reads.
// CHECK-LABEL: func.func @kept(
// CHECK-NEXT: %[[A:.*]] = mp.transpose %arg0 permutation [0, 2, 1] {mp.precision = f16}
// CHECK-NEXT: %[[R:.*]] = mp.relu %[[A]] : tensor<?x4x3xf32>
// CHECK-NEXT: mp.transpose %[[R]]
func.func @kept(%x: tensor<?x3x4xf32>) -> tensor<?x3x4xf32> {
  %0 = mp.transpose %x permutation [0, 2, 1] {mp.precision = f16} : tensor<?x3x4xf32> -> tensor<?x4x3xf32>
  %1 = mp.relu %0 : tensor<?x4x3xf32>
  %2 = mp.transpose %1 permutation [0, 2, 1] : tensor<?x4x3xf32> -> tensor<?x3x4xf32>
  return %2 : tensor<?x3x4xf32>
}

// It is no end of a region as others are: what is behind it cancels by itself, and it is not joined with another.
// CHECK-LABEL: func.func @behind(
// CHECK-NEXT: %[[R:.*]] = mp.relu %arg0 : tensor<?x3x4xf32>
// CHECK-NEXT: %[[K:.*]] = mp.transpose %[[R]] permutation [0, 2, 1] {mp.precision = f16}
// CHECK-NEXT: %[[E:.*]] = mp.exp %[[K]] : tensor<?x4x3xf32>
// CHECK-NEXT: return %[[E]]
func.func @behind(%x: tensor<?x3x4xf32>) -> tensor<?x4x3xf32> {
  %0 = mp.transpose %x permutation [0, 2, 1] : tensor<?x3x4xf32> -> tensor<?x4x3xf32>
  %1 = mp.relu %0 : tensor<?x4x3xf32>
  %2 = mp.transpose %1 permutation [0, 2, 1] : tensor<?x4x3xf32> -> tensor<?x3x4xf32>
  %3 = mp.transpose %2 permutation [0, 2, 1] {mp.precision = f16} : tensor<?x3x4xf32> -> tensor<?x4x3xf32>
  %4 = mp.transpose %3 permutation [0, 2, 1] : tensor<?x4x3xf32> -> tensor<?x3x4xf32>
  %5 = mp.exp %4 : tensor<?x3x4xf32>
  %6 = mp.transpose %5 permutation [0, 2, 1] : tensor<?x3x4xf32> -> tensor<?x4x3xf32>
  return %6 : tensor<?x4x3xf32>
}

// Others that need the same transpose have one that does not round.
// CHECK-LABEL: func.func @not_reused(
// CHECK-NEXT: %[[A:.*]] = mp.transpose %arg0 permutation [0, 2, 1] {mp.precision = f16}
// CHECK-NEXT: %[[T:.*]] = mp.transpose %arg0 permutation [0, 2, 1] : tensor<?x3x4xf32>
// CHECK-NEXT: return %[[A]], %[[T]], %[[T]]
func.func @not_reused(%x: tensor<?x3x4xf32>) -> (tensor<?x4x3xf32>, tensor<?x4x3xf32>, tensor<?x4x3xf32>) {
  %0 = mp.transpose %x permutation [0, 2, 1] {mp.precision = f16} : tensor<?x3x4xf32> -> tensor<?x4x3xf32>
  %1 = mp.transpose %x permutation [0, 2, 1] : tensor<?x3x4xf32> -> tensor<?x4x3xf32>
  %2 = mp.transpose %x permutation [0, 2, 1] : tensor<?x3x4xf32> -> tensor<?x4x3xf32>
  return %0, %1, %2 : tensor<?x4x3xf32>, tensor<?x4x3xf32>, tensor<?x4x3xf32>
}

// Nor does a reshape that rounds join another, or a constant move without its attribute; an op that is reordered keeps its own.
// CHECK-LABEL: func.func @others(
// CHECK: %[[C:.*]] = mp.constant {mp.precision = f16} dense
// CHECK: %[[T:.*]] = mp.transpose %[[C]]
// CHECK: %[[A:.*]] = mp.add %arg0, %[[T]] {mp.precision = f16}
// CHECK: %[[R:.*]] = mp.reshape %[[A]] {mp.precision = bf16}
// CHECK: mp.reshape %[[R]]
func.func @others(%x: tensor<3x2xf32>) -> tensor<6x1xf32> {
  %c = mp.constant {mp.precision = f16} dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %0 = mp.transpose %x permutation [1, 0] : tensor<3x2xf32> -> tensor<2x3xf32>
  %1 = mp.add %0, %c {mp.precision = f16} : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  %2 = mp.transpose %1 permutation [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  %3 = mp.reshape %2 {mp.precision = bf16} : tensor<3x2xf32> -> tensor<6xf32>
  %4 = mp.reshape %3 : tensor<6xf32> -> tensor<6x1xf32>
  return %4 : tensor<6x1xf32>
}

// Nothing crosses the border of a region: neither a transpose that is inside, or outside, nor one with what it cancels.
// CHECK-LABEL: func.func @border(
// CHECK-NEXT: %[[T:.*]] = mp.transpose %arg0
// CHECK-NEXT: mp.autocast
// CHECK-NEXT: %[[R:.*]] = mp.relu %[[T]] : tensor<?x8x6xf32>
// CHECK-NEXT: %[[B:.*]] = mp.transpose %[[R]]
// CHECK-NEXT: mp.yield %[[B]]
func.func @border(%x: tensor<?x6x8xf32>) -> tensor<?x6x8xf32> {
  %0 = mp.transpose %x permutation [0, 2, 1] : tensor<?x6x8xf32> -> tensor<?x8x6xf32>
  %1 = mp.autocast enabled = false -> (tensor<?x6x8xf32>) {
    %2 = mp.relu %0 : tensor<?x8x6xf32>
    %3 = mp.transpose %2 permutation [0, 2, 1] : tensor<?x8x6xf32> -> tensor<?x6x8xf32>
    mp.yield %3 : tensor<?x6x8xf32>
  }
  return %1 : tensor<?x6x8xf32>
}

// Inside, transposes cancel as they do outside; one of a value of outside is inside, whoever outside has another.
// CHECK-LABEL: func.func @inside(
// CHECK-NEXT: %[[O:.*]] = mp.transpose %arg0
// CHECK-NEXT: mp.autocast
// CHECK-NEXT: %[[T:.*]] = mp.transpose %arg0
// CHECK-NEXT: %[[R:.*]] = mp.relu %arg0 : tensor<?x6x8xf32>
// CHECK-NEXT: mp.yield %[[R]], %[[T]]
// CHECK: return %[[O]]
func.func @inside(%x: tensor<?x6x8xf32>) -> (tensor<?x8x6xf32>, tensor<?x6x8xf32>, tensor<?x8x6xf32>) {
  %0 = mp.transpose %x permutation [0, 2, 1] : tensor<?x6x8xf32> -> tensor<?x8x6xf32>
  %1, %2 = mp.autocast type = bf16 -> (tensor<?x6x8xf32>, tensor<?x8x6xf32>) {
    %3 = mp.transpose %x permutation [0, 2, 1] : tensor<?x6x8xf32> -> tensor<?x8x6xf32>
    %4 = mp.relu %3 : tensor<?x8x6xf32>
    %5 = mp.transpose %4 permutation [0, 2, 1] : tensor<?x8x6xf32> -> tensor<?x6x8xf32>
    mp.yield %5, %3 : tensor<?x6x8xf32>, tensor<?x8x6xf32>
  }
  return %0, %1, %2 : tensor<?x8x6xf32>, tensor<?x6x8xf32>, tensor<?x8x6xf32>
}
