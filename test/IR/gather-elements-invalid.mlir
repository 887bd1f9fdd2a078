// RUN: mp-opt %s -split-input-file -verify-diagnostics

// mp.gather_elements (C1)
func.func @dimension(%x: tensor<4x6xf32>, %i: tensor<4x6xi32>) -> tensor<4x6xf32> {
  // expected-error @+1 {{dimension 2 is outside the operand's rank 2}}
  %y = mp.gather_elements %x, %i dimension 2 : tensor<4x6xf32>, tensor<4x6xi32> -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}
// -----
// mp.gather_elements (C2)
func.func @rank(%x: tensor<4x6xf32>, %i: tensor<4xi32>) -> tensor<4xf32> {
  // expected-error @+1 {{indices have shape [4], expected the rank of the operand, [4x6], and outside dimension 1 its sizes}}
  %y = mp.gather_elements %x, %i dimension 1 : tensor<4x6xf32>, tensor<4xi32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}
// -----
// mp.gather_elements (C2)
func.func @larger(%x: tensor<4x6xf32>, %i: tensor<5x6xi32>) -> tensor<5x6xf32> {
  // expected-error @+1 {{indices have shape [5x6], expected the rank of the operand, [4x6]}}
  %y = mp.gather_elements %x, %i dimension 1 : tensor<4x6xf32>, tensor<5x6xi32> -> tensor<5x6xf32>
  return %y : tensor<5x6xf32>
}
// -----
// mp.gather_elements (C2)
func.func @open(%x: tensor<?x6xf32>, %i: tensor<5x6xi32>) -> tensor<5x6xf32> {
  // expected-error @+1 {{indices have shape [5x6], expected the rank of the operand, [?x6]}}
  %y = mp.gather_elements %x, %i dimension 1 : tensor<?x6xf32>, tensor<5x6xi32> -> tensor<5x6xf32>
  return %y : tensor<5x6xf32>
}
// -----
// mp.scatter_add_elements (C1)
func.func @dimension_of_sums(%x: tensor<f32>, %i: tensor<i32>, %u: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{dimension 0 is outside the operand's rank 0}}
  %y = mp.scatter_add_elements %x, %i, %u dimension 0 : tensor<f32>, tensor<i32>, tensor<f32> -> tensor<f32>
  return %y : tensor<f32>
}
// -----
// mp.scatter_add_elements (C2)
func.func @larger_sums(%x: tensor<4x6xf32>, %i: tensor<2x7xi32>, %u: tensor<2x7xf32>) -> tensor<4x6xf32> {
  // expected-error @+1 {{indices have shape [2x7], expected the rank of the operand, [4x6], and outside dimension 0 its sizes}}
  %y = mp.scatter_add_elements %x, %i, %u dimension 0 : tensor<4x6xf32>, tensor<2x7xi32>, tensor<2x7xf32> -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}
// -----
// mp.scatter_add_elements (C3)
func.func @types(%x: tensor<4x6xf32>, %i: tensor<4x2xi32>, %u: tensor<4x2xf16>) -> tensor<4x6xf32> {
  // expected-error @+1 {{adds updates of 'f16' to 'f32', expected one type}}
  %y = mp.scatter_add_elements %x, %i, %u dimension 1 : tensor<4x6xf32>, tensor<4x2xi32>, tensor<4x2xf16> -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}
// -----
// mp.scatter_add_elements (C3)
func.func @updates(%x: tensor<4x6xf32>, %i: tensor<4x2xi32>, %u: tensor<4x3xf32>) -> tensor<4x6xf32> {
  // expected-error @+1 {{updates have shape [4x3], expected that of the indices, [4x2]}}
  %y = mp.scatter_add_elements %x, %i, %u dimension 1 : tensor<4x6xf32>, tensor<4x2xi32>, tensor<4x3xf32> -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}
