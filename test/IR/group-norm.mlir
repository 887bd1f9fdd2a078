// RUN: mp-opt %s | FileCheck %s
// RUN: mp-opt %s -mp-specialize=batch=2 -mp-autocast -mp-autodiff | FileCheck %s --check-prefix=STEP
// RUN: mp-opt %s -mp-specialize=batch=2 -mp-autocast -mp-autodiff -mp-decompose -cse -mp-form-kernels | FileCheck %s --check-prefix=KERNELS

// CHECK-LABEL: @forms
func.func @forms(%x: tensor<2x4x8xbf16>, %c: tensor<8xf32>) {
  // CHECK: mp.group_norm %{{.*}}, %{{.*}}, %{{.*}} groups 2 : tensor<2x4x8xbf16>, tensor<8xf32>
  %y = mp.group_norm %x, %c, %c groups 2 : tensor<2x4x8xbf16>, tensor<8xf32>
  // CHECK: mp.group_norm_grad %{{.*}}, %{{.*}}, %{{.*}} groups 8 {epsilon = 1.000000e-03 : f64} : tensor<2x4x8xbf16>, tensor<8xf32>
  %gx, %gs, %go = mp.group_norm_grad %x, %c, %y groups 8 {epsilon = 1.0e-3 : f64} : tensor<2x4x8xbf16>, tensor<8xf32>
  return
}

// f32, with f32 parameters, behind an f16 convolution.
// STEP-LABEL: func.func @train_step(
// KERNELS-LABEL: func.func @train_step(
func.func @step(%x: tensor<?x6x3xf32> {mp.input = "x"}, %w: tensor<8x3x3xf32> {mp.parameter = "w", mp.initializer = #mp.zeros},
                %s: tensor<8xf32> {mp.parameter = "s", mp.initializer = #mp.ones}, %o: tensor<8xf32> {mp.parameter = "o", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %z = mp.conv %x, %w acc f32 {padding = same} : tensor<?x6x3xf32>, tensor<8x3x3xf32> -> tensor<?x6x8xf32>
  // CHECK: mp.group_norm %{{.*}} groups 4 : tensor<?x6x8xf32>, tensor<8xf32>
  // STEP: %[[Y:.*]] = mp.group_norm %[[Z:.*]], %{{.*}}, %{{.*}} groups 4 : tensor<2x6x8xf32>, tensor<8xf32>
  %y = mp.group_norm %z, %s, %o groups 4 : tensor<?x6x8xf32>, tensor<8xf32>
  %l = mp.reduce_mean %y dimensions [0, 1, 2] : tensor<?x6x8xf32> -> tensor<f32>
  // STEP: mp.group_norm_grad %[[Z]], %{{.*}}, %{{.*}} groups 4 : tensor<2x6x8xf32>, tensor<8xf32>
  // Statistics are of rows, a group of an image each.
  // KERNELS: mp.transpose %{{.*}} permutation [0, 2, 1, 3] : tensor<2x6x4x2x{{.*}}> -> tensor<2x4x6x2x{{.*}}>
  // KERNELS: mp.layer_norm_statistics %{{.*}} : tensor<2x4x12x{{.*}}> -> tensor<2x4x1xf32>, tensor<2x4x1xf32>
  // KERNELS: mp.layer_norm_grad %{{.*}} : tensor<2x4x12xf32>, tensor<12xf32>, tensor<2x4x1xf32>
  return %l : tensor<f32>
}
