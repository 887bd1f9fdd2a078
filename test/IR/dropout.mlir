// RUN: mp-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: @dropout
func.func @dropout(%x: tensor<?x8xf16>, %rng: tensor<2xi64>) -> tensor<?x8xf16> {
  // CHECK: mp.dropout %{{.*}}, %{{.*}} {rate = 2.000000e-01 : f64, stream = 1 : i64} : tensor<?x8xf16>
  %0 = mp.dropout %x, %rng {rate = 0.2, stream = 1} : tensor<?x8xf16>
  // CHECK: mp.dropout %{{.*}}, %{{.*}} {rate = 2.000000e-01 : f64, shared = array<i64: 1>, stream = 2 : i64} : tensor<?x8xf16>
  %1 = mp.dropout %0, %rng {rate = 0.2, shared = array<i64: 1>, stream = 2} : tensor<?x8xf16>
  return %1 : tensor<?x8xf16>
}

// CHECK-LABEL: @mask
func.func @mask(%x: tensor<8x8xf16>, %rng: tensor<2xi64>) -> tensor<8x8xf16> {
  // CHECK: %[[M:.*]] = mp.dropout_mask %arg1 {rate = 2.000000e-01 : f64, stream = 1 : i64} : tensor<2xi64>
  %m = mp.dropout_mask %rng {rate = 0.2, stream = 1} : tensor<2xi64>
  // CHECK: mp.masked_dropout %arg0, %[[M]] {rate = 2.000000e-01 : f64} : tensor<8x8xf16>, tensor<2xi64>
  %0 = mp.masked_dropout %x, %m {rate = 0.2} : tensor<8x8xf16>, tensor<2xi64>
  return %0 : tensor<8x8xf16>
}
