// RUN: mp-opt %s -split-input-file -verify-diagnostics

// mp.batch_norm (C1)
func.func @norm_of_channels(%x: tensor<1xf32>, %c: tensor<1xf32>) {
  // expected-error @+1 {{operand is 'tensor<1xf32>', expected rank 2 to 5, [N, spatial..., C], with no open size but the first}}
  %0:4 = mp.batch_norm %x, %c, %c : tensor<1xf32>, tensor<1xf32>
  return
}
// -----
// mp.batch_norm (C1)
func.func @norm_of_open_images(%x: tensor<2x?x8xf32>, %c: tensor<8xf32>) {
  // expected-error @+1 {{operand is 'tensor<2x?x8xf32>', expected rank 2 to 5, [N, spatial..., C], with no open size but the first}}
  %0:4 = mp.batch_norm %x, %c, %c : tensor<2x?x8xf32>, tensor<8xf32>
  return
}
// -----
// mp.batch_norm (C2)
func.func @norm_pixels(%x: tensor<2x4x8xf32>, %c: tensor<4xf32>) {
  // expected-error @+1 {{scale has type 'tensor<4xf32>', expected 'tensor<8xf32>'}}
  %0:4 = mp.batch_norm %x, %c, %c : tensor<2x4x8xf32>, tensor<4xf32>
  return
}
// -----
// mp.batch_norm (C2)
func.func @norm_narrow(%x: tensor<2x8xf16>, %c: tensor<8xf16>) {
  // expected-error @+1 {{scale has type 'tensor<8xf16>', expected 'tensor<8xf32>'}}
  %0:4 = mp.batch_norm %x, %c, %c : tensor<2x8xf16>, tensor<8xf16>
  return
}
// -----
// mp.batch_norm (C3)
func.func @norm_epsilon(%x: tensor<2x8xf32>, %c: tensor<8xf32>) {
  // expected-error @+1 {{epsilon is -1.000000e+00, expected a finite number, at least 0}}
  %0:4 = mp.batch_norm %x, %c, %c {epsilon = -1.0 : f64} : tensor<2x8xf32>, tensor<8xf32>
  return
}
// -----
// mp.batch_norm (C4)
func.func @norm_of_none(%x: tensor<0x4x8xf32>, %c: tensor<8xf32>) {
  // expected-error @+1 {{operand is 'tensor<0x4x8xf32>', which has 0 values of each channel; expected at least 1: take a larger batch}}
  %0:4 = mp.batch_norm %x, %c, %c : tensor<0x4x8xf32>, tensor<8xf32>
  return
}
// -----
// mp.batch_norm (C5)
func.func @norm_pixels_weights(%x: tensor<2x4x8xf16>, %c: tensor<8xf32>, %w: tensor<4xf32>) {
  // expected-error @+1 {{weights has type 'tensor<4xf32>', expected 'tensor<2xf32>'}}
  %0:4 = mp.batch_norm %x, %c, %c weights %w : tensor<4xf32> : tensor<2x4x8xf16>, tensor<8xf32>
  return
}
// -----
// mp.batch_norm (C5)
func.func @norm_narrow_weights(%x: tensor<2x4x8xf16>, %c: tensor<8xf32>, %w: tensor<2xf16>) {
  // expected-error @+1 {{weights has type 'tensor<2xf16>', expected 'tensor<2xf32>'}}
  %0:4 = mp.batch_norm %x, %c, %c weights %w : tensor<2xf16> : tensor<2x4x8xf16>, tensor<8xf32>
  return
}
// -----
// mp.batch_norm_grad (C1)
func.func @norm_grad_of_channels(%x: tensor<1xf32>, %c: tensor<1xf32>) {
  // expected-error @+1 {{operand is 'tensor<1xf32>', expected rank 2 to 5, [N, spatial..., C], with no open size but the first}}
  %0:3 = mp.batch_norm_grad %x, %c, %c, %c, %x : tensor<1xf32>, tensor<1xf32>
  return
}
// -----
// mp.batch_norm_grad (C1)
func.func @norm_grad_of_open_images(%x: tensor<2x?x8xf32>, %c: tensor<8xf32>) {
  // expected-error @+1 {{operand is 'tensor<2x?x8xf32>', expected rank 2 to 5, [N, spatial..., C], with no open size but the first}}
  %0:3 = mp.batch_norm_grad %x, %c, %c, %c, %x : tensor<2x?x8xf32>, tensor<8xf32>
  return
}
// -----
// mp.batch_norm_grad (C2)
func.func @norm_grad_pixels(%x: tensor<2x4x8xf32>, %c: tensor<4xf32>) {
  // expected-error @+1 {{scale has type 'tensor<4xf32>', expected 'tensor<8xf32>'}}
  %0:3 = mp.batch_norm_grad %x, %c, %c, %c, %x : tensor<2x4x8xf32>, tensor<4xf32>
  return
}
// -----
// mp.batch_norm_grad (C2)
func.func @norm_grad_narrow(%x: tensor<2x8xf16>, %c: tensor<8xf16>) {
  // expected-error @+1 {{scale has type 'tensor<8xf16>', expected 'tensor<8xf32>'}}
  %0:3 = mp.batch_norm_grad %x, %c, %c, %c, %x : tensor<2x8xf16>, tensor<8xf16>
  return
}
// -----
// mp.batch_norm_grad (C3)
func.func @norm_grad_epsilon(%x: tensor<2x8xf32>, %c: tensor<8xf32>) {
  // expected-error @+1 {{epsilon is -1.000000e+00, expected a finite number, at least 0}}
  %0:3 = mp.batch_norm_grad %x, %c, %c, %c, %x {epsilon = -1.0 : f64} : tensor<2x8xf32>, tensor<8xf32>
  return
}
// -----
// mp.batch_norm_grad (C4)
func.func @norm_grad_of_one(%x: tensor<1x1x8xf32>, %c: tensor<8xf32>) {
  // expected-error @+1 {{operand is 'tensor<1x1x8xf32>', which has 1 value of each channel; expected at least 2: take a larger batch}}
  %0:3 = mp.batch_norm_grad %x, %c, %c, %c, %x : tensor<1x1x8xf32>, tensor<8xf32>
  return
}
// -----
// mp.batch_norm_grad (C4)
func.func @norm_grad_of_none(%x: tensor<0x4x8xf32>, %c: tensor<8xf32>) {
  // expected-error @+1 {{operand is 'tensor<0x4x8xf32>', which has 0 values of each channel; expected at least 2: take a larger batch}}
  %0:3 = mp.batch_norm_grad %x, %c, %c, %c, %x : tensor<0x4x8xf32>, tensor<8xf32>
  return
}
// -----
// mp.batch_norm_grad (C5)
func.func @norm_grad_pixels_weights(%x: tensor<2x4x8xf16>, %c: tensor<8xf32>, %w: tensor<4xf32>) {
  // expected-error @+1 {{weights has type 'tensor<4xf32>', expected 'tensor<2xf32>'}}
  %0:3 = mp.batch_norm_grad %x, %c, %c, %c, %x weights %w : tensor<4xf32> : tensor<2x4x8xf16>, tensor<8xf32>
  return
}
// -----
// mp.batch_norm_grad (C5)
func.func @norm_grad_narrow_weights(%x: tensor<2x4x8xf16>, %c: tensor<8xf32>, %w: tensor<2xf16>) {
  // expected-error @+1 {{weights has type 'tensor<2xf16>', expected 'tensor<2xf32>'}}
  %0:3 = mp.batch_norm_grad %x, %c, %c, %c, %x weights %w : tensor<2xf16> : tensor<2x4x8xf16>, tensor<8xf32>
  return
}
// -----
// mp.batch_norm_inference (C1)
func.func @norm_inference_of_channels(%x: tensor<1xf32>, %c: tensor<1xf32>) {
  // expected-error @+1 {{operand is 'tensor<1xf32>', expected rank 2 to 5, [N, spatial..., C], with no open size but the first}}
  %0 = mp.batch_norm_inference %x, %c, %c, %c, %c : tensor<1xf32>, tensor<1xf32>
  return
}
// -----
// mp.batch_norm_inference (C1)
func.func @norm_inference_of_open_images(%x: tensor<2x?x8xf32>, %c: tensor<8xf32>) {
  // expected-error @+1 {{operand is 'tensor<2x?x8xf32>', expected rank 2 to 5, [N, spatial..., C], with no open size but the first}}
  %0 = mp.batch_norm_inference %x, %c, %c, %c, %c : tensor<2x?x8xf32>, tensor<8xf32>
  return
}
// -----
// mp.batch_norm_inference (C2)
func.func @norm_inference_pixels(%x: tensor<2x4x8xf32>, %c: tensor<4xf32>) {
  // expected-error @+1 {{scale has type 'tensor<4xf32>', expected 'tensor<8xf32>'}}
  %0 = mp.batch_norm_inference %x, %c, %c, %c, %c : tensor<2x4x8xf32>, tensor<4xf32>
  return
}
// -----
// mp.batch_norm_inference (C2)
func.func @norm_inference_narrow(%x: tensor<2x8xf16>, %c: tensor<8xf16>) {
  // expected-error @+1 {{scale has type 'tensor<8xf16>', expected 'tensor<8xf32>'}}
  %0 = mp.batch_norm_inference %x, %c, %c, %c, %c : tensor<2x8xf16>, tensor<8xf16>
  return
}
// -----
// mp.batch_norm_inference (C3)
func.func @norm_inference_epsilon(%x: tensor<2x8xf32>, %c: tensor<8xf32>) {
  // expected-error @+1 {{epsilon is -1.000000e+00, expected a finite number, at least 0}}
  %0 = mp.batch_norm_inference %x, %c, %c, %c, %c {epsilon = -1.0 : f64} : tensor<2x8xf32>, tensor<8xf32>
  return
}
// -----
// mp.update_running (C1)
func.func @narrow_state(%o: tensor<8xf16>, %n: tensor<f16>) {
  // expected-error @+1 {{old is 'tensor<8xf16>', expected f32 or f64}}
  %0 = mp.update_running %o, %o, %n : tensor<8xf16>
  return
}
// -----
// mp.update_running (C2)
func.func @momentum_1_5(%o: tensor<8xf32>, %n: tensor<f32>) {
  // expected-error @+1 {{momentum is 1.500000e+00, expected 0 to 1: the weight of the new value}}
  %0 = mp.update_running %o, %o, %n {momentum = 1.5 : f64} : tensor<8xf32>
  return
}
// -----
// mp.update_running (C2)
func.func @momentum_minus_0_1(%o: tensor<8xf32>, %n: tensor<f32>) {
  // expected-error @+1 {{momentum is -1.000000e-01, expected 0 to 1: the weight of the new value}}
  %0 = mp.update_running %o, %o, %n {momentum = -0.1 : f64} : tensor<8xf32>
  return
}
// -----
// no constraint: types of operands
// expected-note @+1 {{prior use here}}
func.func @count(%o: tensor<8xf32>, %n: tensor<f64>) {
  // expected-error @+1 {{expects different type than prior uses: 'tensor<f32>' vs 'tensor<f64>'}}
  %0 = mp.update_running %o, %o, %n : tensor<8xf32>
  return
}
