// RUN: mp-opt %s -split-input-file -verify-diagnostics -mp-autocast

// mp.mse_loss (C1)
func.func @no_rows(%x: tensor<f32>) {
  // expected-error @+1 {{'mp.mse_loss' op prediction is 'tensor<f32>', expected at least rank 1: a first dimension of rows}}
  %l = mp.mse_loss %x, %x : tensor<f32>, tensor<f32> -> tensor<f32>
  return
}
// -----
// mp.mse_loss (C1)
func.func @would_broadcast(%x: tensor<4x1xf32>, %t: tensor<4xf32>) {
  // expected-error @+1 {{target is 'tensor<4xf32>', expected the type of the prediction, 'tensor<4x1xf32>': shapes of losses do not broadcast}}
  %l = mp.mse_loss %x, %t : tensor<4x1xf32>, tensor<4xf32> -> tensor<f32>
  return
}
// -----
// mp.mse_loss (C1)
func.func @another_type(%x: tensor<4xf32>, %t: tensor<4xf16>) {
  // expected-error @+1 {{'mp.sigmoid_cross_entropy' op target is 'tensor<4xf16>', expected the type of the prediction, 'tensor<4xf32>'}}
  %l = mp.sigmoid_cross_entropy %x, %t : tensor<4xf32>, tensor<4xf16> -> tensor<f32>
  return
}
// -----
// mp.mse_loss (C2)
func.func @too_few_weights(%x: tensor<4x2xf32>, %w: tensor<2xf32>) {
  // expected-error @+1 {{'mp.l1_loss' op weights are 'tensor<2xf32>', expected 'tensor<4xf32>', one for each row}}
  %l = mp.l1_loss %x, %x weights %w : tensor<2xf32> : tensor<4x2xf32>, tensor<4x2xf32> -> tensor<f32>
  return
}
// -----
// mp.mse_loss (C2)
func.func @narrow_weights(%x: tensor<4x2xf16>, %w: tensor<4xf16>) {
  // expected-error @+1 {{weights are 'tensor<4xf16>', expected 'tensor<4xf32>', one for each row}}
  %l = mp.mse_loss %x, %x weights %w : tensor<4xf16> : tensor<4x2xf16>, tensor<4x2xf16> -> tensor<f32>
  return
}
// -----
// mp.huber_loss (C3)
func.func @delta(%x: tensor<4xf32>) {
  // expected-error @+1 {{delta is 0.000000e+00, expected a finite number greater than 0}}
  %l = mp.huber_loss %x, %x {delta = 0.0 : f64} : tensor<4xf32>, tensor<4xf32> -> tensor<f32>
  return
}
// -----
// no constraint: f16 has no probability next to 1
func.func @probabilities(%x: tensor<4xf32> {mp.input = "x"}, %w: tensor<4xf32> {mp.parameter = "w", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model", mp.batch = 4 : i64} {
  %p = mp.sigmoid %w : tensor<4xf32>
  // expected-error @+1 {{'mp.binary_cross_entropy' op is unsafe in f16 and refused where autocast makes f16; use mp.sigmoid_cross_entropy, which is safe there}}
  %l = mp.binary_cross_entropy %p, %x : tensor<4xf32>, tensor<4xf32> -> tensor<f32>
  return %l : tensor<f32>
}
