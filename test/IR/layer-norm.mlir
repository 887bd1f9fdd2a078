// RUN: mp-opt %s -canonicalize | FileCheck %s
// RUN: mp-opt %s -mp-specialize=batch=4 -mp-autocast -mp-autodiff | FileCheck %s --check-prefix=STEP
// RUN: mp-opt %s -mp-specialize=batch=4 -mp-autocast -mp-autodiff -mp-decompose -mp-form-kernels | FileCheck %s --check-prefix=KERNELS

// CHECK-LABEL: @forms
func.func @forms(%x: tensor<2x4x8xbf16>, %scale: tensor<8xf32>, %offset: tensor<8xf32>, %g: tensor<2x4x8xbf16>)
    -> (tensor<2x4x8xbf16>, tensor<2x4x8xbf16>) {
  // CHECK: mp.layer_norm %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x4x8xbf16>, tensor<8xf32>
  %y = mp.layer_norm %x, %scale, %offset : tensor<2x4x8xbf16>, tensor<8xf32>
  // CHECK: mp.layer_norm_statistics %{{.*}} {epsilon = 1.000000e-03 : f64} : tensor<2x4x8xbf16> -> tensor<2x4x1xf32>, tensor<2x4x1xf32>
  %mean, %inv = mp.layer_norm_statistics %x {epsilon = 1.0e-3 : f64} : tensor<2x4x8xbf16> -> tensor<2x4x1xf32>, tensor<2x4x1xf32>
  // CHECK: mp.layer_norm_grad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x4x8xbf16>, tensor<8xf32>, tensor<2x4x1xf32>
  %gx = mp.layer_norm_grad %x, %scale, %mean, %inv, %g : tensor<2x4x8xbf16>, tensor<8xf32>, tensor<2x4x1xf32>
  return %y, %gx : tensor<2x4x8xbf16>, tensor<2x4x8xbf16>
}

// The norm is f32 between f16 products, its parameters are f32 anyway. Rows are as many as columns here.
// STEP-LABEL: func.func @train_step(
// KERNELS-LABEL: func.func @train_step(
func.func @step(%x: tensor<?x4xf32> {mp.input = "x"}, %labels: tensor<?xui8> {mp.input = "y"},
                %w: tensor<4x4xf32> {mp.parameter = "w", mp.initializer = #mp.zeros}, %v: tensor<4x3xf32> {mp.parameter = "v", mp.initializer = #mp.zeros},
                %scale: tensor<4xf32> {mp.parameter = "scale", mp.initializer = #mp.ones}, %offset: tensor<4xf32> {mp.parameter = "offset", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %z = mp.matmul %x, %w acc f32 : tensor<?x4xf32>, tensor<4x4xf32> -> tensor<?x4xf32>
  // STEP: %[[X:.*]] = mp.cast %{{.*}} : tensor<4x4xf16> -> tensor<4x4xf32>
  // STEP: mp.layer_norm %[[X]], %{{.*}}, %{{.*}} {epsilon = 1.000000e-03 : f64} : tensor<4x4xf32>, tensor<4xf32>
  // STEP: %[[MEAN:.*]], %[[INV:.*]] = mp.layer_norm_statistics %[[X]] {epsilon = 1.000000e-03 : f64}
  // STEP: mp.layer_norm_grad %[[X]], %{{.*}}, %[[MEAN]], %[[INV]], %{{.*}} : tensor<4x4xf32>
  // STEP: mp.sub %[[X]], %[[MEAN]]
  // STEP: mp.reduce_sum
  // STEP: mp.reduce_sum
  // One kernel forward, which takes the casts, one for the rows of the gradient and one for both sums over rows.
  // KERNELS: mp.kernel "layer_norm_
  // KERNELS-NOT: mp.yield
  // KERNELS: mp.layer_norm
  // KERNELS: mp.kernel "layer_norm_statistics_
  // KERNELS-NOT: mp.yield
  // KERNELS: mp.layer_norm_grad
  // KERNELS: mp.kernel "reduce_sum_
  // KERNELS-NOT: mp.yield
  // KERNELS: mp.reduce_sum %{{.*}} dimensions [0]
  // KERNELS-NOT: mp.yield
  // KERNELS: mp.reduce_sum %{{.*}} dimensions [0]
  %n = mp.layer_norm %z, %scale, %offset {epsilon = 1.0e-3 : f64} : tensor<?x4xf32>, tensor<4xf32>
  %o = mp.matmul %n, %v acc f32 : tensor<?x4xf32>, tensor<4x3xf32> -> tensor<?x3xf32>
  %l = mp.softmax_cross_entropy %o, %labels : tensor<?x3xf32>, tensor<?xui8> -> tensor<f32>
  return %l : tensor<f32>
}
