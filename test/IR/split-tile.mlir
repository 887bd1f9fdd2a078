// RUN: mp-opt %s -canonicalize | FileCheck %s
// RUN: mp-opt %s -mp-specialize=batch=4 -mp-autocast -mp-autodiff -canonicalize | FileCheck %s --check-prefix=STEP

// CHECK-LABEL: @forms
func.func @forms(%x: tensor<?x8xf16>, %m: tensor<?x3x3xf32>, %f: tensor<3x3xi1>, %n: tensor<4x8xi32>)
    -> (tensor<?x3xf16>, tensor<?x24xf16>, tensor<?x3x3xf32>, tensor<3x3xi1>, tensor<4x8xi32>) {
  // CHECK: mp.split %{{.*}} sizes [3, 5] dimension 1 : tensor<?x8xf16> -> tensor<?x3xf16>, tensor<?x5xf16>
  %0, %1 = mp.split %x sizes [3, 5] dimension 1 : tensor<?x8xf16> -> tensor<?x3xf16>, tensor<?x5xf16>
  // CHECK: mp.tile %{{.*}} repeats [1, 3] : tensor<?x8xf16> -> tensor<?x24xf16>
  %2 = mp.tile %x repeats [1, 3] : tensor<?x8xf16> -> tensor<?x24xf16>
  // CHECK: mp.tril %{{.*}} {diagonal = -1 : i64} : tensor<?x3x3xf32>
  %3 = mp.tril %m {diagonal = -1 : i64} : tensor<?x3x3xf32>
  // CHECK: mp.triu %{{.*}} : tensor<3x3xi1>
  %4 = mp.triu %f : tensor<3x3xi1>
  // What is there once is as it was.
  // CHECK: return %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %arg3
  %5 = mp.tile %n repeats [1, 1] : tensor<4x8xi32> -> tensor<4x8xi32>
  return %0, %2, %3, %4, %5 : tensor<?x3xf16>, tensor<?x24xf16>, tensor<?x3x3xf32>, tensor<3x3xi1>, tensor<4x8xi32>
}

// Movements of elements keep the type that they get, and gradients go back to where elements came from.
// STEP-LABEL: func.func @train_step
func.func @step(%x: tensor<?x8xf32> {mp.input = "x"}, %t: tensor<?x12xf32> {mp.input = "t"},
                %w: tensor<8x8xf32> {mp.parameter = "w", mp.initializer = #mp.glorot_uniform<seed = 1>})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  // STEP: mp.slice %{{.*}} [:, :4]
  // STEP-SAME: tensor<4x8xf16> -> tensor<4x4xf16>
  // STEP: mp.broadcast %{{.*}} : tensor<4x1x4xf16> -> tensor<4x3x4xf16>
  %lower = mp.tril %w : tensor<8x8xf32>
  %z = mp.matmul %x, %lower acc f32 : tensor<?x8xf32>, tensor<8x8xf32> -> tensor<?x8xf32>
  %a, %b = mp.split %z sizes [4, 4] dimension 1 : tensor<?x8xf32> -> tensor<?x4xf32>, tensor<?x4xf32>
  %three = mp.tile %a repeats [1, 3] : tensor<?x4xf32> -> tensor<?x12xf32>
  // STEP: mp.mse_loss
  // STEP: mp.reduce_sum %{{.*}} dimensions [1]
  // STEP: mp.pad %{{.*}} low [0, 0] high [0, 4]
  // STEP: mp.select
  %l = mp.mse_loss %three, %t : tensor<?x12xf32>, tensor<?x12xf32> -> tensor<f32>
  return %l : tensor<f32>
}
