// RUN: mp-opt %s | FileCheck %s
// RUN: mp-opt %s -mp-specialize=batch=4 -mp-autocast -mp-autodiff | FileCheck %s --check-prefix=STEP

// CHECK-LABEL: @forms
func.func @forms(%x: tensor<?x10xbf16>, %n: tensor<7xi64>) -> (tensor<?x3xbf16>, tensor<7xi32>, tensor<?x10xbf16>) {
  // CHECK: %[[V:.*]], %[[I:.*]] = mp.top_k %{{.*}} k 3 : tensor<?x10xbf16> -> tensor<?x3xbf16>, tensor<?x3xi32>
  %v, %i = mp.top_k %x k 3 : tensor<?x10xbf16> -> tensor<?x3xbf16>, tensor<?x3xi32>
  // CHECK: mp.top_k %{{.*}} k 7 : tensor<7xi64> -> tensor<7xi64>, tensor<7xi32>
  %w, %j = mp.top_k %n k 7 : tensor<7xi64> -> tensor<7xi64>, tensor<7xi32>
  // CHECK: mp.top_k_grad %[[I]], %[[V]] : tensor<?x3xi32>, tensor<?x3xbf16> -> tensor<?x10xbf16>
  %g = mp.top_k_grad %i, %v : tensor<?x3xi32>, tensor<?x3xbf16> -> tensor<?x10xbf16>
  return %v, %j, %g : tensor<?x3xbf16>, tensor<7xi32>, tensor<?x10xbf16>
}

// It follows an f16 product; where values are read alone, and where places are, which have no gradient.
// STEP-LABEL: func.func @train_step(
func.func @step(%x: tensor<4x8xf32> {mp.input = "x"}, %w: tensor<8x5xf32> {mp.parameter = "w", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %z = mp.matmul %x, %w acc f32 : tensor<4x8xf32>, tensor<8x5xf32> -> tensor<4x5xf32>
  // STEP: %[[V:.*]], %[[I:.*]] = mp.top_k %{{.*}} k 2 : tensor<4x5xf16> -> tensor<4x2xf16>, tensor<4x2xi32>
  %v, %i = mp.top_k %z k 2 : tensor<4x5xf32> -> tensor<4x2xf32>, tensor<4x2xi32>
  %places = mp.cast %i : tensor<4x2xi32> -> tensor<4x2xf32>
  %all = mp.add %v, %places : tensor<4x2xf32>, tensor<4x2xf32> -> tensor<4x2xf32>
  %l = mp.reduce_mean %all dimensions [0, 1] : tensor<4x2xf32> -> tensor<f32>
  // STEP: mp.top_k_grad %[[I]], %{{.*}} : tensor<4x2xi32>, tensor<4x2xf16> -> tensor<4x5xf16>
  return %l : tensor<f32>
}

// STEP-LABEL: func.func @train_step_0(
func.func @places_alone(%x: tensor<4x5xf32> {mp.input = "x"}, %w: tensor<5xf32> {mp.parameter = "w", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %z = mp.mul %x, %w : tensor<4x5xf32>, tensor<5xf32> -> tensor<4x5xf32>
  %v, %i = mp.top_k %z k 2 : tensor<4x5xf32> -> tensor<4x2xf32>, tensor<4x2xi32>
  %places = mp.cast %i : tensor<4x2xi32> -> tensor<4x2xf32>
  %m = mp.reduce_mean %places dimensions [0, 1] : tensor<4x2xf32> -> tensor<f32>
  %n = mp.reduce_mean %z dimensions [0, 1] : tensor<4x5xf32> -> tensor<f32>
  %l = mp.add %m, %n : tensor<f32>, tensor<f32> -> tensor<f32>
  // STEP-NOT: mp.top_k_grad
  return %l : tensor<f32>
}
