// RUN: mp-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: @nested
func.func @nested(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: mp.autocast type = f16 -> (tensor<4xf32>) {
  %0 = mp.autocast type = f16 -> (tensor<4xf32>) {
    // CHECK: mp.autocast enabled = false -> (tensor<4xf32>) {
    %1 = mp.autocast enabled = false -> (tensor<4xf32>) {
      %2 = mp.exp %x : tensor<4xf32>
      // CHECK: mp.yield %{{.*}} : tensor<4xf32>
      mp.yield %2 : tensor<4xf32>
    }
    mp.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
