// RUN: mp-opt %s -split-input-file -verify-diagnostics

// mp.max_pool (C3)
func.func @window_of_0(%x: tensor<2x8x9x4xf32>) {
  // expected-error @+1 {{window is at least 1, found 0}}
  %p, %i = mp.max_pool_with_indices %x window [2, 0] : tensor<2x8x9x4xf32> -> tensor<2x4x4x4xf32>, tensor<2x4x4x4xui8>
  return
}
// -----
// mp.max_pool (C6)
func.func @results(%x: tensor<2x8x9x4xf32>) {
  // expected-error @+1 {{has results of types 'tensor<2x4x5x4xf32>', 'tensor<2x4x4x4xui8>', expected 'tensor<2x4x4x4xf32>', 'tensor<2x4x4x4xui8>'}}
  %p, %i = mp.max_pool_with_indices %x window [2, 2] : tensor<2x8x9x4xf32> -> tensor<2x4x5x4xf32>, tensor<2x4x4x4xui8>
  return
}
// -----
// mp.max_pool_with_indices (C8)
func.func @indices_of_a_byte(%x: tensor<2x257x4xf32>) {
  // expected-error @+1 {{has windows of [257] pixels, which indices of a byte do not tell apart}}
  %p, %i = mp.max_pool_with_indices %x window [257] : tensor<2x257x4xf32> -> tensor<2x1x4xf32>, tensor<2x1x4xui8>
  return
}
// -----
// mp.max_unpool (C8)
func.func @unpooled_indices_of_a_byte(%i: tensor<2x1x4xui8>, %v: tensor<2x1x4xf32>) {
  // expected-error @+1 {{has windows of [257] pixels, which indices of a byte do not tell apart}}
  %u = mp.max_unpool %i, %v window [257] : tensor<2x1x4xui8>, tensor<2x1x4xf32> -> tensor<2x257x4xf32>
  return
}
// -----
// mp.max_unpool (C9)
func.func @shapes(%i: tensor<2x4x5x4xui8>, %v: tensor<2x4x4x4xf32>) {
  // expected-error @+1 {{indices have shape [2x4x5x4] and values [2x4x4x4], expected one}}
  %u = mp.max_unpool %i, %v window [2, 2] : tensor<2x4x5x4xui8>, tensor<2x4x4x4xf32> -> tensor<2x8x9x4xf32>
  return
}
// -----
// mp.max_pool (C6)
func.func @image(%i: tensor<2x4x4x4xui8>, %v: tensor<2x4x4x4xf32>) {
  // expected-error @+1 {{gradient has shape [2x4x4x4], but pooling [2x8x7x4] gives [2x4x3x4]}}
  %u = mp.max_unpool %i, %v window [2, 2] : tensor<2x4x4x4xui8>, tensor<2x4x4x4xf32> -> tensor<2x8x7x4xf32>
  return
}
// -----
// mp.max_pool (C1)
func.func @element_types(%i: tensor<2x4x4x4xui8>, %v: tensor<2x4x4x4xf32>) {
  // expected-error @+1 {{failed to verify that all of {values, result} have same element type}}
  %u = mp.max_unpool %i, %v window [2, 2] : tensor<2x4x4x4xui8>, tensor<2x4x4x4xf32> -> tensor<2x8x9x4xf16>
  return
}
