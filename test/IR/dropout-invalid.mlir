// RUN: mp-opt %s -split-input-file -verify-diagnostics

// mp.dropout (C1)
func.func @everything_dropped(%x: tensor<8xf16>, %rng: tensor<2xi64>) {
  // expected-error @+1 {{rate is 1.000000e+00, expected at least 0 and less than 1}}
  %0 = mp.dropout %x, %rng {rate = 1.0, stream = 1} : tensor<8xf16>
  return
}
// -----
// mp.dropout (C2)
func.func @stream(%x: tensor<8xf16>, %rng: tensor<2xi64>) {
  // expected-error @+1 {{stream is -1, expected at least 0}}
  %0 = mp.dropout %x, %rng {rate = 0.5, stream = -1} : tensor<8xf16>
  return
}
// -----
// mp.dropout (C3)
func.func @shared_beyond(%x: tensor<8x4xf16>, %rng: tensor<2xi64>) {
  // expected-error @+1 {{shared is [2], expected dimensions from 0 to 1 in ascending order}}
  %0 = mp.dropout %x, %rng {rate = 0.5, shared = array<i64: 2>, stream = 1} : tensor<8x4xf16>
  return
}
// -----
// mp.dropout (C3)
func.func @shared_twice(%x: tensor<8x4xf16>, %rng: tensor<2xi64>) {
  // expected-error @+1 {{shared is [1, 1], expected dimensions from 0 to 1 in ascending order}}
  %0 = mp.dropout %x, %rng {rate = 0.5, shared = array<i64: 1, 1>, stream = 1} : tensor<8x4xf16>
  return
}
// -----
// no constraint: types of operands
// expected-note @+1 {{prior use here}}
func.func @rng(%x: tensor<8xf16>, %rng: tensor<3xi64>) {
  // expected-error @+1 {{expects different type than prior uses: 'tensor<2xi64>' vs 'tensor<3xi64>'}}
  %0 = mp.dropout %x, %rng {rate = 0.5, stream = 1} : tensor<8xf16>
  return
}
// -----
// mp.dropout_mask (C1)
func.func @mask_of_everything(%rng: tensor<2xi64>) {
  // expected-error @+1 {{rate is -5.000000e-01, expected at least 0 and less than 1}}
  %0 = mp.dropout_mask %rng {rate = -0.5, stream = 1} : tensor<2xi64>
  return
}
// -----
// mp.dropout_mask (C1)
func.func @mask_of_no_stream(%rng: tensor<2xi64>) {
  // expected-error @+1 {{stream is -1, expected at least 0}}
  %0 = mp.dropout_mask %rng {rate = 0.5, stream = -1} : tensor<2xi64>
  return
}
// -----
// mp.dropout_mask (C2)
func.func @mask_of_rows(%rng: tensor<2xi64>) {
  // expected-error @+1 {{mask has 2 dimensions, expected 1}}
  %0 = mp.dropout_mask %rng {rate = 0.5, stream = 1} : tensor<2x1xi64>
  return
}
// -----
// mp.masked_dropout (C1)
func.func @masked_rate(%x: tensor<8xf16>, %m: tensor<2xi64>) {
  // expected-error @+1 {{rate is 1.000000e+00, expected at least 0 and less than 1}}
  %0 = mp.masked_dropout %x, %m {rate = 1.0} : tensor<8xf16>, tensor<2xi64>
  return
}
// -----
// mp.masked_dropout (C2)
func.func @short_mask(%x: tensor<65xf16>, %m: tensor<2xi64>) {
  // expected-error @+1 {{mask has 2 words, expected at least 3}}
  %0 = mp.masked_dropout %x, %m {rate = 0.5} : tensor<65xf16>, tensor<2xi64>
  return
}
