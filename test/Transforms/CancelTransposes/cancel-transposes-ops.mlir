// RUN: mp-opt %s -mp-cancel-transposes | FileCheck %s --implicit-check-not=mp.transpose

// Integers, bits and whole numbers are elementwise, too.
// CHECK-LABEL: func.func @integers(
// CHECK: mp.floor_divide {{.*}} -> tensor<?x6x6x8xi32>
// CHECK: mp.remainder {{.*}} -> tensor<?x6x6x8xi32>
// CHECK: mp.bitwise_and {{.*}} -> tensor<?x6x6x8xi32>
// CHECK: mp.bitwise_or {{.*}} -> tensor<?x6x6x8xi32>
// CHECK: mp.bitwise_xor {{.*}} -> tensor<?x6x6x8xi32>
// CHECK: mp.shift_left {{.*}} -> tensor<?x6x6x8xi32>
// CHECK: mp.shift_right {{.*}} -> tensor<?x6x6x8xi32>
// CHECK-LABEL: func.func @whole(
// CHECK: mp.floor {{.*}} : tensor<?x6x6x8xf32>
// CHECK: mp.round {{.*}} : tensor<?x6x6x8xf32>
func.func @integers(%x: tensor<?x6x6x8xi32>, %c: tensor<i32>) -> tensor<?x6x6x8xi32> {
  %0 = mp.transpose %x permutation [0, 3, 1, 2] : tensor<?x6x6x8xi32> -> tensor<?x8x6x6xi32>
  %1 = mp.floor_divide %0, %c : tensor<?x8x6x6xi32>, tensor<i32> -> tensor<?x8x6x6xi32>
  %2 = mp.remainder %1, %c : tensor<?x8x6x6xi32>, tensor<i32> -> tensor<?x8x6x6xi32>
  %3 = mp.bitwise_and %2, %c : tensor<?x8x6x6xi32>, tensor<i32> -> tensor<?x8x6x6xi32>
  %4 = mp.bitwise_or %3, %c : tensor<?x8x6x6xi32>, tensor<i32> -> tensor<?x8x6x6xi32>
  %5 = mp.bitwise_xor %4, %c : tensor<?x8x6x6xi32>, tensor<i32> -> tensor<?x8x6x6xi32>
  %6 = mp.shift_left %5, %c : tensor<?x8x6x6xi32>, tensor<i32> -> tensor<?x8x6x6xi32>
  %7 = mp.shift_right %6, %c : tensor<?x8x6x6xi32>, tensor<i32> -> tensor<?x8x6x6xi32>
  %8 = mp.transpose %7 permutation [0, 2, 3, 1] : tensor<?x8x6x6xi32> -> tensor<?x6x6x8xi32>
  return %8 : tensor<?x6x6x8xi32>
}
func.func @whole(%x: tensor<?x6x6x8xf32>) -> tensor<?x6x6x8xf32> {
  %0 = mp.transpose %x permutation [0, 3, 1, 2] : tensor<?x6x6x8xf32> -> tensor<?x8x6x6xf32>
  %1 = mp.floor %0 : tensor<?x8x6x6xf32>
  %2 = mp.round %1 : tensor<?x8x6x6xf32>
  %3 = mp.transpose %2 permutation [0, 2, 3, 1] : tensor<?x8x6x6xf32> -> tensor<?x6x6x8xf32>
  return %3 : tensor<?x6x6x8xf32>
}

// What is scattered comes as what it is scattered to does; the indices of slices stay, those of elements do not.
// CHECK-LABEL: func.func @scattered(
// CHECK: %[[A:.*]] = mp.scatter_elements %arg0, %arg1, %arg2 dimension 3 : tensor<2x6x5x8xf32>, tensor<2x6x5x3xi32>
// CHECK: %[[B:.*]] = mp.scatter_add_elements %[[A]], %arg1, %arg2 dimension 3
// CHECK: %[[C:.*]] = mp.scatter_add %[[B]], %arg3, %arg4 dimension 3 : tensor<2x6x5x8xf32>, tensor<7x4xi32>, tensor<2x6x5x7x4xf32> -> tensor<2x6x5x8xf32>
// CHECK: return %[[C]]
func.func @scattered(%x: tensor<2x6x5x8xf32>, %i: tensor<2x6x5x3xi32>, %u: tensor<2x6x5x3xf32>, %j: tensor<7x4xi32>, %v: tensor<2x6x5x7x4xf32>)
    -> tensor<2x6x5x8xf32> {
  %0 = mp.transpose %x permutation [0, 3, 1, 2] : tensor<2x6x5x8xf32> -> tensor<2x8x6x5xf32>
  %1 = mp.transpose %i permutation [0, 3, 1, 2] : tensor<2x6x5x3xi32> -> tensor<2x3x6x5xi32>
  %2 = mp.transpose %u permutation [0, 3, 1, 2] : tensor<2x6x5x3xf32> -> tensor<2x3x6x5xf32>
  %3 = mp.transpose %v permutation [0, 3, 4, 1, 2] : tensor<2x6x5x7x4xf32> -> tensor<2x7x4x6x5xf32>
  %4 = mp.scatter_elements %0, %1, %2 dimension 1 : tensor<2x8x6x5xf32>, tensor<2x3x6x5xi32>, tensor<2x3x6x5xf32> -> tensor<2x8x6x5xf32>
  %5 = mp.scatter_add_elements %4, %1, %2 dimension 1 : tensor<2x8x6x5xf32>, tensor<2x3x6x5xi32>, tensor<2x3x6x5xf32> -> tensor<2x8x6x5xf32>
  %6 = mp.scatter_add %5, %j, %3 dimension 1 : tensor<2x8x6x5xf32>, tensor<7x4xi32>, tensor<2x7x4x6x5xf32> -> tensor<2x8x6x5xf32>
  %7 = mp.transpose %6 permutation [0, 2, 3, 1] : tensor<2x8x6x5xf32> -> tensor<2x6x5x8xf32>
  return %7 : tensor<2x6x5x8xf32>
}
