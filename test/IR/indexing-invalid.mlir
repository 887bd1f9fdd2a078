// RUN: mp-opt %s -split-input-file -verify-diagnostics

// mp.slice (C1)
func.func @ranges(%x: tensor<4x6xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{has 1 ranges, expected one for each of the operand's 2 dimensions}}
  %y = mp.slice %x [0:4] : tensor<4x6xf32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}
// -----
// mp.slice (C1)
func.func @steps(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{dimension 0 starts at 0 in steps of 0, expected at least 0 and at least 1}}
  %y = mp.slice %x [::0] : tensor<4xf32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}
// -----
// mp.slice (C1)
func.func @from_the_end(%x: tensor<4xf32>) -> tensor<1xf32> {
  // expected-error @+1 {{dimension 0 starts at -1 in steps of 1}}
  %y = mp.slice %x [-1:] : tensor<4xf32> -> tensor<1xf32>
  return %y : tensor<1xf32>
}
// -----
// mp.slice (C2)
func.func @beyond(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{takes 1 to 5 of dimension 0, expected a range inside its 4 elements}}
  %y = mp.slice %x [1:5] : tensor<4xf32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}
// -----
// mp.slice (C2)
func.func @backwards(%x: tensor<4xf32>) -> tensor<0xf32> {
  // expected-error @+1 {{takes 3 to 2 of dimension 0}}
  %y = mp.slice %x [3:2] : tensor<4xf32> -> tensor<0xf32>
  return %y : tensor<0xf32>
}
// -----
// mp.slice (C3)
func.func @of_the_batch(%x: tensor<?x4xf32>) -> tensor<2x4xf32> {
  // expected-error @+1 {{takes a part of dimension 0, which is open; expected all of it, `:`}}
  %y = mp.slice %x [0:2, :] : tensor<?x4xf32> -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
// -----
// mp.pad (C1)
func.func @sides(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-error @+1 {{has padding for 1 dimensions, expected for each of the 2 of the operand}}
  %y = mp.pad %x low [0, 0] high [0] : tensor<4x6xf32> -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}
// -----
// mp.pad (C2)
func.func @less(%x: tensor<4xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{pads dimension 0 with -1 elements, expected at least 0 and less than 2^48}}
  %y = mp.pad %x low [-1] high [0] : tensor<4xf32> -> tensor<3xf32>
  return %y : tensor<3xf32>
}
// -----
// mp.pad (C2)
func.func @too_many(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{makes a dimension of 2^48 elements or more of dimension 0}}
  %y = mp.pad %x low [0] high [0] interior [200000000000000] : tensor<4xf32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}
