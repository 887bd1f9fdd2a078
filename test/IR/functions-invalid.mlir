// RUN: mp-opt %s -split-input-file -verify-diagnostics

// mp.atan2 (C1)
func.func @two_types(%x: tensor<4xf32>, %e: tensor<4xf16>) {
  // expected-error @+1 {{requires the same element type for all operands and results}}
  %0 = "mp.atan2"(%x, %e) : (tensor<4xf32>, tensor<4xf16>) -> tensor<4xf32>
  return
}
// -----
// mp.atan2 (C2)
func.func @no_broadcast(%x: tensor<4x8xf32>, %e: tensor<4xf32>) {
  // expected-error @+1 {{operand shapes do not broadcast: [4x8] and [4]}}
  %0 = mp.atan2 %x, %e : tensor<4x8xf32>, tensor<4xf32> -> tensor<4x8xf32>
  return
}
// -----
// mp.atan2 (C3)
func.func @integers(%x: tensor<4xi32>) {
  // expected-error @+1 {{operands are 'i32', expected floats}}
  %0 = mp.atan2 %x, %x : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  return
}
// -----
// mp.prelu (C1)
func.func @two_types(%x: tensor<4xf32>, %e: tensor<4xf16>) {
  // expected-error @+1 {{requires the same element type for all operands and results}}
  %0 = "mp.prelu"(%x, %e) : (tensor<4xf32>, tensor<4xf16>) -> tensor<4xf32>
  return
}
// -----
// mp.prelu (C2)
func.func @no_broadcast(%x: tensor<4x8xf32>, %e: tensor<4xf32>) {
  // expected-error @+1 {{operand shapes do not broadcast: [4x8] and [4]}}
  %0 = mp.prelu %x, %e : tensor<4x8xf32>, tensor<4xf32> -> tensor<4x8xf32>
  return
}
// -----
// mp.prelu (C3)
func.func @integers(%x: tensor<4xi32>) {
  // expected-error @+1 {{operands are 'i32', expected floats}}
  %0 = mp.prelu %x, %x : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  return
}
// -----
// no constraint: types of operands
func.func @integers(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error @+1 {{'mp.erfinv' op operand #0 must be ranked tensor of f16, bf16, f32 or f64 values, but got 'tensor<4xi32>'}}
  %y = mp.erfinv %x : tensor<4xi32>
  return %y : tensor<4xi32>
}
