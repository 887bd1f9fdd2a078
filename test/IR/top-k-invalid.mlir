// RUN: mp-opt %s -split-input-file -verify-diagnostics

// mp.top_k (C1)
func.func @of_a_scalar(%x: tensor<f32>) {
  // expected-error @+1 {{operand has rank 0, expected at least 1}}
  %v, %i = "mp.top_k"(%x) {k = 1 : i64} : (tensor<f32>) -> (tensor<f32>, tensor<i32>)
  return
}
// -----
// mp.top_k (C1)
func.func @of_an_open_row(%x: tensor<4x?xf32>) {
  // expected-error @+1 {{operand has shape [4x?], expected a last dimension of less than 2^31 elements that is not open}}
  %v, %i = mp.top_k %x k 1 : tensor<4x?xf32> -> tensor<4x1xf32>, tensor<4x1xi32>
  return
}
// -----
// mp.top_k (C1)
func.func @of_too_many(%x: tensor<2147483648xf32>) {
  // expected-error @+1 {{operand has shape [2147483648], expected a last dimension of less than 2^31 elements that is not open}}
  %v, %i = mp.top_k %x k 1 : tensor<2147483648xf32> -> tensor<1xf32>, tensor<1xi32>
  return
}
// -----
// mp.top_k (C2)
func.func @none(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{k is 0, expected at least 1 and at most the 8 elements of the last dimension}}
  %v, %i = mp.top_k %x k 0 : tensor<4x8xf32> -> tensor<4x0xf32>, tensor<4x0xi32>
  return
}
// -----
// mp.top_k (C2)
func.func @more_than_there_are(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{k is 9, expected at least 1 and at most the 8 elements of the last dimension}}
  %v, %i = mp.top_k %x k 9 : tensor<4x8xf32> -> tensor<4x9xf32>, tensor<4x9xi32>
  return
}
// -----
// mp.top_k_grad (C1)
func.func @two_shapes(%i: tensor<4x3xi32>, %g: tensor<4x2xf32>) {
  // expected-error @+1 {{indices have shape [4x3] and gradient [4x2], expected one shape of at least rank 1}}
  %0 = mp.top_k_grad %i, %g : tensor<4x3xi32>, tensor<4x2xf32> -> tensor<4x8xf32>
  return
}
// -----
// mp.top_k_grad (C1)
func.func @scalars(%i: tensor<i32>, %g: tensor<f32>) {
  // expected-error @+1 {{result has shape [8], expected that of the gradient, [], but for a last dimension that is not open}}
  %0 = mp.top_k_grad %i, %g : tensor<i32>, tensor<f32> -> tensor<8xf32>
  return
}
// -----
// mp.top_k_grad (C2)
func.func @other_rows(%i: tensor<4x3xi32>, %g: tensor<4x3xf32>) {
  // expected-error @+1 {{result has shape [5x8], operands and attributes give [4x8]}}
  %0 = mp.top_k_grad %i, %g : tensor<4x3xi32>, tensor<4x3xf32> -> tensor<5x8xf32>
  return
}
// -----
// mp.top_k_grad (C2)
func.func @open_row(%i: tensor<4x3xi32>, %g: tensor<4x3xf32>) {
  // expected-error @+1 {{result has shape [4x?], expected that of the gradient, [4x3], but for a last dimension that is not open}}
  %0 = mp.top_k_grad %i, %g : tensor<4x3xi32>, tensor<4x3xf32> -> tensor<4x?xf32>
  return
}
// -----
// mp.top_k_grad (C2)
func.func @other_type(%i: tensor<4x3xi32>, %g: tensor<4x3xf16>) {
  // expected-error @+1 {{result has type 'f32', gradient has 'f16'}}
  %0 = mp.top_k_grad %i, %g : tensor<4x3xi32>, tensor<4x3xf16> -> tensor<4x8xf32>
  return
}
