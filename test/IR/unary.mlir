// RUN: mp-opt %s -canonicalize | mp-opt | FileCheck %s
// RUN: mp-opt %s -mp-specialize=batch=4 -mp-autocast -mp-autodiff | FileCheck %s --check-prefix=STEP

// CHECK-LABEL: @forms
func.func @forms(%x: tensor<4x8xf16>, %e: tensor<8xf16>) -> tensor<4x8xf16> {
  // CHECK: mp.neg %{{.*}} : tensor<4x8xf16>
  %0 = mp.neg %x : tensor<4x8xf16>
  // CHECK: mp.abs %{{.*}} : tensor<4x8xf16>
  %1 = mp.abs %0 : tensor<4x8xf16>
  // CHECK: mp.floor %{{.*}} : tensor<4x8xf16>
  %2 = mp.floor %1 : tensor<4x8xf16>
  // CHECK: mp.round %{{.*}} : tensor<4x8xf16>
  %3 = mp.round %2 : tensor<4x8xf16>
  // CHECK: mp.reciprocal %{{.*}} : tensor<4x8xf16>
  %4 = mp.reciprocal %3 : tensor<4x8xf16>
  // CHECK: mp.rsqrt %{{.*}} : tensor<4x8xf16>
  %5 = mp.rsqrt %4 : tensor<4x8xf16>
  // CHECK: mp.erf %{{.*}} : tensor<4x8xf16>
  %6 = mp.erf %5 : tensor<4x8xf16>
  // CHECK: mp.clamp %{{.*}} {max = 6.000000e+00 : f64, min = 0.000000e+00 : f64} : tensor<4x8xf16>
  %7 = mp.clamp %6 {min = 0.0 : f64, max = 6.0 : f64} : tensor<4x8xf16>
  // CHECK: mp.sigmoid %{{.*}} : tensor<4x8xf16>
  %8 = mp.sigmoid %7 : tensor<4x8xf16>
  // CHECK: mp.silu %{{.*}} : tensor<4x8xf16>
  %9 = mp.silu %8 : tensor<4x8xf16>
  // CHECK: mp.softplus %{{.*}} : tensor<4x8xf16>
  %10 = mp.softplus %9 : tensor<4x8xf16>
  // CHECK: mp.leaky_relu %{{[0-9]+}} : tensor<4x8xf16>
  %11 = mp.leaky_relu %10 : tensor<4x8xf16>
  // CHECK: mp.leaky_relu %{{.*}} {negative_slope = 2.000000e-01 : f64} : tensor<4x8xf16>
  %12 = mp.leaky_relu %11 {negative_slope = 0.2 : f64} : tensor<4x8xf16>
  // CHECK: mp.elu %{{[0-9]+}} : tensor<4x8xf16>
  %13 = mp.elu %12 {alpha = 1.0 : f64} : tensor<4x8xf16>
  // CHECK: mp.selu %{{.*}} : tensor<4x8xf16>
  %selu = mp.selu %13 : tensor<4x8xf16>
  // CHECK: mp.hard_sigmoid %{{.*}} : tensor<4x8xf16>
  %hard = mp.hard_sigmoid %selu : tensor<4x8xf16>
  // CHECK: mp.hard_swish %{{.*}} : tensor<4x8xf16>
  %swish = mp.hard_swish %hard : tensor<4x8xf16>
  // CHECK: mp.min %{{.*}} : tensor<4x8xf16>, tensor<4x8xf16> -> tensor<4x8xf16>
  %14 = mp.min %swish, %x : tensor<4x8xf16>, tensor<4x8xf16> -> tensor<4x8xf16>
  // CHECK: mp.sin %{{.*}} : tensor<4x8xf16>
  %15 = mp.sin %14 : tensor<4x8xf16>
  // CHECK: mp.cos %{{.*}} : tensor<4x8xf16>
  %16 = mp.cos %15 : tensor<4x8xf16>
  // CHECK: mp.pow %{{.*}}, %{{.*}} : tensor<4x8xf16>, tensor<8xf16> -> tensor<4x8xf16>
  %17 = mp.pow %16, %e : tensor<4x8xf16>, tensor<8xf16> -> tensor<4x8xf16>
  return %17 : tensor<4x8xf16>
}

// Between f16 products an activation stays f16; what autocast denies, and every factor of a gradient, is f32.
// STEP-LABEL: func.func @train_step(
func.func @step(%x: tensor<4x8xf32> {mp.input = "x"}, %labels: tensor<4xui8> {mp.input = "y"},
                %w: tensor<8x8xf32> {mp.parameter = "w", mp.initializer = #mp.zeros}, %v: tensor<8x3xf32> {mp.parameter = "v", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %z = mp.matmul %x, %w acc f32 : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  // STEP: %[[S:.*]] = mp.silu %[[Z:.*]] : tensor<4x8xf16>
  %s = mp.silu %z : tensor<4x8xf32>
  // STEP: mp.softplus %{{.*}} : tensor<4x8xf32>
  %p = mp.softplus %s : tensor<4x8xf32>
  %o = mp.matmul %p, %v acc f32 : tensor<4x8xf32>, tensor<8x3xf32> -> tensor<4x3xf32>
  %l = mp.softmax_cross_entropy %o, %labels : tensor<4x3xf32>, tensor<4xui8> -> tensor<f32>
  // STEP: mp.sigmoid %{{.*}} : tensor<4x8xf32>
  // STEP: %[[X:.*]] = mp.cast %[[Z]] : tensor<4x8xf16> -> tensor<4x8xf32>
  // STEP: mp.sigmoid %[[X]] : tensor<4x8xf32>
  return %l : tensor<f32>
}

// pow is f32 behind an f16 product, sin and cos follow it; gradients are in f32, and of a constant exponent there is none.
// STEP-LABEL: func.func @train_step_0(
func.func @powers(%x: tensor<4x8xf32> {mp.input = "x"}, %w: tensor<8x8xf32> {mp.parameter = "w", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  // STEP: %[[Z:.*]] = mp.matmul {{.*}} -> tensor<4x8xf16>
  %z = mp.matmul %x, %w acc f32 : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  // STEP: %[[S:.*]] = mp.sin %[[Z]] : tensor<4x8xf16>
  %s = mp.sin %z : tensor<4x8xf32>
  // STEP: mp.cos %[[S]] : tensor<4x8xf16>
  %c = mp.cos %s : tensor<4x8xf32>
  %three = mp.constant dense<3.0> : tensor<f32>
  // STEP: mp.pow %{{.*}} : tensor<4x8xf32>, tensor<f32> -> tensor<4x8xf32>
  %p = mp.pow %c, %three : tensor<4x8xf32>, tensor<f32> -> tensor<4x8xf32>
  %l = mp.reduce_mean %p dimensions [0, 1] : tensor<4x8xf32> -> tensor<f32>
  // STEP-NOT: mp.log
  // STEP: mp.pow %{{.*}} : tensor<4x8xf32>, tensor<f32> -> tensor<4x8xf32>
  // STEP-NOT: mp.log
  // STEP: mp.sin %{{.*}} : tensor<4x8xf32>
  // STEP: mp.cos %{{.*}} : tensor<4x8xf32>
  return %l : tensor<f32>
}
