// RUN: mp-opt %s -split-input-file -verify-diagnostics

// mp.add (C1)
func.func @element_types(%a: tensor<4xf16>, %b: tensor<4xf32>) {
  // expected-error @+1 {{requires the same element type for all operands and results}}
  %0 = mp.add %a, %b : tensor<4xf16>, tensor<4xf32> -> tensor<4xf32>
  return
}
// -----
// mp.add (C2)
func.func @broadcast(%a: tensor<4x8xf32>, %b: tensor<3x8xf32>) {
  // expected-error @+1 {{operand shapes do not broadcast: [4x8] and [3x8]}}
  %0 = mp.add %a, %b : tensor<4x8xf32>, tensor<3x8xf32> -> tensor<4x8xf32>
  return
}
// -----
// mp.mul (C2)
func.func @result(%a: tensor<4x8xf32>) {
  // expected-error @+1 {{has results of types 'tensor<8xf32>', expected 'tensor<4x8xf32>'}}
  %0 = mp.mul %a, %a : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<8xf32>
  return
}
// -----
// mp.div (C3)
func.func @integer_division(%a: tensor<4xi32>) {
  // expected-error @+1 {{operands are 'i32', expected floats}}
  %0 = mp.div %a, %a : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  return
}
// -----
// no constraint: types of operands
func.func @no_arithmetic_on_truth_values(%a: tensor<4xi1>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of f16, bf16, f32, f64, ui8, i32 or i64 values}}
  %0 = mp.add %a, %a : tensor<4xi1>, tensor<4xi1> -> tensor<4xi1>
  return
}
// -----
// mp.compare (C1)
func.func @compared_types(%a: tensor<4xi32>, %b: tensor<4xui8>) {
  // expected-error @+1 {{operands differ in type: lhs has 'i32', rhs has 'ui8'}}
  %0 = mp.compare eq %a, %b : tensor<4xi32>, tensor<4xui8> -> tensor<4xi1>
  return
}
// -----
// mp.select (C1)
func.func @selected_types(%c: tensor<4xi1>, %a: tensor<4xf16>, %b: tensor<4xf32>) {
  // expected-error @+1 {{value has type 'f16', result has 'f32'}}
  %0 = mp.select %c, %b, %a : tensor<4xi1>, tensor<4xf32>, tensor<4xf16> -> tensor<4xf32>
  return
}
// -----
// no constraint: types of operands
func.func @exp_of_integers(%a: tensor<4xi32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of f16, bf16, f32 or f64 values}}
  %0 = mp.exp %a : tensor<4xi32>
  return
}
// -----
// mp.compare (C2)
func.func @compared_shapes(%a: tensor<4xi32>, %b: tensor<5xi32>) {
  // expected-error @+1 {{operand shapes do not broadcast: [4] and [5]}}
  %0 = mp.compare eq %a, %b : tensor<4xi32>, tensor<5xi32> -> tensor<4xi1>
  return
}
// -----
// mp.select (C2)
func.func @selected_shapes(%c: tensor<3xi1>, %a: tensor<4xf32>) {
  // expected-error @+1 {{operand shapes do not broadcast: [3] and [4]}}
  %0 = mp.select %c, %a, %a : tensor<3xi1>, tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return
}
