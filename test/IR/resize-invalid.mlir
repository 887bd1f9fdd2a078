// RUN: mp-opt %s -split-input-file -verify-diagnostics

// mp.resize (C1)
func.func @integers(%x: tensor<2x4x3xi32>) -> tensor<2x8x3xi32> {
  // expected-error @+1 {{of 'i32' has mode linear, expected floats or mode nearest}}
  %y = mp.resize %x mode linear coordinates half_pixel : tensor<2x4x3xi32> -> tensor<2x8x3xi32>
  return %y : tensor<2x8x3xi32>
}
// -----
// mp.resize (C2)
func.func @rank(%x: tensor<4x3xf32>) -> tensor<8x3xf32> {
  // expected-error @+1 {{images have rank 3 to 5, [N, spatial..., C], found shape [4x3]}}
  %y = mp.resize %x mode linear coordinates half_pixel : tensor<4x3xf32> -> tensor<8x3xf32>
  return %y : tensor<8x3xf32>
}
// -----
// mp.resize (C2)
func.func @open(%x: tensor<2x?x3xf32>) -> tensor<2x8x3xf32> {
  // expected-error @+1 {{has an open size other than the first of [2x?x3]}}
  %y = mp.resize %x mode linear coordinates half_pixel : tensor<2x?x3xf32> -> tensor<2x8x3xf32>
  return %y : tensor<2x8x3xf32>
}
// -----
// mp.resize (C3)
func.func @other_rank(%x: tensor<2x4x3xf32>) -> tensor<2x8x8x3xf32> {
  // expected-error @+1 {{operand has shape [2x4x3] and result [2x8x8x3], expected one rank}}
  %y = mp.resize %x mode linear coordinates half_pixel : tensor<2x4x3xf32> -> tensor<2x8x8x3xf32>
  return %y : tensor<2x8x8x3xf32>
}
// -----
// mp.resize (C3)
func.func @no_pixel(%x: tensor<2x4x3xf32>) -> tensor<2x0x3xf32> {
  // expected-error @+1 {{has 0 pixels along a dimension of [2x0x3], expected at least 1 and less than 2^24}}
  %y = mp.resize %x mode linear coordinates half_pixel : tensor<2x4x3xf32> -> tensor<2x0x3xf32>
  return %y : tensor<2x0x3xf32>
}
// -----
// mp.resize (C3)
func.func @other_channels(%x: tensor<2x4x3xf32>) -> tensor<2x8x5xf32> {
  // expected-error @+1 {{[2x8x3]}}
  %y = mp.resize %x mode linear coordinates half_pixel : tensor<2x4x3xf32> -> tensor<2x8x5xf32>
  return %y : tensor<2x8x5xf32>
}
// -----
// mp.resize (C4)
func.func @rounds(%x: tensor<2x4x3xf32>) -> tensor<2x8x3xf32> {
  // expected-error @+1 {{has mode cubic and rounding ceil, which is of mode nearest alone}}
  %y = mp.resize %x mode cubic coordinates half_pixel rounding ceil : tensor<2x4x3xf32> -> tensor<2x8x3xf32>
  return %y : tensor<2x8x3xf32>
}
// -----
// mp.resize (C5)
func.func @scales(%x: tensor<2x4x3xf32>) -> tensor<2x8x3xf32> {
  // expected-error @+1 {{has scales of 'tensor<2xf64>', expected tensor<1xf64>: one for each spatial dimension}}
  %y = mp.resize %x mode linear coordinates half_pixel scales dense<2.0> : tensor<2xf64> : tensor<2x4x3xf32> -> tensor<2x8x3xf32>
  return %y : tensor<2x8x3xf32>
}
// -----
// mp.resize (C5)
func.func @no_scale(%g: tensor<2x8x3xf32>) -> tensor<2x4x3xf32> {
  // expected-error @+1 {{has scale 0}}
  %y = mp.resize_grad %g mode linear coordinates half_pixel scales dense<0.0> : tensor<1xf64> : tensor<2x8x3xf32> -> tensor<2x4x3xf32>
  return %y : tensor<2x4x3xf32>
}
// -----
// mp.resample (C1)
func.func @images(%x: tensor<2x4x3xf32>, %i: tensor<4xi32>) -> tensor<2x4x5xf32> {
  // expected-error @+1 {{expected images of rank 3 to 5, of which the first has pixels, that differ in spatial sizes alone}}
  %y = mp.resample %x indices %i : (tensor<2x4x3xf32>, tensor<4xi32>) -> tensor<2x4x5xf32>
  return %y : tensor<2x4x5xf32>
}
// -----
// mp.resample (C2)
func.func @tables(%x: tensor<2x4x3xf32>, %i: tensor<4xi32>) -> tensor<2x4x3xf32> {
  // expected-error @+1 {{has 2 tables of indices, expected one for each of 1 spatial dimensions}}
  %y = mp.resample %x indices %i, %i : (tensor<2x4x3xf32>, tensor<4xi32>, tensor<4xi32>) -> tensor<2x4x3xf32>
  return %y : tensor<2x4x3xf32>
}
// -----
// mp.resample (C2)
func.func @some(%x: tensor<2x4x3xf32>, %i: tensor<4xi32>, %s: tensor<5xi32>) -> tensor<2x4x3xf32> {
  // expected-error @+1 {{has 2 tables of starts, expected none or one for each of 1 spatial dimensions}}
  %y = mp.resample %x starts %s, %s indices %i : (tensor<2x4x3xf32>, tensor<5xi32>, tensor<5xi32>, tensor<4xi32>) -> tensor<2x4x3xf32>
  return %y : tensor<2x4x3xf32>
}
// -----
// mp.resample (C2)
func.func @starts_without_weights(%x: tensor<2x4x3xf32>, %s: tensor<5xi32>, %i: tensor<4xi32>) -> tensor<2x4x3xf32> {
  // expected-error @+1 {{has starts and no weights, expected weights of what is summed}}
  %y = mp.resample %x starts %s indices %i : (tensor<2x4x3xf32>, tensor<5xi32>, tensor<4xi32>) -> tensor<2x4x3xf32>
  return %y : tensor<2x4x3xf32>
}

