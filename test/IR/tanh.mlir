// RUN: mp-opt %s -canonicalize | FileCheck %s
// RUN: mp-opt %s -mp-specialize=batch=4 -mp-autocast -mp-autodiff | FileCheck %s --check-prefix=STEP

// CHECK-LABEL: @forms
func.func @forms(%x: tensor<4x8xbf16>, %g: tensor<4x8xbf16>) -> (tensor<4x8xbf16>, tensor<4x8xbf16>) {
  // CHECK: mp.tanh %{{.*}} : tensor<4x8xbf16>
  %y = mp.tanh %x : tensor<4x8xbf16>
  // CHECK: mp.tanh_grad %{{.*}}, %{{.*}} : tensor<4x8xbf16>
  %d = mp.tanh_grad %y, %g : tensor<4x8xbf16>
  return %y, %d : tensor<4x8xbf16>, tensor<4x8xbf16>
}

// Between f16 products it stays f16, and its gradient is one op that reads the result.
// STEP-LABEL: func.func @train_step(
func.func @step(%x: tensor<4x8xf32> {mp.input = "x"}, %labels: tensor<4xui8> {mp.input = "y"},
                %w: tensor<8x8xf32> {mp.parameter = "w", mp.initializer = #mp.zeros}, %v: tensor<8x3xf32> {mp.parameter = "v", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %z = mp.matmul %x, %w acc f32 : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  // STEP: %[[Y:.*]] = mp.tanh %{{.*}} : tensor<4x8xf16>
  %h = mp.tanh %z : tensor<4x8xf32>
  %o = mp.matmul %h, %v acc f32 : tensor<4x8xf32>, tensor<8x3xf32> -> tensor<4x3xf32>
  %l = mp.softmax_cross_entropy %o, %labels : tensor<4x3xf32>, tensor<4xui8> -> tensor<f32>
  // STEP: mp.tanh_grad %[[Y]], %{{.*}} : tensor<4x8xf16>
  return %l : tensor<f32>
}
