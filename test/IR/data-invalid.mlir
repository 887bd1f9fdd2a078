// RUN: mp-opt %s -split-input-file -verify-diagnostics

// mp.iota (C1)
func.func @iota_dimension() {
  // expected-error @+1 {{dimension 2 is outside the result's rank 2}}
  %0 = mp.iota dimension 2 -> tensor<4x10xi64>
  return
}
// -----
// mp.iota (C2)
func.func @iota_open() {
  // expected-error @+1 {{result has an open size; name the tensor it is like}}
  %0 = mp.iota dimension 0 -> tensor<?xi64>
  return
}
// -----
// mp.iota (C2)
func.func @iota_like(%x: tensor<4xf32>) {
  // expected-error @+1 {{result has shape [5], operands and attributes give [4]}}
  %0 = mp.iota dimension 0 like %x : tensor<4xf32> -> tensor<5xi64>
  return
}
// -----
// mp.reshape (C1)
func.func @reshape_count(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{operand has 24 elements, result [5x5] cannot hold exactly as many}}
  %0 = mp.reshape %x : tensor<4x6xf32> -> tensor<5x5xf32>
  return
}
// -----
// mp.reshape (C2)
func.func @reshape_inexact(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{operand has 24 elements, result [?x5] cannot hold exactly as many}}
  %0 = mp.reshape %x : tensor<4x6xf32> -> tensor<?x5xf32>
  return
}
// -----
// mp.reshape (C2)
func.func @reshape_two_open(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{has two open sizes in its result, expected at most one}}
  %0 = mp.reshape %x : tensor<4x6xf32> -> tensor<?x?xf32>
  return
}
// -----
// mp.transpose (C1)
func.func @permutation(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{permutation is not one of the operand's 2 dimensions}}
  %0 = mp.transpose %x permutation [0, 0] : tensor<4x6xf32> -> tensor<4x4xf32>
  return
}
// -----
// mp.broadcast (C1)
func.func @broadcast_shape(%x: tensor<3xf32>) {
  // expected-error @+1 {{operand of shape [3] does not broadcast to [4x8]}}
  %0 = mp.broadcast %x : tensor<3xf32> -> tensor<4x8xf32>
  return
}
// -----
// mp.broadcast (C3)
func.func @broadcast_type(%x: tensor<8xf32>) {
  // expected-error @+1 {{result has type 'f16', operand has 'f32'}}
  %0 = mp.broadcast %x : tensor<8xf32> -> tensor<4x8xf16>
  return
}
// -----
// mp.broadcast (C2)
func.func @broadcast_open(%x: tensor<8xf32>) {
  // expected-error @+1 {{result has an open size that the operand lacks; name the tensor it is like}}
  %0 = mp.broadcast %x : tensor<8xf32> -> tensor<?x8xf32>
  return
}
// -----
// mp.constant (C1)
func.func @constant_open() {
  // expected-error @+1 {{has an open size; a constant is static}}
  %0 = "mp.constant"() {value = dense_resource<elements> : tensor<?xf32>} : () -> tensor<?xf32>
  return
}
// -----
// Strides are products of all sizes, of 0 elements, too.
// no constraint: more elements than any op takes
func.func @elements_beyond_64_bits(%x: tensor<0xf32>) {
  // expected-error @+1 {{has a value of type 'tensor<0x4294967296x4294967296xf32>'; at most 2^48 elements are supported}}
  %0 = mp.reshape %x : tensor<0xf32> -> tensor<0x4294967296x4294967296xf32>
  return
}
// -----
// no constraint: more elements than any op takes
func.func @elements_that_wrap_to_none(%x: tensor<0xf32>) {
  // expected-error @+1 {{has a value of type 'tensor<4294967296x4294967296xf32>'; at most 2^48 elements are supported}}
  %0 = mp.reshape %x : tensor<0xf32> -> tensor<4294967296x4294967296xf32>
  return
}
