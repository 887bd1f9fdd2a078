// RUN: mp-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: @dropout
func.func @dropout(%x: tensor<?x8xf16>, %rng: tensor<2xi64>) -> tensor<?x8xf16> {
  // CHECK: mp.dropout %{{.*}}, %{{.*}} {rate = 2.000000e-01 : f64, stream = 1 : i64} : tensor<?x8xf16>
  %0 = mp.dropout %x, %rng {rate = 0.2, stream = 1} : tensor<?x8xf16>
  return %0 : tensor<?x8xf16>
}
