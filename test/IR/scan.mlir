// RUN: mp-opt %s | FileCheck %s
// RUN: mp-opt %s -mp-specialize=batch=4 -mp-autocast -mp-autodiff | FileCheck %s --check-prefix=STEP
// RUN: mp-opt %s -mp-specialize=batch=4 -mp-decompose | FileCheck %s --check-prefix=OPS

// CHECK-LABEL: @forms
// OPS-LABEL: @forms
func.func @forms(%x: tensor<4x5xf16>, %one: tensor<3x1xf32>) -> (tensor<4x5xf16>, tensor<4x5xf16>, tensor<3x1xf32>) {
  // Sums are f32: three doublings of five elements.
  // OPS: %[[X:.*]] = mp.cast %{{.*}} : tensor<4x5xf16> -> tensor<4x5xf32>
  // OPS: mp.slice %[[X]] [:, :4] : tensor<4x5xf32> -> tensor<4x4xf32>
  // OPS: mp.pad %{{.*}} low [0, 1] high [0, 0] : tensor<4x4xf32> -> tensor<4x5xf32>
  // OPS: mp.slice %{{.*}} [:, :3]
  // OPS: mp.slice %{{.*}} [:, :1]
  // OPS: mp.cast %{{.*}} : tensor<4x5xf32> -> tensor<4x5xf16>
  // CHECK: mp.cumsum %{{.*}} dimension 1 : tensor<4x5xf16>
  %0 = mp.cumsum %x dimension 1 : tensor<4x5xf16>
  // OPS: mp.slice %{{.*}} [1:, :]
  // OPS: mp.pad %{{.*}} low [0, 0] high [1, 0]
  // CHECK: mp.cumsum %{{.*}} dimension 0 exclusive reverse : tensor<4x5xf16>
  %1 = mp.cumsum %0 dimension 0 exclusive reverse : tensor<4x5xf16>
  // Before the one element stands nothing.
  // OPS: mp.broadcast %{{.*}} : tensor<f32> -> tensor<3x1xf32>
  // CHECK: mp.cumsum %{{.*}} dimension 1 exclusive : tensor<3x1xf32>
  %2 = mp.cumsum %one dimension 1 exclusive : tensor<3x1xf32>
  return %0, %1, %2 : tensor<4x5xf16>, tensor<4x5xf16>, tensor<3x1xf32>
}

// Behind an f16 product the sum is f32; its gradient is the sum in the other direction.
// STEP-LABEL: func.func @train_step(
func.func @step(%x: tensor<?x8xf32> {mp.input = "x"}, %w: tensor<8x5xf32> {mp.parameter = "w", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %z = mp.matmul %x, %w acc f32 : tensor<?x8xf32>, tensor<8x5xf32> -> tensor<?x5xf32>
  // CHECK: mp.cumsum %{{.*}} dimension 1 exclusive : tensor<?x5xf32>
  // STEP: mp.cumsum %{{.*}} dimension 1 exclusive : tensor<4x5xf32>
  %s = mp.cumsum %z dimension 1 exclusive : tensor<?x5xf32>
  %l = mp.reduce_mean %s dimensions [0, 1] : tensor<?x5xf32> -> tensor<f32>
  // STEP: mp.cumsum %{{.*}} dimension 1 exclusive reverse : tensor<4x5xf32>
  return %l : tensor<f32>
}
