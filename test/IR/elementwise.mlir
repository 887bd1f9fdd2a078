// RUN: mp-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: @binary
func.func @binary(%a: tensor<?x8xf16>, %b: tensor<8xf16>, %i: tensor<4xi64>, %u: tensor<ui8>) -> (tensor<?x8xf16>, tensor<?x8xf16>, tensor<?x8xf16>, tensor<?x8xf16>, tensor<?x8xf16>, tensor<4xi64>) {
  // CHECK: mp.add %{{.*}}, %{{.*}} : tensor<?x8xf16>, tensor<8xf16> -> tensor<?x8xf16>
  %0 = mp.add %a, %b : tensor<?x8xf16>, tensor<8xf16> -> tensor<?x8xf16>
  // CHECK: mp.sub
  %1 = mp.sub %a, %b : tensor<?x8xf16>, tensor<8xf16> -> tensor<?x8xf16>
  // CHECK: mp.mul
  %2 = mp.mul %a, %b : tensor<?x8xf16>, tensor<8xf16> -> tensor<?x8xf16>
  // CHECK: mp.div
  %3 = mp.div %a, %b : tensor<?x8xf16>, tensor<8xf16> -> tensor<?x8xf16>
  // CHECK: mp.max
  %4 = mp.max %a, %b : tensor<?x8xf16>, tensor<8xf16> -> tensor<?x8xf16>
  // CHECK: mp.mul %{{.*}}, %{{.*}} : tensor<4xi64>
  %5 = mp.mul %i, %i : tensor<4xi64>, tensor<4xi64> -> tensor<4xi64>
  return %0, %1, %2, %3, %4, %5 : tensor<?x8xf16>, tensor<?x8xf16>, tensor<?x8xf16>, tensor<?x8xf16>, tensor<?x8xf16>, tensor<4xi64>
}

// CHECK-LABEL: @unary
func.func @unary(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: mp.exp %{{.*}} : tensor<4xf32>
  %0 = mp.exp %x : tensor<4xf32>
  // CHECK: mp.log
  %1 = mp.log %0 : tensor<4xf32>
  // CHECK: mp.sqrt
  %2 = mp.sqrt %1 : tensor<4xf32>
  // CHECK: mp.relu
  %3 = mp.relu %2 : tensor<4xf32>
  // CHECK: mp.relu_grad %{{.*}}, %{{.*}} : tensor<4xf32>
  %4 = mp.relu_grad %3, %x : tensor<4xf32>
  return %3, %4 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @compare_and_select
func.func @compare_and_select(%a: tensor<?x8xf16>, %b: tensor<f16>, %y: tensor<?xui8>, %k: tensor<?xui8>) -> (tensor<?x8xf16>, tensor<?xi1>) {
  // CHECK: mp.compare gt %{{.*}}, %{{.*}} : tensor<?x8xf16>, tensor<f16> -> tensor<?x8xi1>
  %c = mp.compare gt %a, %b : tensor<?x8xf16>, tensor<f16> -> tensor<?x8xi1>
  // CHECK: mp.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x8xi1>, tensor<?x8xf16>, tensor<f16> -> tensor<?x8xf16>
  %r = mp.select %c, %a, %b : tensor<?x8xi1>, tensor<?x8xf16>, tensor<f16> -> tensor<?x8xf16>
  // CHECK: mp.compare eq
  %e = mp.compare eq %y, %k : tensor<?xui8>, tensor<?xui8> -> tensor<?xi1>
  return %r, %e : tensor<?x8xf16>, tensor<?xi1>
}
