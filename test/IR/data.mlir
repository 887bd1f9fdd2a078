// RUN: mp-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: @constants
func.func @constants() -> (tensor<f32>, tensor<2xi64>) {
  // CHECK-DAG: mp.constant dense<5.000000e-01> : tensor<f32>
  %0 = mp.constant dense<0.5> : tensor<f32>
  // CHECK-DAG: mp.constant dense<[1, 2]> : tensor<2xi64>
  %1 = mp.constant dense<[1, 2]> : tensor<2xi64>
  return %0, %1 : tensor<f32>, tensor<2xi64>
}
// CHECK-LABEL: @iota
func.func @iota(%x: tensor<?x10xf16>) -> (tensor<4x10xi64>, tensor<?x10xi32>) {
  // CHECK: mp.iota dimension 1 -> tensor<4x10xi64>
  %0 = mp.iota dimension 1 -> tensor<4x10xi64>
  // CHECK: mp.iota dimension 0 like %{{.*}} : tensor<?x10xf16> -> tensor<?x10xi32>
  %1 = mp.iota dimension 0 like %x : tensor<?x10xf16> -> tensor<?x10xi32>
  return %0, %1 : tensor<4x10xi64>, tensor<?x10xi32>
}
// CHECK-LABEL: @reshape
// CHECK-SAME: (%[[OPEN:.*]]: tensor<?x28x28xf32>, %[[X:.*]]: tensor<4x6xf32>)
func.func @reshape(%open: tensor<?x28x28xf32>, %x: tensor<4x6xf32>) -> (tensor<?x784xf32>, tensor<4x6xf32>, tensor<24xf32>) {
  // CHECK: mp.reshape %[[OPEN]] : tensor<?x28x28xf32> -> tensor<?x784xf32>
  %0 = mp.reshape %open : tensor<?x28x28xf32> -> tensor<?x784xf32>
  %1 = mp.reshape %x : tensor<4x6xf32> -> tensor<4x6xf32>
  %2 = mp.reshape %x : tensor<4x6xf32> -> tensor<2x12xf32>
  // CHECK: mp.reshape %[[X]] : tensor<4x6xf32> -> tensor<24xf32>
  %3 = mp.reshape %2 : tensor<2x12xf32> -> tensor<24xf32>
  // CHECK: return %{{.*}}, %[[X]], %{{.*}}
  return %0, %1, %3 : tensor<?x784xf32>, tensor<4x6xf32>, tensor<24xf32>
}
// CHECK-LABEL: @transpose
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4xf32>)
func.func @transpose(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<4x3x2xf32>) {
  %0 = mp.transpose %x permutation [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  %1 = mp.transpose %0 permutation [1, 2, 0] : tensor<4x2x3xf32> -> tensor<2x3x4xf32>
  // CHECK: %[[R:.*]] = mp.transpose %[[X]] permutation [2, 1, 0] : tensor<2x3x4xf32> -> tensor<4x3x2xf32>
  %2 = mp.transpose %0 permutation [0, 2, 1] : tensor<4x2x3xf32> -> tensor<4x3x2xf32>
  // CHECK: return %[[X]], %[[R]]
  return %1, %2 : tensor<2x3x4xf32>, tensor<4x3x2xf32>
}
// CHECK-LABEL: @broadcast
func.func @broadcast(%b: tensor<8xf32>, %x: tensor<?x8xf16>) -> (tensor<8xf32>, tensor<4x8xf32>, tensor<?x8xf32>) {
  // CHECK-NOT: -> tensor<8xf32>
  %0 = mp.broadcast %b : tensor<8xf32> -> tensor<8xf32>
  // CHECK: mp.broadcast %{{.*}} : tensor<8xf32> -> tensor<4x8xf32>
  %1 = mp.broadcast %b : tensor<8xf32> -> tensor<4x8xf32>
  // CHECK: mp.broadcast %{{.*}} like %{{.*}} : tensor<?x8xf16> : tensor<8xf32> -> tensor<?x8xf32>
  %2 = mp.broadcast %b like %x : tensor<?x8xf16> : tensor<8xf32> -> tensor<?x8xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<4x8xf32>, tensor<?x8xf32>
}
