// RUN: mp-opt %s -canonicalize | mp-opt | FileCheck %s
// RUN: mp-opt %s -mp-specialize='batch=4 pad' -mp-autocast=policy=mixed_bfloat16 -mp-autodiff | FileCheck %s --check-prefix=STEP

// CHECK-LABEL: @forms
func.func @forms(%p: tensor<4x5xf32>, %y: tensor<4xui8>, %t: tensor<4x5xf32>, %w: tensor<4xf32>, %c: tensor<5xf32>)
    -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<4xf32>) {
  // CHECK: mp.cross_entropy %{{.*}}, %{{.*}} : tensor<4x5xf32>, tensor<4xui8> -> tensor<f32>
  %0 = mp.cross_entropy %p, %y : tensor<4x5xf32>, tensor<4xui8> -> tensor<f32>
  // CHECK: mp.cross_entropy %{{.*}}, %{{.*}} weights %{{.*}} : tensor<4xf32> {label_smoothing = 1.000000e-01 : f64} : tensor<4x5xf32>, tensor<4x5xf32> -> tensor<f32>
  %1 = mp.cross_entropy %p, %t weights %w : tensor<4xf32> {label_smoothing = 0.1 : f64} : tensor<4x5xf32>, tensor<4x5xf32> -> tensor<f32>
  // CHECK: mp.nll_loss %{{.*}}, %{{.*}} {ignore_label = 3 : i64} : tensor<4x5xf32>, tensor<4xui8> -> tensor<f32>
  %2 = mp.nll_loss %p, %y {ignore_label = 3 : i64} : tensor<4x5xf32>, tensor<4xui8> -> tensor<f32>
  // Weights of classes.
  // CHECK: %[[OF_LABEL:.*]] = mp.gather
  // CHECK: mp.nll_loss %{{.*}}, %{{.*}} weights %[[OF_LABEL]] : tensor<4xf32> : tensor<4x5xf32>, tensor<4xui8> -> tensor<f32>
  %g = mp.gather %c, %y dimension 0 : tensor<5xf32>, tensor<4xui8> -> tensor<4xf32>
  %3 = mp.nll_loss %p, %y weights %g : tensor<4xf32> : tensor<4x5xf32>, tensor<4xui8> -> tensor<f32>
  // CHECK: mp.kl_div %{{.*}}, %{{.*}} : tensor<4x5xf32>, tensor<4x5xf32> -> tensor<f32>
  %4 = mp.kl_div %p, %t : tensor<4x5xf32>, tensor<4x5xf32> -> tensor<f32>
  // CHECK: mp.softmax_cross_entropy %{{.*}}, %{{.*}} : tensor<4x5xf32>, tensor<4x5xf32> -> tensor<f32>
  %5 = mp.softmax_cross_entropy %p, %t : tensor<4x5xf32>, tensor<4x5xf32> -> tensor<f32>
  // CHECK: mp.cosine_similarity %{{.*}}, %{{.*}} {epsilon = 1.000000e-04 : f64} : tensor<4x5xf32>, tensor<4x5xf32> -> tensor<4xf32>
  %6 = mp.cosine_similarity %p, %t {epsilon = 1.0e-4 : f64} : tensor<4x5xf32>, tensor<4x5xf32> -> tensor<4xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<4xf32>
}

// Losses are f32 of bf16 products, a batch that is filled up weighs its rows, and gradients go through what a loss is made of.
// STEP-LABEL: func.func @train_step(
// STEP-SAME: %[[ROWS:[a-z_0-9]*]]: tensor<4xf32> {mp.batched, mp.row_weights}
func.func @step(%x: tensor<?x8xf32> {mp.input = "x"}, %t: tensor<?x3xf32> {mp.input = "t"}, %y: tensor<?xi32> {mp.input = "y"},
                %w: tensor<8x3xf32> {mp.parameter = "w", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %z = mp.matmul %x, %w acc f32 : tensor<?x8xf32>, tensor<8x3xf32> -> tensor<?x3xf32>
  // STEP: %[[Z:.*]] = mp.cast %{{.*}} {autocast} : tensor<4x3xbf16> -> tensor<4x3xf32>
  // STEP: %[[SOFT:.*]] = mp.log_softmax %[[Z]] : tensor<4x3xf32>
  // STEP: mp.mul %{{.*}}, %[[ROWS]] : 
  // STEP-NOT: mp.softmax_cross_entropy
  %soft = mp.softmax_cross_entropy %z, %t : tensor<?x3xf32>, tensor<?x3xf32> -> tensor<f32>
  %logs = mp.log_softmax %z : tensor<?x3xf32>
  // STEP: mp.mul %{{.*}}, %[[ROWS]] : 
  %nll = mp.nll_loss %logs, %y : tensor<?x3xf32>, tensor<?xi32> -> tensor<f32>
  // STEP: mp.mul %{{.*}}, %[[ROWS]] : 
  %kl = mp.kl_div %logs, %t : tensor<?x3xf32>, tensor<?x3xf32> -> tensor<f32>
  %p = mp.exp %logs : tensor<?x3xf32>
  // STEP: mp.clamp
  // STEP: mp.mul %{{.*}}, %[[ROWS]] : 
  %ce = mp.cross_entropy %p, %y : tensor<?x3xf32>, tensor<?xi32> -> tensor<f32>
  %a = mp.add %soft, %nll : tensor<f32>, tensor<f32> -> tensor<f32>
  %b = mp.add %kl, %ce : tensor<f32>, tensor<f32> -> tensor<f32>
  %l = mp.add %a, %b : tensor<f32>, tensor<f32> -> tensor<f32>
  return %l : tensor<f32>
}
