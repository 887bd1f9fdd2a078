// RUN: mp-opt %s -split-input-file -verify-diagnostics

// mp.autocast (C1)
func.func @type(%x: tensor<4xf32>) {
  // expected-error @+1 {{type is 'f64', expected f16, bf16 or f32}}
  mp.autocast type = f64 {
  }
  return
}
// -----
// mp.autocast (C2)
func.func @yields(%x: tensor<4xf16>) {
  // expected-error @+1 {{yields other types than its results have}}
  %0 = mp.autocast -> (tensor<4xf32>) {
    mp.yield %x : tensor<4xf16>
  }
  return
}