// -----

// mp.resample (C3)
func.func @indices(%x: tensor<2x4x3xf32>, %i: tensor<5xi32>, %w: tensor<5xf32>) -> tensor<2x4x3xf32> {
  // expected-error @+1 {{has [5] indices for 4 pixels, expected as many for each of them}}
  %y = mp.resample %x indices %i weights %w : (tensor<2x4x3xf32>, tensor<5xi32>, tensor<5xf32>) -> tensor<2x4x3xf32>
  return %y : tensor<2x4x3xf32>
}
// -----
// mp.resample (C3)
func.func @starts(%x: tensor<2x4x3xf32>, %s: tensor<4xi32>, %i: tensor<4xi32>, %w: tensor<4xf32>) -> tensor<2x4x3xf32> {
  // expected-error @+1 {{has [4] starts for 4 pixels, expected one more}}
  %y = mp.resample %x starts %s indices %i weights %w : (tensor<2x4x3xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xf32>) -> tensor<2x4x3xf32>
  return %y : tensor<2x4x3xf32>
}
// -----
// mp.resample (C3)
func.func @weights(%x: tensor<2x4x3xf32>, %i: tensor<8xi32>, %w: tensor<4xf32>) -> tensor<2x4x3xf32> {
  // expected-error @+1 {{has [4] weights for [8] indices, expected as many}}
  %y = mp.resample %x indices %i weights %w : (tensor<2x4x3xf32>, tensor<8xi32>, tensor<4xf32>) -> tensor<2x4x3xf32>
  return %y : tensor<2x4x3xf32>
}
// -----
// mp.resample (C4)
func.func @wide(%x: tensor<2x4x3xf16>, %i: tensor<4xi32>, %w: tensor<4xf64>) -> tensor<2x4x3xf16> {
  // expected-error @+1 {{has weights of 'f64', expected 'f32'}}
  %y = mp.resample %x indices %i weights %w : (tensor<2x4x3xf16>, tensor<4xi32>, tensor<4xf64>) -> tensor<2x4x3xf16>
  return %y : tensor<2x4x3xf16>
}
