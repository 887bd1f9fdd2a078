// RUN: mp-opt %s -split-input-file -verify-diagnostics

// mp.scatter_elements (C1)
func.func @dimension(%x: tensor<f32>, %i: tensor<i32>, %u: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{dimension 0 is outside the operand's rank 0}}
  %y = mp.scatter_elements %x, %i, %u dimension 0 : tensor<f32>, tensor<i32>, tensor<f32> -> tensor<f32>
  return %y : tensor<f32>
}
// -----
// mp.scatter_elements (C2)
func.func @larger(%x: tensor<4x6xf32>, %i: tensor<2x7xi32>, %u: tensor<2x7xf32>) -> tensor<4x6xf32> {
  // expected-error @+1 {{indices have shape [2x7], expected the rank of the operand, [4x6], and outside dimension 0 its sizes}}
  %y = mp.scatter_elements %x, %i, %u dimension 0 : tensor<4x6xf32>, tensor<2x7xi32>, tensor<2x7xf32> -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}
// -----
// mp.scatter_elements (C3)
func.func @types(%x: tensor<4x6xf32>, %i: tensor<4x2xi32>, %u: tensor<4x2xf16>) -> tensor<4x6xf32> {
  // expected-error @+1 {{writes updates of 'f16' to 'f32', expected one type}}
  %y = mp.scatter_elements %x, %i, %u dimension 1 : tensor<4x6xf32>, tensor<4x2xi32>, tensor<4x2xf16> -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}
// -----
// mp.scatter_elements (C3)
func.func @updates(%x: tensor<4x6xf32>, %i: tensor<4x2xi32>, %u: tensor<4x3xf32>) -> tensor<4x6xf32> {
  // expected-error @+1 {{updates have shape [4x3], expected that of the indices, [4x2]}}
  %y = mp.scatter_elements %x, %i, %u dimension 1 : tensor<4x6xf32>, tensor<4x2xi32>, tensor<4x3xf32> -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}
