// RUN: mp-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: @to_its_own_type
// CHECK-NOT: mp.cast
func.func @to_its_own_type(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = mp.cast %x : tensor<4xf16> -> tensor<4xf16>
  return %0 : tensor<4xf16>
}
// CHECK-LABEL: @a_pair_of_casts_rounds_and_stays
func.func @a_pair_of_casts_rounds_and_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: mp.cast %{{.*}} : tensor<4xf32> -> tensor<4xf16>
  %0 = mp.cast %x : tensor<4xf32> -> tensor<4xf16>
  // CHECK: mp.cast %{{.*}} {autocast} : tensor<4xf16> -> tensor<4xf32>
  %1 = mp.cast %0 {autocast} : tensor<4xf16> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
