// RUN: mp-opt %s -split-input-file -verify-diagnostics

// mp.reverse_gradient (C1)
func.func @infinite(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{scale is INF, expected a finite number}}
  %y = mp.reverse_gradient %x {scale = 0x7FF0000000000000 : f64} : tensor<4xf32>
  return %y : tensor<4xf32>
}
// -----
// no constraint: SameOperandsAndResultType
func.func @other_type(%x: tensor<4xf32>, %y: tensor<4xf16>) -> tensor<4xf32> {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %z = "mp.straight_through"(%x, %y) : (tensor<4xf32>, tensor<4xf16>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}