// -----
// mp.pad (C3)
func.func @more_rows(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @+1 {{pads dimension 0, which is open}}
  %y = mp.pad %x low [1, 0] high [0, 0] : tensor<?x4xf32> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
// -----
// mp.concat (C1)
func.func @types(%x: tensor<4xf32>, %y: tensor<4xf16>) -> tensor<8xf32> {
  // expected-error @+1 {{requires the same element type for all operands and results}}
  %z = mp.concat %x, %y dimension 0 : tensor<4xf32>, tensor<4xf16> -> tensor<8xf32>
  return %z : tensor<8xf32>
}
// -----
// mp.concat (C1)
func.func @none() -> tensor<0xf32> {
  // expected-error @+1 {{expected 1 or more operands, but found 0}}
  %z = "mp.concat"() {dimension = 0 : i64} : () -> tensor<0xf32>
  return %z : tensor<0xf32>
}
// -----
// mp.concat (C2)
func.func @no_dimension(%x: tensor<4xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{dimension 1 is outside the operands' rank 1}}
  %z = mp.concat %x, %x dimension 1 : tensor<4xf32>, tensor<4xf32> -> tensor<8xf32>
  return %z : tensor<8xf32>
}
// -----
// mp.concat (C2)
func.func @ranks(%x: tensor<4xf32>, %y: tensor<4x1xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{operands have ranks 1 and 2, expected one rank}}
  %z = mp.concat %x, %y dimension 0 : tensor<4xf32>, tensor<4x1xf32> -> tensor<8xf32>
  return %z : tensor<8xf32>
}
// -----
// mp.concat (C3)
func.func @other_sizes(%x: tensor<4x2xf32>, %y: tensor<4x3xf32>) -> tensor<8x2xf32> {
  // expected-error @+1 {{operands differ outside dimension 0: [4x2] and [4x3]}}
  %z = mp.concat %x, %y dimension 0 : tensor<4x2xf32>, tensor<4x3xf32> -> tensor<8x2xf32>
  return %z : tensor<8x2xf32>
}
// -----
// mp.concat (C3)
func.func @batches(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  // expected-error @+1 {{has an operand that is open along dimension 0: [?x2]}}
  %z = mp.concat %x, %x dimension 0 : tensor<?x2xf32>, tensor<?x2xf32> -> tensor<?x2xf32>
  return %z : tensor<?x2xf32>
}
// -----
// mp.flip (C1)
func.func @twice(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  // expected-error @+1 {{found dimension 1, expected distinct, ascending ones less than the operand's rank 2}}
  %z = mp.flip %x dimensions [1, 1] : tensor<4x2xf32> -> tensor<4x2xf32>
  return %z : tensor<4x2xf32>
}
// -----
// mp.flip (C2)
func.func @batch(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  // expected-error @+1 {{turns around dimension 0, which is open}}
  %z = mp.flip %x dimensions [0] : tensor<?x2xf32> -> tensor<?x2xf32>
  return %z : tensor<?x2xf32>
}
// -----
// mp.gather (C1)
func.func @place(%x: tensor<4x2xf32>, %i: tensor<3xi32>) -> tensor<4x3xf32> {
  // expected-error @+1 {{dimension 2 is outside the operand's rank 2}}
  %z = mp.gather %x, %i dimension 2 : tensor<4x2xf32>, tensor<3xi32> -> tensor<4x3xf32>
  return %z : tensor<4x3xf32>
}
// -----
// mp.scatter_add (C1)
func.func @target(%x: tensor<4x2xf32>, %i: tensor<3xi32>, %u: tensor<3x2xf32>) -> tensor<4x2xf32> {
  // expected-error @+1 {{dimension -1 is outside the operand's rank 2}}
  %z = mp.scatter_add %x, %i, %u dimension -1 : tensor<4x2xf32>, tensor<3xi32>, tensor<3x2xf32> -> tensor<4x2xf32>
  return %z : tensor<4x2xf32>
}
// -----
// mp.scatter_add (C2)
func.func @updates(%x: tensor<4x2xf32>, %i: tensor<3xi32>, %u: tensor<3x3xf32>) -> tensor<4x2xf32> {
  // expected-error @+1 {{updates have shape [3x3], but gathering gives [3x2]}}
  %z = mp.scatter_add %x, %i, %u dimension 0 : tensor<4x2xf32>, tensor<3xi32>, tensor<3x3xf32> -> tensor<4x2xf32>
  return %z : tensor<4x2xf32>
}
// -----
// mp.scatter_add (C2)
func.func @update_types(%x: tensor<4x2xf32>, %i: tensor<3xi32>, %u: tensor<3x2xf16>) -> tensor<4x2xf32> {
  // expected-error @+1 {{adds updates of 'f16' to 'f32', expected one type}}
  %z = mp.scatter_add %x, %i, %u dimension 0 : tensor<4x2xf32>, tensor<3xi32>, tensor<3x2xf16> -> tensor<4x2xf32>
  return %z : tensor<4x2xf32>
}
// -----
// mp.one_hot (C1)
func.func @classes(%l: tensor<4xi32>) -> tensor<10xf32> {
  // expected-error @+1 {{result has shape [10], expected that of the labels, [4], and a number of classes}}
  %z = mp.one_hot %l : tensor<4xi32> -> tensor<10xf32>
  return %z : tensor<10xf32>
}
// -----
// mp.logical_and (C1)
func.func @flags(%a: tensor<4xi1>, %b: tensor<3xi1>) -> tensor<4xi1> {
  // expected-error @+1 {{operand shapes do not broadcast: [4] and [3]}}
  %z = mp.logical_and %a, %b : tensor<4xi1>, tensor<3xi1> -> tensor<4xi1>
  return %z : tensor<4xi1>
}
