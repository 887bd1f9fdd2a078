// RUN: mp-opt %s -split-input-file -verify-diagnostics

// mp.layer_norm (C1)
func.func @scalar(%x: tensor<f32>, %s: tensor<8xf32>) {
  // expected-error @+1 {{operand is 'tensor<f32>', expected a last dimension of elements}}
  %0 = mp.layer_norm %x, %s, %s : tensor<f32>, tensor<8xf32>
  return
}
// -----
// mp.layer_norm (C1)
func.func @no_elements(%x: tensor<4x0xf32>, %s: tensor<0xf32>) {
  // expected-error @+1 {{operand is 'tensor<4x0xf32>', expected a last dimension of elements}}
  %0 = mp.layer_norm %x, %s, %s : tensor<4x0xf32>, tensor<0xf32>
  return
}
// -----
// mp.layer_norm (C2)
func.func @rows(%x: tensor<4x8xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{scale has type 'tensor<4xf32>', expected 'tensor<8xf32>'}}
  %0 = mp.layer_norm %x, %s, %s : tensor<4x8xf32>, tensor<4xf32>
  return
}
// -----
// mp.layer_norm (C2)
func.func @rank(%x: tensor<4x8xf32>, %s: tensor<1x8xf32>) {
  // expected-error @+1 {{scale has type 'tensor<1x8xf32>', expected 'tensor<8xf32>'}}
  %0 = mp.layer_norm %x, %s, %s : tensor<4x8xf32>, tensor<1x8xf32>
  return
}
// -----
// mp.layer_norm (C2)
func.func @narrow(%x: tensor<4x8xf16>, %s: tensor<8xf16>) {
  // expected-error @+1 {{scale has type 'tensor<8xf16>', expected 'tensor<8xf32>'}}
  %0 = mp.layer_norm %x, %s, %s : tensor<4x8xf16>, tensor<8xf16>
  return
}
// -----
// mp.layer_norm (C2)
func.func @wide(%x: tensor<4x8xf64>, %s: tensor<8xf32>) {
  // expected-error @+1 {{scale has type 'tensor<8xf32>', expected 'tensor<8xf64>'}}
  %0 = mp.layer_norm %x, %s, %s : tensor<4x8xf64>, tensor<8xf32>
  return
}
// -----
// mp.layer_norm (C3)
func.func @negative(%x: tensor<4x8xf32>, %s: tensor<8xf32>) {
  // expected-error @+1 {{epsilon is -1.000000e+00, expected a finite number, at least 0}}
  %0 = mp.layer_norm %x, %s, %s {epsilon = -1.0 : f64} : tensor<4x8xf32>, tensor<8xf32>
  return
}
// -----
// mp.layer_norm (C3)
func.func @nan(%x: tensor<4x8xf32>, %s: tensor<8xf32>) {
  // expected-error @+1 {{epsilon is nan, expected a finite number, at least 0}}
  %0 = mp.layer_norm %x, %s, %s {epsilon = 0x7FF8000000000000 : f64} : tensor<4x8xf32>, tensor<8xf32>
  return
}
// -----
// mp.layer_norm_statistics (C1)
func.func @statistics_of_a_scalar(%x: tensor<f32>) {
  // expected-error @+1 {{operand has rank 0, expected at least 1}}
  %0:2 = mp.layer_norm_statistics %x : tensor<f32> -> tensor<1xf32>, tensor<1xf32>
  return
}
// -----
// mp.layer_norm_statistics (C1)
func.func @statistics_of_nothing(%x: tensor<4x0xf32>) {
  // expected-error @+1 {{operand is 'tensor<4x0xf32>', expected a last dimension of elements}}
  %0:2 = mp.layer_norm_statistics %x : tensor<4x0xf32> -> tensor<4x1xf32>, tensor<4x1xf32>
  return
}
// -----
// mp.layer_norm_statistics (C2)
func.func @statistics_type(%x: tensor<4x8xf16>) {
  // expected-error @+1 {{has results of types 'tensor<4x1xf16>', 'tensor<4x1xf16>', expected 'tensor<4x1xf32>', 'tensor<4x1xf32>'}}
  %0:2 = mp.layer_norm_statistics %x : tensor<4x8xf16> -> tensor<4x1xf16>, tensor<4x1xf16>
  return
}
// -----
// mp.layer_norm_statistics (C3)
func.func @statistics_epsilon(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{epsilon is INF, expected a finite number, at least 0}}
  %0:2 = mp.layer_norm_statistics %x {epsilon = 0x7FF0000000000000 : f64} : tensor<4x8xf32> -> tensor<4x1xf32>, tensor<4x1xf32>
  return
}
// -----
// mp.layer_norm_grad (C1)
func.func @gradient_of_nothing(%x: tensor<4x0xf32>, %s: tensor<0xf32>, %m: tensor<4x1xf32>) {
  // expected-error @+1 {{operand is 'tensor<4x0xf32>', expected a last dimension of elements}}
  %0 = mp.layer_norm_grad %x, %s, %m, %m, %x : tensor<4x0xf32>, tensor<0xf32>, tensor<4x1xf32>
  return
}
// -----
// mp.layer_norm_grad (C2)
func.func @gradient_scale(%x: tensor<4x8xf32>, %s: tensor<4xf32>, %m: tensor<4x1xf32>) {
  // expected-error @+1 {{scale has type 'tensor<4xf32>', expected 'tensor<8xf32>'}}
  %0 = mp.layer_norm_grad %x, %s, %m, %m, %x : tensor<4x8xf32>, tensor<4xf32>, tensor<4x1xf32>
  return
}
// -----
// mp.layer_norm_grad (C2)
func.func @gradient_mean(%x: tensor<4x8xf32>, %s: tensor<8xf32>, %m: tensor<4xf32>) {
  // expected-error @+1 {{mean has type 'tensor<4xf32>', expected 'tensor<4x1xf32>'}}
  %0 = mp.layer_norm_grad %x, %s, %m, %m, %x : tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>
  return
}
// -----
// mp.rms_norm (C1)
func.func @root_of_nothing(%x: tensor<4x0xf32>, %s: tensor<0xf32>) {
  // expected-error @+1 {{'mp.rms_norm' op operand is 'tensor<4x0xf32>', expected a last dimension of elements}}
  %0 = mp.rms_norm %x, %s : tensor<4x0xf32>, tensor<0xf32>
  return
}
// -----
// mp.rms_norm (C2)
func.func @scale_of_rows(%x: tensor<4x8xf16>, %s: tensor<8xf16>) {
  // expected-error @+1 {{scale has type 'tensor<8xf16>', expected 'tensor<8xf32>'}}
  %0 = mp.rms_norm %x, %s : tensor<4x8xf16>, tensor<8xf16>
  return
}
// -----
// mp.rms_norm (C3)
func.func @below_zero(%x: tensor<4x8xf16>, %s: tensor<8xf32>) {
  // expected-error @+1 {{epsilon is -1.000000e+00, expected a finite number, at least 0}}
  %0 = mp.rms_norm %x, %s {epsilon = -1.0 : f64} : tensor<4x8xf16>, tensor<8xf32>
  return
}
