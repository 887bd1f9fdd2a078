// RUN: mp-opt %s | FileCheck %s
// RUN: mp-opt %s -mp-specialize=batch=4 -mp-autocast -mp-autodiff | FileCheck %s --check-prefix=STEP

// CHECK-LABEL: @forms
func.func @forms(%x: tensor<?x4x6x3xf16>, %n: tensor<2x4x3xi1>, %v: tensor<?x2x2x2x1xf64>)
    -> (tensor<?x8x3x3xf16>, tensor<?x2x3x3xf16>, tensor<2x7x3xi1>, tensor<?x3x4x5x1xf64>) {
  // CHECK: mp.resize %{{.*}} mode linear coordinates half_pixel : tensor<?x4x6x3xf16> -> tensor<?x8x3x3xf16>
  %0 = mp.resize %x mode linear coordinates half_pixel : tensor<?x4x6x3xf16> -> tensor<?x8x3x3xf16>
  // CHECK: mp.resize %{{.*}} mode nearest coordinates asymmetric rounding ceil scales dense<5.500000e-01> : tensor<2xf64> : tensor<?x4x6x3xf16> -> tensor<?x2x3x3xf16>
  %1 = mp.resize %x mode nearest coordinates asymmetric rounding ceil scales dense<0.55> : tensor<2xf64> : tensor<?x4x6x3xf16> -> tensor<?x2x3x3xf16>
  // CHECK: mp.resize %{{.*}} mode nearest coordinates half_pixel rounding round_prefer_ceil : tensor<2x4x3xi1> -> tensor<2x7x3xi1>
  %2 = mp.resize %n mode nearest coordinates half_pixel rounding round_prefer_ceil : tensor<2x4x3xi1> -> tensor<2x7x3xi1>
  // CHECK: mp.resize_grad %{{.*}} mode cubic coordinates align_corners : tensor<?x2x2x2x1xf64> -> tensor<?x3x4x5x1xf64>
  %3 = mp.resize_grad %v mode cubic coordinates align_corners : tensor<?x2x2x2x1xf64> -> tensor<?x3x4x5x1xf64>
  return %0, %1, %2, %3 : tensor<?x8x3x3xf16>, tensor<?x2x3x3xf16>, tensor<2x7x3xi1>, tensor<?x3x4x5x1xf64>
}

// It follows the f16 convolution in front of it, and its gradient is one op.
// STEP-LABEL: func.func @train_step(
func.func @step(%x: tensor<?x4x4x2xf32> {mp.input = "x"}, %w: tensor<3x1x1x2xf32> {mp.parameter = "w", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %z = mp.conv %x, %w acc f32 : tensor<?x4x4x2xf32>, tensor<3x1x1x2xf32> -> tensor<?x4x4x3xf32>
  // STEP: mp.resize %{{.*}} mode linear coordinates half_pixel : tensor<4x4x4x3xf16> -> tensor<4x8x8x3xf16>
  %y = mp.resize %z mode linear coordinates half_pixel : tensor<?x4x4x3xf32> -> tensor<?x8x8x3xf32>
  %l = mp.reduce_mean %y dimensions [0, 1, 2, 3] : tensor<?x8x8x3xf32> -> tensor<f32>
  // STEP: mp.resize_grad %{{.*}} mode linear coordinates half_pixel : tensor<4x8x8x3xf16> -> tensor<4x4x4x3xf16>
  return %l : tensor<f32>
}
