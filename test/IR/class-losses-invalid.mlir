// RUN: mp-opt %s -split-input-file -verify-diagnostics -mp-autocast

// mp.softmax_cross_entropy (C1)
func.func @no_classes(%p: tensor<4x0xf32>, %y: tensor<4xi32>) {
  // expected-error @+1 {{'mp.cross_entropy' op probabilities are 'tensor<4x0xf32>', expected a last dimension of classes}}
  %l = mp.cross_entropy %p, %y : tensor<4x0xf32>, tensor<4xi32> -> tensor<f32>
  return
}
// -----
// mp.softmax_cross_entropy (C1)
func.func @too_many_labels(%x: tensor<4x5xf32>, %y: tensor<5xi32>) {
  // expected-error @+1 {{'mp.nll_loss' op labels are 'tensor<5xi32>', expected one for each row of the logs, which are 'tensor<4x5xf32>'}}
  %l = mp.nll_loss %x, %y : tensor<4x5xf32>, tensor<5xi32> -> tensor<f32>
  return
}
// -----
// mp.softmax_cross_entropy (C1)
func.func @other_probabilities(%x: tensor<4x5xf32>, %t: tensor<4x6xf32>) {
  // expected-error @+1 {{labels are 'tensor<4x6xf32>', probabilities of classes, expected the shape of the probabilities, which are 'tensor<4x5xf32>'}}
  %l = mp.cross_entropy %x, %t : tensor<4x5xf32>, tensor<4x6xf32> -> tensor<f32>
  return
}
// -----
// mp.softmax_cross_entropy (C3)
func.func @flags(%x: tensor<4x5xf32>, %t: tensor<4x5xi1>) {
  // expected-error @+1 {{operand #1 must be ranked tensor of}}
  %l = mp.softmax_cross_entropy %x, %t : tensor<4x5xf32>, tensor<4x5xi1> -> tensor<f32>
  return
}
// -----
// mp.softmax_cross_entropy (C4)
func.func @all_smoothed(%x: tensor<4x5xf32>, %t: tensor<4x5xf32>) {
  // expected-error @+1 {{label_smoothing is 1.000000e+00, expected at least 0 and less than 1}}
  %l = mp.cross_entropy %x, %t {label_smoothing = 1.0 : f64} : tensor<4x5xf32>, tensor<4x5xf32> -> tensor<f32>
  return
}
// -----
// mp.softmax_cross_entropy (C5)
func.func @no_probability_is_ignored(%x: tensor<4x5xf32>, %t: tensor<4x5xf16>) {
  // expected-error @+1 {{ignore_label is 3, but labels of type 'f16' are probabilities}}
  %l = mp.softmax_cross_entropy %x, %t {ignore_label = 3 : i64} : tensor<4x5xf32>, tensor<4x5xf16> -> tensor<f32>
  return
}
// -----
// mp.softmax_cross_entropy (C5)
func.func @never_that_label(%x: tensor<4x5xf32>, %t: tensor<4xui8>) {
  // expected-error @+1 {{ignore_label is -100, which labels of type 'ui8' cannot be}}
  %l = mp.nll_loss %x, %t {ignore_label = -100 : i64} : tensor<4x5xf32>, tensor<4xui8> -> tensor<f32>
  return
}
// -----
// mp.kl_div (C1)
func.func @would_broadcast(%x: tensor<4x5xf32>, %t: tensor<5xf32>) {
  // expected-error @+1 {{'mp.kl_div' op target is 'tensor<5xf32>', expected the shape of the logs, 'tensor<4x5xf32>': shapes of losses do not broadcast}}
  %l = mp.kl_div %x, %t : tensor<4x5xf32>, tensor<5xf32> -> tensor<f32>
  return
}
// -----
// mp.kl_div (C1)
func.func @two_types_of_rows(%x: tensor<4x5xf32>, %t: tensor<4x5xf16>) {
  // expected-error @+1 {{target is 'tensor<4x5xf16>', expected elements of 'f32' as the logs have: mp.cast one of them}}
  %l = mp.kl_div %x, %t : tensor<4x5xf32>, tensor<4x5xf16> -> tensor<f32>
  return
}
// -----
// mp.kl_div (C1)
func.func @no_row(%x: tensor<f32>) {
  // expected-error @+1 {{logs are 'tensor<f32>', expected a last dimension of classes}}
  %l = mp.kl_div %x, %x : tensor<f32>, tensor<f32> -> tensor<f32>
  return
}
// -----
// mp.kl_div (C2)
func.func @narrow_weights(%x: tensor<4x5xf16>, %w: tensor<4xf16>) {
  // expected-error @+1 {{weights have type 'f16', expected 'f32'}}
  %l = mp.kl_div %x, %x weights %w : tensor<4xf16> : tensor<4x5xf16>, tensor<4x5xf16> -> tensor<f32>
  return
}
// -----
// mp.kl_div (C2)
func.func @too_few_weights(%x: tensor<4x2x5xf32>, %w: tensor<4xf32>) {
  // expected-error @+1 {{weights are 'tensor<4xf32>', expected one for each row of the logs}}
  %l = mp.kl_div %x, %x weights %w : tensor<4xf32> : tensor<4x2x5xf32>, tensor<4x2x5xf32> -> tensor<f32>
  return
}
// -----
// mp.cosine_similarity (C1)
func.func @no_vector(%x: tensor<4x0xf32>) {
  // expected-error @+1 {{'mp.cosine_similarity' op operand is 'tensor<4x0xf32>', expected a last dimension of elements}}
  %l = mp.cosine_similarity %x, %x : tensor<4x0xf32>, tensor<4x0xf32> -> tensor<4xf32>
  return
}
// -----
// mp.cosine_similarity (C1)
func.func @two_types(%x: tensor<4x5xf32>, %y: tensor<5xf32>) {
  // expected-error @+1 {{'mp.cosine_similarity' op operands are 'tensor<4x5xf32>' and 'tensor<5xf32>', expected one type: mp.broadcast or mp.cast one of them}}
  %l = mp.cosine_similarity %x, %y : tensor<4x5xf32>, tensor<5xf32> -> tensor<4xf32>
  return
}
// -----
// mp.cosine_similarity (C2)
func.func @epsilon(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{epsilon is 0.000000e+00, expected a finite number greater than 0 in 'f32'}}
  %l = mp.cosine_similarity %x, %x {epsilon = 0.0 : f64} : tensor<4x5xf32>, tensor<4x5xf32> -> tensor<4xf32>
  return
}
// -----
// mp.cosine_similarity (C2)
func.func @epsilon_of_f64(%x: tensor<4x5xf32>) {
  // expected-error @+1 {{epsilon is 1.000000e-50, expected a finite number greater than 0 in 'f32'}}
  %l = mp.cosine_similarity %x, %x {epsilon = 1.0e-50 : f64} : tensor<4x5xf32>, tensor<4x5xf32> -> tensor<4xf32>
  return
}
// -----
// no constraint: f16 has no probability next to 1
func.func @probabilities(%y: tensor<4xi32> {mp.input = "y"}, %w: tensor<4x5xf32> {mp.parameter = "w", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model", mp.batch = 4 : i64} {
  %p = mp.softmax %w : tensor<4x5xf32>
  // expected-error @+1 {{'mp.cross_entropy' op is unsafe in f16 and refused where autocast makes f16; use mp.softmax_cross_entropy, which is safe there}}
  %l = mp.cross_entropy %p, %y : tensor<4x5xf32>, tensor<4xi32> -> tensor<f32>
  return %l : tensor<f32>
}
