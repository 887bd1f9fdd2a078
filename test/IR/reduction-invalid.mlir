// RUN: mp-opt %s -split-input-file -verify-diagnostics

// mp.reduce_sum (C2)
func.func @twice(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{found dimension 0, expected distinct, ascending ones less than the operand's rank 2}}
  %0 = mp.reduce_sum %x dimensions [0, 0] : tensor<4x8xf32> -> tensor<8xf32>
  return
}
// -----
// mp.reduce_mean (C2)
func.func @outside(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{found dimension 2, expected distinct, ascending ones less than the operand's rank 2}}
  %0 = mp.reduce_mean %x dimensions [2] : tensor<4x8xf32> -> tensor<8xf32>
  return
}
// -----
// mp.reduce_max (C2)
func.func @negative(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{found dimension -1, expected distinct, ascending ones less than the operand's rank 2}}
  %0 = mp.reduce_max %x dimensions [-1] : tensor<4x8xf32> -> tensor<4xf32>
  return
}
// -----
// mp.reduce_sum (C3)
func.func @kept(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{has results of types 'tensor<4xf32>', expected 'tensor<4x1xf32>'}}
  %0 = mp.reduce_sum %x dimensions [1] keep_dims : tensor<4x8xf32> -> tensor<4xf32>
  return
}
// -----
// mp.argmax (C1)
func.func @argmax_dimension(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{dimension 2 is outside the operand's rank 2}}
  %0 = mp.argmax %x dimension 2 : tensor<4x8xf32> -> tensor<4xi32>
  return
}
// -----
// mp.argmax (C1)
func.func @argmax_of_nothing(%x: tensor<4x0xf32>) {
  // expected-error @+1 {{dimension 1 has no element}}
  %0 = mp.argmax %x dimension 1 : tensor<4x0xf32> -> tensor<4xi32>
  return
}
// -----
// mp.argmax (C2)
func.func @argmax_type(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{result has type 'ui8', expected i32 or i64}}
  %0 = mp.argmax %x dimension 1 : tensor<4x8xf32> -> tensor<4xui8>
  return
}
// -----
// mp.softmax (C1)
func.func @softmax_of_a_scalar(%x: tensor<f32>) {
  // expected-error @+1 {{operand has at least rank 1, found rank 0}}
  %0 = mp.softmax %x : tensor<f32>
  return
}
// -----
// mp.softmax_cross_entropy (C1)
func.func @labels(%z: tensor<4x10xf32>, %y: tensor<5xi32>) {
  // expected-error @+1 {{labels are 'tensor<5xi32>', expected one for each row of the logits, which are 'tensor<4x10xf32>'}}
  %0 = mp.softmax_cross_entropy %z, %y : tensor<4x10xf32>, tensor<5xi32> -> tensor<f32>
  return
}
// -----
// mp.softmax_cross_entropy (C1)
func.func @row_weights(%z: tensor<4x10xf32>, %y: tensor<4xi32>, %w: tensor<10xf32>) {
  // expected-error @+1 {{weights are 'tensor<10xf32>', expected one for each row of the logits, which are 'tensor<4x10xf32>'}}
  %0 = mp.softmax_cross_entropy %z, %y weights %w : tensor<10xf32> : tensor<4x10xf32>, tensor<4xi32> -> tensor<f32>
  return
}
// -----
// mp.softmax_cross_entropy (C2)
func.func @weight_type(%z: tensor<4x10xf16>, %y: tensor<4xi32>, %w: tensor<4xf16>) {
  // expected-error @+1 {{weights have type 'f16', expected 'f32'}}
  %0 = mp.softmax_cross_entropy %z, %y weights %w : tensor<4xf16> : tensor<4x10xf16>, tensor<4xi32> -> tensor<f32>
  return
}
// -----
// mp.softmax_cross_entropy (C1)
func.func @no_classes(%z: tensor<4x0xf16>, %y: tensor<4xi32>) {
  // expected-error @+1 {{logits are 'tensor<4x0xf16>', expected a last dimension of classes}}
  %0 = mp.softmax_cross_entropy %z, %y : tensor<4x0xf16>, tensor<4xi32> -> tensor<f32>
  return
}
// -----
// mp.softmax_cross_entropy (C2)
func.func @loss_type(%z: tensor<4x10xf16>, %y: tensor<4xi32>) {
  // expected-error @+1 {{has results of types 'tensor<f16>', expected 'tensor<f32>'}}
  %0 = mp.softmax_cross_entropy %z, %y : tensor<4x10xf16>, tensor<4xi32> -> tensor<f16>
  return
}
// -----
// mp.softmax_cross_entropy (C1)
func.func @float_labels(%z: tensor<4x10xf16>, %y: tensor<4xf32>) {
  // expected-error @+1 {{labels are 'tensor<4xf32>', probabilities of classes, expected the shape of the logits, which are 'tensor<4x10xf16>'}}
  %0 = mp.softmax_cross_entropy %z, %y : tensor<4x10xf16>, tensor<4xf32> -> tensor<f32>
  return
}
// -----
// mp.softmax_cross_entropy_grad (C6)
func.func @gradient_type(%z: tensor<4x10xf16>, %y: tensor<4xi32>, %g: tensor<f16>) {
  // expected-error @+1 {{gradient has type 'tensor<f16>', expected tensor<'f32'>}}
  %0 = mp.softmax_cross_entropy_grad %z, %y, %g : tensor<4x10xf16>, tensor<4xi32>, tensor<f16>
  return
}
// -----
// mp.softmax_cross_entropy_grad (C1)
func.func @gradient_rows(%z: tensor<4x10xf16>, %y: tensor<5xi32>, %g: tensor<f32>) {
  // expected-error @+1 {{labels are 'tensor<5xi32>', expected one for each row of the logits, which are 'tensor<4x10xf16>'}}
  %0 = mp.softmax_cross_entropy_grad %z, %y, %g : tensor<4x10xf16>, tensor<5xi32>, tensor<f32>
  return
}
// -----
// mp.reduce_sum (C1)
func.func @reduced_type(%x: tensor<4x8xf16>) {
  // expected-error @+1 {{requires the same element type for all operands and results}}
  %0 = mp.reduce_sum %x dimensions [0] : tensor<4x8xf16> -> tensor<8xf32>
  return
}
// -----
// mp.softmax_cross_entropy (C4)
func.func @all_smoothed(%z: tensor<4x10xf16>, %y: tensor<4xi32>) {
  // expected-error @+1 {{label_smoothing is 1.000000e+00, expected at least 0 and less than 1}}
  %0 = mp.softmax_cross_entropy %z, %y {label_smoothing = 1.0 : f64} : tensor<4x10xf16>, tensor<4xi32> -> tensor<f32>
  return
}
// -----
// mp.softmax_cross_entropy (C5)
func.func @no_such_label(%z: tensor<4x10xf16>, %y: tensor<4xui8>) {
  // expected-error @+1 {{ignore_label is -100, which labels of type 'ui8' cannot be}}
  %0 = mp.softmax_cross_entropy %z, %y {ignore_label = -100 : i64} : tensor<4x10xf16>, tensor<4xui8> -> tensor<f32>
  return
}
// -----
// mp.softmax_cross_entropy_grad (C5)
func.func @no_such_label_of_gradient(%z: tensor<4x10xf16>, %y: tensor<4xi32>, %g: tensor<f32>) {
  // expected-error @+1 {{ignore_label is 4294967296, which labels of type 'i32' cannot be}}
  %0 = mp.softmax_cross_entropy_grad %z, %y, %g {ignore_label = 4294967296 : i64} : tensor<4x10xf16>, tensor<4xi32>, tensor<f32>
  return
}
// -----
// mp.log_softmax (C1)
func.func @logarithm_of_scalar(%x: tensor<f32>) {
  // expected-error @+1 {{'mp.log_softmax' op operand has at least rank 1, found rank 0}}
  %0 = mp.log_softmax %x : tensor<f32>
  return
}
// -----
// mp.argmin (C1)
func.func @argmin_dimension(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{dimension 2 is outside the operand's rank 2}}
  %0 = mp.argmin %x dimension 2 : tensor<4x8xf32> -> tensor<4xi32>
  return
}
// -----
// mp.argmin (C1)
func.func @argmin_of_nothing(%x: tensor<4x0xf32>) {
  // expected-error @+1 {{dimension 1 has no element}}
  %0 = mp.argmin %x dimension 1 : tensor<4x0xf32> -> tensor<4xi32>
  return
}
// -----
// mp.argmin (C2)
func.func @argmin_type(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{result has type 'ui8', expected i32 or i64}}
  %0 = mp.argmin %x dimension 1 : tensor<4x8xf32> -> tensor<4xui8>
  return
}
// -----
// mp.argmin (C2)
func.func @argmin_shape(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{result has shape [8], operands and attributes give [4]}}
  %0 = mp.argmin %x dimension 1 : tensor<4x8xf32> -> tensor<8xi32>
  return
}
// -----
// mp.l2_normalize (C1)
func.func @length_of_a_scalar(%x: tensor<f32>) {
  // expected-error @+1 {{operand is 'tensor<f32>', expected a last dimension of elements}}
  %0 = mp.l2_normalize %x : tensor<f32>
  return
}
// -----
// mp.l2_normalize (C2)
func.func @divided_by_0(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{epsilon is 0.000000e+00, expected a finite number greater than 0}}
  %0 = mp.l2_normalize %x {epsilon = 0.0 : f64} : tensor<4x8xf32>
  return
}
