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
// no constraint: types of operands
// expected-note @+1 {{prior use here}}
func.func @rng(%x: tensor<8xf16>, %rng: tensor<3xi64>) {
  // expected-error @+1 {{expects different type than prior uses: 'tensor<2xi64>' vs 'tensor<3xi64>'}}
  %0 = mp.dropout %x, %rng {rate = 0.5, stream = 1} : tensor<8xf16>
  return
}
