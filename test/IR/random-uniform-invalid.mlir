// RUN: mp-opt %s -split-input-file -verify-diagnostics

// mp.random_uniform (C1)
func.func @stream(%rng: tensor<2xi64>) -> tensor<3xf32> {
  // expected-error @+1 {{stream is -1, expected at least 0}}
  %y = mp.random_uniform %rng {stream = -1} -> tensor<3xf32>
  return %y : tensor<3xf32>
}
// -----
// mp.random_uniform (C2)
func.func @open(%rng: tensor<2xi64>) -> tensor<?xf32> {
  // expected-error @+1 {{result has an open size; name the tensor it is like}}
  %y = mp.random_uniform %rng {stream = 1} -> tensor<?xf32>
  return %y : tensor<?xf32>
}
// -----
// mp.random_uniform (C2)
func.func @shape(%rng: tensor<2xi64>, %x: tensor<4x2xf32>) -> tensor<4x3xf32> {
  // expected-error @+1 {{result has shape [4x3], operands and attributes give [4x2]}}
  %y = mp.random_uniform %rng like %x : tensor<4x2xf32> {stream = 1} -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}
// -----
// no constraint: types of results
func.func @type(%rng: tensor<2xi64>) -> tensor<3xf16> {
  // expected-error @+1 {{must be ranked tensor of 32-bit float values, but got 'tensor<3xf16>'}}
  %y = mp.random_uniform %rng {stream = 1} -> tensor<3xf16>
  return %y : tensor<3xf16>
}
