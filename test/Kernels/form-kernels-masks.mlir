// What an op reads whole is made by another kernel, also where shapes agree.
// RUN: mp-opt %s -mp-form-kernels | FileCheck %s

// CHECK-LABEL: @mask_of_one_shape
func.func @mask_of_one_shape(%x: tensor<2xf32>, %rng: tensor<2xi64>) -> tensor<2xf32> {
  // CHECK: %[[MASK:.*]] = mp.kernel "dropout_mask_0" (
  // CHECK: mp.kernel "masked_dropout_1" ({{.*}}%[[MASK]]
  %m = mp.dropout_mask %rng {rate = 0.5, stream = 1} : tensor<2xi64>
  %y = mp.masked_dropout %x, %m {rate = 0.5} : tensor<2xf32>, tensor<2xi64>
  return %y : tensor<2xf32>
}

// CHECK-LABEL: @masks_are_one_kernel
func.func @masks_are_one_kernel(%x: tensor<4x8xf32>, %z: tensor<9xf32>, %rng: tensor<2xi64>) -> (tensor<4xf32>, tensor<9xf32>) {
  // CHECK: mp.kernel "dropout_mask
  // CHECK-COUNT-2: mp.dropout_mask
  // A row takes a mask as every kernel does.
  // CHECK: mp.kernel "reduce_sum
  // CHECK: mp.masked_dropout
  // CHECK-NEXT: mp.reduce_sum
  %m = mp.dropout_mask %rng {rate = 0.5, stream = 1} : tensor<2xi64>
  %n = mp.dropout_mask %rng {rate = 0.5, stream = 2} : tensor<2xi64>
  %y = mp.masked_dropout %x, %m {rate = 0.5} : tensor<4x8xf32>, tensor<2xi64>
  %s = mp.reduce_sum %y dimensions [1] : tensor<4x8xf32> -> tensor<4xf32>
  %t = mp.masked_dropout %z, %n {rate = 0.5} : tensor<9xf32>, tensor<2xi64>
  return %s, %t : tensor<4xf32>, tensor<9xf32>
}
