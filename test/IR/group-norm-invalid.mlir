// RUN: mp-opt %s -split-input-file -verify-diagnostics

// mp.group_norm (C1)
func.func @group_norm_rank(%x: tensor<8xf32>, %c: tensor<8xf32>) {
  // expected-error @+1 {{operand is 'tensor<8xf32>', expected rank 2 to 5, [N, spatial..., C], with no open size but the first}}
  %y = mp.group_norm %x, %c, %c groups 2 : tensor<8xf32>, tensor<8xf32>
  return
}
// -----
// mp.group_norm (C1)
func.func @group_norm_open(%x: tensor<2x?x8xf32>, %c: tensor<8xf32>) {
  // expected-error @+1 {{operand is 'tensor<2x?x8xf32>', expected rank 2 to 5, [N, spatial..., C], with no open size but the first}}
  %y = mp.group_norm %x, %c, %c groups 2 : tensor<2x?x8xf32>, tensor<8xf32>
  return
}
// -----
// mp.group_norm (C1)
func.func @group_norm_empty(%x: tensor<2x0x8xf32>, %c: tensor<8xf32>) {
  // expected-error @+1 {{operand is 'tensor<2x0x8xf32>', expected channels and places}}
  %y = mp.group_norm %x, %c, %c groups 2 : tensor<2x0x8xf32>, tensor<8xf32>
  return
}
// -----
// mp.group_norm (C2)
func.func @group_norm_scale(%x: tensor<2x4x8xf16>, %c: tensor<8xf16>) {
  // expected-error @+1 {{scale has type 'tensor<8xf16>', expected 'tensor<8xf32>'}}
  %y = mp.group_norm %x, %c, %c groups 2 : tensor<2x4x8xf16>, tensor<8xf16>
  return
}
// -----
// mp.group_norm (C3)
func.func @group_norm_epsilon(%x: tensor<2x4x8xf16>, %c: tensor<8xf32>) {
  // expected-error @+1 {{epsilon is -1.000000e+00, expected a finite number, at least 0}}
  %y = mp.group_norm %x, %c, %c groups 2 {epsilon = -1.0 : f64} : tensor<2x4x8xf16>, tensor<8xf32>
  return
}
// -----
// mp.group_norm (C4)
func.func @group_norm_no_groups(%x: tensor<2x4x8xf16>, %c: tensor<8xf32>) {
  // expected-error @+1 {{groups is 0, expected a divisor of the 8 channels}}
  %y = mp.group_norm %x, %c, %c groups 0 : tensor<2x4x8xf16>, tensor<8xf32>
  return
}
// -----
// mp.group_norm (C4)
func.func @group_norm_parts(%x: tensor<2x4x8xf16>, %c: tensor<8xf32>) {
  // expected-error @+1 {{groups is 3, expected a divisor of the 8 channels}}
  %y = mp.group_norm %x, %c, %c groups 3 : tensor<2x4x8xf16>, tensor<8xf32>
  return
}
// -----
// mp.group_norm_grad (C1)
func.func @group_norm_grad_rank(%x: tensor<8xf32>, %c: tensor<8xf32>) {
  // expected-error @+1 {{operand is 'tensor<8xf32>', expected rank 2 to 5, [N, spatial..., C], with no open size but the first}}
  %y:3 = mp.group_norm_grad %x, %c, %x groups 2 : tensor<8xf32>, tensor<8xf32>
  return
}
// -----
// mp.group_norm_grad (C1)
func.func @group_norm_grad_open(%x: tensor<2x?x8xf32>, %c: tensor<8xf32>) {
  // expected-error @+1 {{operand is 'tensor<2x?x8xf32>', expected rank 2 to 5, [N, spatial..., C], with no open size but the first}}
  %y:3 = mp.group_norm_grad %x, %c, %x groups 2 : tensor<2x?x8xf32>, tensor<8xf32>
  return
}
// -----
// mp.group_norm_grad (C1)
func.func @group_norm_grad_empty(%x: tensor<2x0x8xf32>, %c: tensor<8xf32>) {
  // expected-error @+1 {{operand is 'tensor<2x0x8xf32>', expected channels and places}}
  %y:3 = mp.group_norm_grad %x, %c, %x groups 2 : tensor<2x0x8xf32>, tensor<8xf32>
  return
}
// -----
// mp.group_norm_grad (C2)
func.func @group_norm_grad_scale(%x: tensor<2x4x8xf16>, %c: tensor<8xf16>) {
  // expected-error @+1 {{scale has type 'tensor<8xf16>', expected 'tensor<8xf32>'}}
  %y:3 = mp.group_norm_grad %x, %c, %x groups 2 : tensor<2x4x8xf16>, tensor<8xf16>
  return
}
// -----
// mp.group_norm_grad (C3)
func.func @group_norm_grad_epsilon(%x: tensor<2x4x8xf16>, %c: tensor<8xf32>) {
  // expected-error @+1 {{epsilon is -1.000000e+00, expected a finite number, at least 0}}
  %y:3 = mp.group_norm_grad %x, %c, %x groups 2 {epsilon = -1.0 : f64} : tensor<2x4x8xf16>, tensor<8xf32>
  return
}
// -----
// mp.group_norm_grad (C4)
func.func @group_norm_grad_no_groups(%x: tensor<2x4x8xf16>, %c: tensor<8xf32>) {
  // expected-error @+1 {{groups is 0, expected a divisor of the 8 channels}}
  %y:3 = mp.group_norm_grad %x, %c, %x groups 0 : tensor<2x4x8xf16>, tensor<8xf32>
  return
}
// -----
// mp.group_norm_grad (C4)
func.func @group_norm_grad_parts(%x: tensor<2x4x8xf16>, %c: tensor<8xf32>) {
  // expected-error @+1 {{groups is 3, expected a divisor of the 8 channels}}
  %y:3 = mp.group_norm_grad %x, %c, %x groups 3 : tensor<2x4x8xf16>, tensor<8xf32>
  return
}
