// RUN: mp-opt %s -canonicalize | FileCheck %s
// RUN: mp-opt %s -mp-specialize=batch=4 -mp-autocast -mp-autodiff | FileCheck %s --check-prefix=STEP

// CHECK-LABEL: @forms
func.func @forms(%x: tensor<4x8xbf16>, %g: tensor<4x8xbf16>) -> (tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<4x8xbf16>) {
  // What is the default is not printed.
  // CHECK: mp.gelu %{{.*}} : tensor<4x8xbf16>
  %y = mp.gelu %x approximate none : tensor<4x8xbf16>
  // CHECK: mp.gelu %{{.*}} approximate tanh : tensor<4x8xbf16>
  %z = mp.gelu %x approximate tanh : tensor<4x8xbf16>
  // CHECK: mp.gelu_grad %{{.*}}, %{{.*}} approximate tanh : tensor<4x8xbf16>
  %d = mp.gelu_grad %x, %g approximate tanh : tensor<4x8xbf16>
  return %y, %z, %d : tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<4x8xbf16>
}

// Between f16 products it stays f16. Its gradient is one op, which reads what it read.
// STEP-LABEL: func.func @train_step(
func.func @step(%x: tensor<4x8xf32> {mp.input = "x"}, %labels: tensor<4xui8> {mp.input = "y"},
                %w: tensor<8x8xf32> {mp.parameter = "w", mp.initializer = #mp.zeros}, %v: tensor<8x3xf32> {mp.parameter = "v", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  // STEP: %[[Z:.*]] = mp.matmul
  %z = mp.matmul %x, %w acc f32 : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  // STEP: mp.gelu %[[Z]] approximate tanh : tensor<4x8xf16>
  %h = mp.gelu %z approximate tanh : tensor<4x8xf32>
  %o = mp.matmul %h, %v acc f32 : tensor<4x8xf32>, tensor<8x3xf32> -> tensor<4x3xf32>
  %l = mp.softmax_cross_entropy %o, %labels : tensor<4x3xf32>, tensor<4xui8> -> tensor<f32>
  // STEP: mp.gelu_grad %[[Z]], %{{.*}} approximate tanh : tensor<4x8xf16>
  return %l : tensor<f32>
}
