// RUN: mp-opt %s -split-input-file -verify-diagnostics

// no constraint: the word is not one of the format
func.func @unknown_approximation(%x: tensor<4xf16>) -> tensor<4xf16> {
  // expected-error@+2 {{expected one of [none, tanh] for the approximation of mp.gelu, none or tanh, got: sigmoid}}
  // expected-error@+1 {{failed to parse MP_GeluApproximationAttr parameter}}
  %y = mp.gelu %x approximate sigmoid : tensor<4xf16>
  return %y : tensor<4xf16>
}

// -----

// no constraint: types of operands
func.func @integers(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error@+1 {{'mp.gelu' op operand #0 must be ranked tensor of f16, bf16, f32 or f64 values, but got 'tensor<4xi32>'}}
  %y = "mp.gelu"(%x) : (tensor<4xi32>) -> tensor<4xi32>
  return %y : tensor<4xi32>
}

// -----

// no constraint: one type for all
func.func @gradient_of_another_type(%x: tensor<4xf16>, %g: tensor<4xf32>) -> tensor<4xf16> {
  // expected-error@+1 {{'mp.gelu_grad' op requires the same type for all operands and results}}
  %d = "mp.gelu_grad"(%x, %g) : (tensor<4xf16>, tensor<4xf32>) -> tensor<4xf16>
  return %d : tensor<4xf16>
}
