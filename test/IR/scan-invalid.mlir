// RUN: mp-opt %s -split-input-file -verify-diagnostics

// mp.cumsum (C1)
func.func @outside(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{dimension 2 is outside the operand's rank 2}}
  %0 = mp.cumsum %x dimension 2 : tensor<4x8xf32>
  return
}
// -----
// mp.cumsum (C1)
func.func @negative(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{dimension -1 is outside the operand's rank 2}}
  %0 = mp.cumsum %x dimension -1 : tensor<4x8xf32>
  return
}
