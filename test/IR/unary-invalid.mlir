// RUN: mp-opt %s -split-input-file -verify-diagnostics

// mp.clamp (C1)
func.func @bounds_in_the_other_order(%x: tensor<4xf16>) -> tensor<4xf16> {
  // expected-error @+1 {{'mp.clamp' op min is 2.000000e+00 and max 1.000000e+00, expected numbers, the second no smaller}}
  %y = mp.clamp %x {min = 2.0 : f64, max = 1.0 : f64} : tensor<4xf16>
  return %y : tensor<4xf16>
}
// -----
// mp.clamp (C1)
func.func @no_number(%x: tensor<4xf16>) -> tensor<4xf16> {
  // expected-error @+1 {{expected numbers, the second no smaller}}
  %y = mp.clamp %x {min = 0x7FF8000000000000 : f64, max = 1.0 : f64} : tensor<4xf16>
  return %y : tensor<4xf16>
}
// -----
// no constraint: an attribute that must be there
func.func @one_bound(%x: tensor<4xf16>) -> tensor<4xf16> {
  // expected-error @+1 {{'mp.clamp' op requires attribute 'min'}}
  %y = mp.clamp %x {max = 1.0 : f64} : tensor<4xf16>
  return %y : tensor<4xf16>
}
// -----
// mp.leaky_relu (C1)
func.func @endless_slope(%x: tensor<4xf16>) -> tensor<4xf16> {
  // expected-error @+1 {{'mp.leaky_relu' op negative_slope is }}
  %y = mp.leaky_relu %x {negative_slope = 0x7FF0000000000000 : f64} : tensor<4xf16>
  return %y : tensor<4xf16>
}
// -----
// mp.elu (C1)
func.func @endless_alpha(%x: tensor<4xf16>) -> tensor<4xf16> {
  // expected-error @+1 {{'mp.elu' op alpha is }}
  %y = mp.elu %x {alpha = 0x7FF0000000000000 : f64} : tensor<4xf16>
  return %y : tensor<4xf16>
}
// -----
// no constraint: types of operands
func.func @integers(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error @+1 {{'mp.sigmoid' op operand #0 must be ranked tensor of f16, bf16, f32 or f64 values, but got 'tensor<4xi32>'}}
  %y = mp.sigmoid %x : tensor<4xi32>
  return %y : tensor<4xi32>
}
// -----
// mp.pow (C1)
func.func @two_types(%x: tensor<4xf32>, %e: tensor<4xf16>) {
  // expected-error @+1 {{requires the same element type for all operands and results}}
  %0 = "mp.pow"(%x, %e) : (tensor<4xf32>, tensor<4xf16>) -> tensor<4xf32>
  return
}
// -----
// mp.pow (C2)
func.func @no_broadcast(%x: tensor<4x8xf32>, %e: tensor<4xf32>) {
  // expected-error @+1 {{operand shapes do not broadcast: [4x8] and [4]}}
  %0 = mp.pow %x, %e : tensor<4x8xf32>, tensor<4xf32> -> tensor<4x8xf32>
  return
}
// -----
// mp.pow (C3)
func.func @integers(%x: tensor<4xi32>) {
  // expected-error @+1 {{operands are 'i32', expected floats}}
  %0 = mp.pow %x, %x : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  return
}
