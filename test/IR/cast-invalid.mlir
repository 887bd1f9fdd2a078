// RUN: mp-opt %s -split-input-file -verify-diagnostics

// mp.cast (C1)
func.func @shape(%x: tensor<4xf32>) {
  // expected-error @+1 {{result has shape [5], operands and attributes give [4]}}
  %0 = mp.cast %x : tensor<4xf32> -> tensor<5xf16>
  return
}
// -----
// no constraint: types of results
func.func @element(%x: tensor<4xf32>) {
  // expected-error @+1 {{result #0 must be ranked tensor of f16, bf16, f32, f64, ui8, i32, i64 or i1 values, but got 'tensor<4xi16>'}}
  %0 = mp.cast %x : tensor<4xf32> -> tensor<4xi16>
  return
}
