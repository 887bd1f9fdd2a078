// RUN: mp-opt %s -canonicalize | mp-opt | FileCheck %s
// RUN: mp-opt %s -mp-specialize='batch=4 pad' -mp-autocast=policy=mixed_bfloat16 -mp-autodiff | FileCheck %s --check-prefix=STEP

// CHECK-LABEL: @forms
func.func @forms(%x: tensor<4x3xf16>, %t: tensor<4x3xf16>, %w: tensor<4xf32>)
    -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  // CHECK: mp.mse_loss %{{.*}}, %{{.*}} : tensor<4x3xf16>, tensor<4x3xf16> -> tensor<f32>
  %0 = mp.mse_loss %x, %t : tensor<4x3xf16>, tensor<4x3xf16> -> tensor<f32>
  // CHECK: mp.l1_loss %{{.*}}, %{{.*}} weights %{{.*}} : tensor<4xf32> : tensor<4x3xf16>, tensor<4x3xf16> -> tensor<f32>
  %1 = mp.l1_loss %x, %t weights %w : tensor<4xf32> : tensor<4x3xf16>, tensor<4x3xf16> -> tensor<f32>
  // CHECK: mp.huber_loss %{{.*}}, %{{.*}} {delta = 5.000000e-01 : f64} : tensor<4x3xf16>, tensor<4x3xf16> -> tensor<f32>
  %2 = mp.huber_loss %x, %t {delta = 0.5 : f64} : tensor<4x3xf16>, tensor<4x3xf16> -> tensor<f32>
  // CHECK: mp.sigmoid_cross_entropy %{{.*}}, %{{.*}} : tensor<4x3xf16>, tensor<4x3xf16> -> tensor<f32>
  %3 = mp.sigmoid_cross_entropy %x, %t : tensor<4x3xf16>, tensor<4x3xf16> -> tensor<f32>
  // CHECK: mp.binary_cross_entropy %{{.*}}, %{{.*}} : tensor<4x3xf16>, tensor<4x3xf16> -> tensor<f32>
  %4 = mp.binary_cross_entropy %x, %t : tensor<4x3xf16>, tensor<4x3xf16> -> tensor<f32>
  return %0, %1, %2, %3, %4 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}

// A loss is f32 of a bf16 product; a batch that is filled up weighs its rows.
// STEP-LABEL: func.func @train_step(
// STEP-SAME: %[[ROWS:[a-z_0-9]*]]: tensor<4xf32> {mp.batched, mp.row_weights}
func.func @step(%x: tensor<?x8xf32> {mp.input = "x"}, %t: tensor<?x3xf32> {mp.input = "y"},
                %w: tensor<8x3xf32> {mp.parameter = "w", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %z = mp.matmul %x, %w acc f32 : tensor<?x8xf32>, tensor<8x3xf32> -> tensor<?x3xf32>
  // STEP: %[[Z:.*]] = mp.cast %{{.*}} {autocast} : tensor<4x3xbf16> -> tensor<4x3xf32>
  // STEP: mp.mse_loss %[[Z]], %{{.*}} weights %[[ROWS]] : tensor<4xf32> {mp.combines_rows} : tensor<4x3xf32>, tensor<4x3xf32> -> tensor<f32>
  %l = mp.mse_loss %z, %t : tensor<?x3xf32>, tensor<?x3xf32> -> tensor<f32>
  return %l : tensor<f32>
}
