// RUN: mp-opt %s -canonicalize | mp-opt | FileCheck %s
// RUN: mp-opt %s -mp-specialize=batch=4 -mp-autocast -mp-autodiff | FileCheck %s --check-prefix=STEP
// RUN: mp-opt %s -mp-specialize=batch=4 -mp-autocast=policy=pytorch | FileCheck %s --check-prefix=PYTORCH

// CHECK-LABEL: @forms
func.func @forms(%x: tensor<4x8xf16>, %s: tensor<8xf16>) -> tensor<4x8xf16> {
  // CHECK: mp.tan %{{.*}} : tensor<4x8xf16>
  %0 = mp.tan %x : tensor<4x8xf16>
  // CHECK: mp.asin %{{.*}} : tensor<4x8xf16>
  %1 = mp.asin %0 : tensor<4x8xf16>
  // CHECK: mp.acos %{{.*}} : tensor<4x8xf16>
  %2 = mp.acos %1 : tensor<4x8xf16>
  // CHECK: mp.atan %{{.*}} : tensor<4x8xf16>
  %3 = mp.atan %2 : tensor<4x8xf16>
  // CHECK: mp.atan2 %{{.*}}, %{{.*}} : tensor<4x8xf16>, tensor<8xf16> -> tensor<4x8xf16>
  %4 = mp.atan2 %3, %s : tensor<4x8xf16>, tensor<8xf16> -> tensor<4x8xf16>
  // CHECK: mp.sinh %{{.*}} : tensor<4x8xf16>
  %5 = mp.sinh %4 : tensor<4x8xf16>
  // CHECK: mp.cosh %{{.*}} : tensor<4x8xf16>
  %6 = mp.cosh %5 : tensor<4x8xf16>
  // CHECK: mp.expm1 %{{.*}} : tensor<4x8xf16>
  %7 = mp.expm1 %6 : tensor<4x8xf16>
  // CHECK: mp.log1p %{{.*}} : tensor<4x8xf16>
  %8 = mp.log1p %7 : tensor<4x8xf16>
  // CHECK: mp.log2 %{{.*}} : tensor<4x8xf16>
  %9 = mp.log2 %8 : tensor<4x8xf16>
  // CHECK: mp.log10 %{{.*}} : tensor<4x8xf16>
  %10 = mp.log10 %9 : tensor<4x8xf16>
  // CHECK: mp.erfinv %{{.*}} : tensor<4x8xf16>
  %11 = mp.erfinv %10 : tensor<4x8xf16>
  // CHECK: mp.prelu %{{.*}}, %{{.*}} : tensor<4x8xf16>, tensor<8xf16> -> tensor<4x8xf16>
  %12 = mp.prelu %11, %s : tensor<4x8xf16>, tensor<8xf16> -> tensor<4x8xf16>
  return %12 : tensor<4x8xf16>
}

// Behind an f16 product functions that lose much in it are f32, atan is f16, and prelu in the widest type of its operands;
// gradients are in f32. PyTorch's prelu is f16 wherever its operands come from.
// STEP-LABEL: func.func @train_step(
// PYTORCH-LABEL: func.func @step(
func.func @step(%x: tensor<4x8xf32> {mp.input = "x"}, %w: tensor<8x8xf32> {mp.parameter = "w", mp.initializer = #mp.zeros},
                %s: tensor<8xf32> {mp.parameter = "s", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %z = mp.matmul %x, %w acc f32 : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  // STEP: %[[A:.*]] = mp.atan %{{.*}} : tensor<4x8xf16>
  // PYTORCH: mp.atan %{{.*}} : tensor<4x8xf16>
  %a = mp.atan %z : tensor<4x8xf32>
  // STEP: %[[W:.*]] = mp.cast %[[A]] {autocast} : tensor<4x8xf16> -> tensor<4x8xf32>
  // STEP: mp.prelu %[[W]], %{{.*}} : tensor<4x8xf32>, tensor<8xf32> -> tensor<4x8xf32>
  // PYTORCH: mp.prelu %{{.*}} : tensor<4x8xf16>, tensor<8xf16> -> tensor<4x8xf16>
  %p = mp.prelu %a, %s : tensor<4x8xf32>, tensor<8xf32> -> tensor<4x8xf32>
  // STEP: %[[Y:.*]] = mp.tan %{{.*}} : tensor<4x8xf32>
  // PYTORCH: mp.tan %{{.*}} : tensor<4x8xf32>
  %t = mp.tan %p : tensor<4x8xf32>
  // PYTORCH: mp.prelu %{{.*}} : tensor<4x8xf16>, tensor<8xf16> -> tensor<4x8xf16>
  %q = mp.prelu %t, %s : tensor<4x8xf32>, tensor<8xf32> -> tensor<4x8xf32>
  // STEP: mp.atan2 %{{.*}} : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  // PYTORCH: mp.atan2 %{{.*}} : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %u = mp.atan2 %q, %t : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %l = mp.reduce_mean %u dimensions [0, 1] : tensor<4x8xf32> -> tensor<f32>
  // STEP: mp.mul %[[Y]], %[[Y]] : tensor<4x8xf32>
  return %l : tensor<f32>
}
