// RUN: mp-opt %s -split-input-file -verify-diagnostics

// no constraint: types of operands
func.func @integers(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error@+1 {{'mp.tanh' op operand #0 must be ranked tensor of f16, bf16, f32 or f64 values, but got 'tensor<4xi32>'}}
  %y = "mp.tanh"(%x) : (tensor<4xi32>) -> tensor<4xi32>
  return %y : tensor<4xi32>
}

// -----

// no constraint: one type for all
func.func @another_type(%x: tensor<4xf16>) -> tensor<4xf32> {
  // expected-error@+1 {{'mp.tanh' op requires the same type for all operands and results}}
  %y = "mp.tanh"(%x) : (tensor<4xf16>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// no constraint: one type for all
func.func @gradient_of_another_shape(%y: tensor<4xf16>, %g: tensor<2xf16>) -> tensor<4xf16> {
  // expected-error@+1 {{'mp.tanh_grad' op requires the same type for all operands and results}}
  %d = "mp.tanh_grad"(%y, %g) : (tensor<4xf16>, tensor<2xf16>) -> tensor<4xf16>
  return %d : tensor<4xf16>
}
