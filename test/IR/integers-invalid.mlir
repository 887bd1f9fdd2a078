// RUN: mp-opt %s -split-input-file -verify-diagnostics

// no constraint: types of operands
func.func @remainder_of_truth_values(%a: tensor<4xi1>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of f16, bf16, f32, f64, ui8, i32 or i64 values}}
  %0 = mp.remainder %a, %a : tensor<4xi1>, tensor<4xi1> -> tensor<4xi1>
  return
}
// -----
// no constraint: types of operands
func.func @whole_quotient_of_floats(%a: tensor<4xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of ui8, i32 or i64 values}}
  %0 = mp.floor_divide %a, %a : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return
}
// -----
// no constraint: types of operands
func.func @bits_of_floats(%a: tensor<4xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of ui8, i32 or i64 values}}
  %0 = mp.bitwise_xor %a, %a : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return
}
// -----
// mp.add (C1)
func.func @types(%a: tensor<4xi32>, %b: tensor<4xi64>) {
  // expected-error @+1 {{requires the same element type for all operands and results}}
  %0 = mp.shift_left %a, %b : tensor<4xi32>, tensor<4xi64> -> tensor<4xi32>
  return
}
// -----
// mp.add (C2)
func.func @shapes(%a: tensor<4xi32>, %b: tensor<3xi32>) {
  // expected-error @+1 {{operand shapes do not broadcast: [4] and [3]}}
  %0 = mp.bitwise_and %a, %b : tensor<4xi32>, tensor<3xi32> -> tensor<4xi32>
  return
}
