// RUN: mp-opt %s -split-input-file -verify-diagnostics

// mp.split (C1)
func.func @no_dimension(%x: tensor<4x8xf16>) {
  // expected-error @+1 {{'mp.split' op dimension 2 is outside the operand's rank 2}}
  %0 = mp.split %x sizes [8] dimension 2 : tensor<4x8xf16> -> tensor<4x8xf16>
  return
}
// -----
// mp.split (C1)
func.func @open(%x: tensor<?x8xf16>) {
  // expected-error @+1 {{parts dimension 0, which is open}}
  %0 = mp.split %x sizes [4] dimension 0 : tensor<?x8xf16> -> tensor<4x8xf16>
  return
}
// -----
// mp.split (C2)
func.func @too_much(%x: tensor<4x8xf16>) {
  // expected-error @+1 {{takes 6 of the 5 elements that are left of dimension 1 with 8}}
  %0, %1 = mp.split %x sizes [3, 6] dimension 1 : tensor<4x8xf16> -> tensor<4x3xf16>, tensor<4x6xf16>
  return
}
// -----
// mp.split (C2)
func.func @negative(%x: tensor<4x8xf16>) {
  // expected-error @+1 {{takes -1 of the 8 elements}}
  %0, %1 = mp.split %x sizes [-1, 9] dimension 1 : tensor<4x8xf16> -> tensor<4x1xf16>, tensor<4x9xf16>
  return
}
// -----
// mp.split (C2)
func.func @too_little(%x: tensor<4x8xf16>) {
  // expected-error @+1 {{has 2 parts of 7 elements together, dimension 1 has 8}}
  %0, %1 = mp.split %x sizes [3, 4] dimension 1 : tensor<4x8xf16> -> tensor<4x3xf16>, tensor<4x4xf16>
  return
}
// -----
// mp.split (C2)
func.func @no_part(%x: tensor<0x8xf16>) {
  // expected-error @+1 {{has 0 parts of 0 elements together, dimension 0 has 0}}
  "mp.split"(%x) <{dimension = 0 : i64, sizes = array<i64>}> : (tensor<0x8xf16>) -> ()
  return
}
// -----
// mp.tile (C1)
func.func @too_few(%x: tensor<4x8xf16>) {
  // expected-error @+1 {{'mp.tile' op has 1 repeats, expected one for each of the operand's 2 dimensions}}
  %0 = mp.tile %x repeats [2] : tensor<4x8xf16> -> tensor<4x16xf16>
  return
}
// -----
// mp.tile (C1)
func.func @none(%x: tensor<4x8xf16>) {
  // expected-error @+1 {{repeats dimension 1 0 times, expected at least once}}
  %0 = mp.tile %x repeats [1, 0] : tensor<4x8xf16> -> tensor<4x0xf16>
  return
}
// -----
// mp.tile (C2)
func.func @batch(%x: tensor<?x8xf16>) {
  // expected-error @+1 {{repeats dimension 0, which is open}}
  %0 = mp.tile %x repeats [2, 1] : tensor<?x8xf16> -> tensor<?x8xf16>
  return
}
// -----
// mp.tile (C3)
func.func @too_large(%x: tensor<4x8xf16>) {
  // expected-error @+1 {{makes a dimension of 2^48 elements or more of dimension 1}}
  %0 = mp.tile %x repeats [1, 9223372036854775807] : tensor<4x8xf16> -> tensor<4x8xf16>
  return
}
// -----
// mp.tril (C1)
func.func @no_matrix(%x: tensor<8xf16>) {
  // expected-error @+1 {{'mp.tril' op operand is 'tensor<8xf16>', expected matrices: two last dimensions that are not open}}
  %0 = mp.tril %x : tensor<8xf16>
  return
}
// -----
// mp.tril (C1)
func.func @open_rows(%x: tensor<?x8xf16>) {
  // expected-error @+1 {{'mp.triu' op operand is 'tensor<?x8xf16>', expected matrices: two last dimensions that are not open}}
  %0 = mp.triu %x : tensor<?x8xf16>
  return
}
