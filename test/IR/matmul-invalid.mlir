// RUN: mp-opt %s -split-input-file -verify-diagnostics

// mp.matmul (C1)
func.func @mixed_operands(%a: tensor<4x8xf16>, %b: tensor<8x2xf32>) {
  // expected-error @+1 {{operands differ in type: lhs has 'f16', rhs has 'f32'}}
  %0 = mp.matmul %a, %b acc f32 : tensor<4x8xf16>, tensor<8x2xf32> -> tensor<4x2xf16>
  return
}
// -----
// mp.matmul (C1)
func.func @result_of_a_third_type(%a: tensor<4x8xf16>, %b: tensor<8x2xf16>) {
  // expected-error @+1 {{result has type 'bf16', expected the operands' 'f16' or the accumulator's 'f32'}}
  %0 = mp.matmul %a, %b acc f32 : tensor<4x8xf16>, tensor<8x2xf16> -> tensor<4x2xbf16>
  return
}
// -----
// mp.matmul (C2)
func.func @vector(%a: tensor<8xf16>, %b: tensor<8x2xf16>) {
  // expected-error @+1 {{operands have at least rank 2, found ranks 1 and 2}}
  %0 = mp.matmul %a, %b acc f32 : tensor<8xf16>, tensor<8x2xf16> -> tensor<2xf16>
  return
}
// -----
// mp.matmul (C2)
func.func @contraction(%a: tensor<4x8xf16>, %b: tensor<9x2xf16>) {
  // expected-error @+1 {{contraction sizes differ: lhs has 8, rhs has 9}}
  %0 = mp.matmul %a, %b acc f32 : tensor<4x8xf16>, tensor<9x2xf16> -> tensor<4x2xf16>
  return
}
// -----
// mp.matmul (C3)
func.func @ranks(%a: tensor<4x8xf16>, %b: tensor<3x8x2xf16>) {
  // expected-error @+1 {{rhs has rank 3, expected 2 or the rank of lhs, 2}}
  %0 = mp.matmul %a, %b acc f32 : tensor<4x8xf16>, tensor<3x8x2xf16> -> tensor<4x2xf16>
  return
}
// -----
// mp.matmul (C3)
func.func @batch(%a: tensor<5x4x8xf16>, %b: tensor<3x8x2xf16>) {
  // expected-error @+1 {{batch sizes differ: lhs has 5, rhs has 3}}
  %0 = mp.matmul %a, %b acc f32 : tensor<5x4x8xf16>, tensor<3x8x2xf16> -> tensor<5x4x2xf16>
  return
}
// -----
// mp.matmul (C4)
func.func @bias_shape(%a: tensor<4x8xf16>, %b: tensor<8x2xf16>, %c: tensor<3xf16>) {
  // expected-error @+1 {{bias has shape [3], expected [2]}}
  %0 = mp.matmul %a, %b bias %c : tensor<3xf16> acc f32 : tensor<4x8xf16>, tensor<8x2xf16> -> tensor<4x2xf16>
  return
}
// -----
// mp.matmul (C4)
func.func @bias_type(%a: tensor<4x8xf16>, %b: tensor<8x2xf16>, %c: tensor<2xbf16>) {
  // expected-error @+1 {{bias has type 'bf16', expected the operands' 'f16' or the accumulator's 'f32'}}
  %0 = mp.matmul %a, %b bias %c : tensor<2xbf16> acc f32 : tensor<4x8xf16>, tensor<8x2xf16> -> tensor<4x2xf16>
  return
}
// -----
// mp.matmul (C5)
func.func @accumulator(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) {
  // expected-error @+1 {{accumulator 'f16' does not serve 'f32' operands, expected f32}}
  %0 = mp.matmul %a, %b acc f16 : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  return
}
// -----
// mp.matmul (C6)
func.func @result_shape(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) {
  // expected-error @+1 {{result has shape [4x3], operands and attributes give [4x2]}}
  %0 = mp.matmul %a, %b acc f32 : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x3xf32>
  return
}
// -----
// no constraint: attributes of every op
func.func @stray_attribute(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) {
  // expected-error @+1 {{has no attribute 'autocats'}}
  %0 = mp.matmul %a, %b acc f32 {autocats} : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  return
}
// -----
// mp.matmul (C6)
func.func @open_size_that_is_known(%a: tensor<?x4xf32>, %b: tensor<4x8xf32>) {
  // expected-error @+1 {{result has shape [?x?], operands and attributes give [?x8]}}
  %0 = mp.matmul %a, %b acc f32 : tensor<?x4xf32>, tensor<4x8xf32> -> tensor<?x?xf32>
  return
}
// -----
// mp.add (C2)
func.func @open_sum_of_known_sizes(%a: tensor<4x8xf32>, %b: tensor<8xf32>) {
  // expected-error @+1 {{has results of types 'tensor<?x8xf32>', expected 'tensor<4x8xf32>'}}
  %0 = mp.add %a, %b : tensor<4x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
  return
}
