// Products of few columns read rows of pixels as vectors: gradients of pictures, and convolutions of few filters, in f32 and of pairs. Rows of
// pixels are whole vectors, also in classes under strides, each of which has rows of taps.
//
// RUN: mp-opt %s -mp-decompose -cse -mp-form-kernels -mp-split-contractions=features=avx512bf16 -mp-schedule-kernels=features=avx512bf16 | FileCheck %s

// CHECK-LABEL: @pictures
// CHECK: tile_m = 3, tile_n = 128, {{.*}}read_rhs = true, transposed = true
func.func @pictures(%g: tensor<64x32x32x32xf32>, %w: tensor<32x3x3x3xf32>) -> tensor<64x32x32x3xf32> {
  %x = mp.conv_transpose %g, %w acc f32 {padding = same} : tensor<64x32x32x32xf32>, tensor<32x3x3x3xf32> -> tensor<64x32x32x3xf32>
  return %x : tensor<64x32x32x3xf32>
}

// Elements of f16 are widened as they are turned.
//
// CHECK-LABEL: @halves
// CHECK: tile_m = 3, tile_n = 128, {{.*}}read_rhs = true, transposed = true
func.func @halves(%g: tensor<64x32x32x32xf16>, %w: tensor<32x3x3x3xf16>) -> tensor<64x32x32x3xf16> {
  %x = mp.conv_transpose %g, %w acc f32 {padding = same} : tensor<64x32x32x32xf16>, tensor<32x3x3x3xf16> -> tensor<64x32x32x3xf16>
  return %x : tensor<64x32x32x3xf16>
}

// CHECK-LABEL: @strides
// CHECK: tile_m = 3, tile_n = 112, {{.*}}instruction = dot, read_rhs = true, transposed = true
func.func @strides(%g: tensor<4x112x112x64xbf16>, %w: tensor<64x7x7x3xbf16>) -> tensor<4x224x224x3xbf16> {
  %x = mp.conv_transpose %g, %w acc f32 {strides = [2, 2], padding = same} : tensor<4x112x112x64xbf16>, tensor<64x7x7x3xbf16> -> tensor<4x224x224x3xbf16>
  return %x : tensor<4x224x224x3xbf16>
}

// CHECK-LABEL: @few_filters
// CHECK: tile_m = 2, {{.*}}read_rhs = true, transposed = true
func.func @few_filters(%x: tensor<16x32x32x32xf32>, %w: tensor<2x3x3x32xf32>) -> tensor<16x32x32x2xf32> {
  %y = mp.conv %x, %w acc f32 {padding = same} : tensor<16x32x32x32xf32>, tensor<2x3x3x32xf32> -> tensor<16x32x32x2xf32>
  return %y : tensor<16x32x32x2xf32>
}

// CHECK-LABEL: @short_rows
// CHECK: #mp.contraction
// CHECK-NOT: transposed
func.func @short_rows(%x: tensor<16x24x24x32xf32>, %w: tensor<2x3x3x32xf32>) -> tensor<16x24x24x2xf32> {
  %y = mp.conv %x, %w acc f32 {padding = same} : tensor<16x24x24x32xf32>, tensor<2x3x3x32xf32> -> tensor<16x24x24x2xf32>
  return %y : tensor<16x24x24x2xf32>
}

// The pixels of a class that meets one tap are rows of a matrix.
//
// CHECK-LABEL: @one_tap
// CHECK: #mp.contraction
// CHECK-NOT: transposed
func.func @one_tap(%g: tensor<4x112x112x64xf32>, %w: tensor<64x3x3x3xf32>) -> tensor<4x224x224x3xf32> {
  %x = mp.conv_transpose %g, %w acc f32 {strides = [2, 2], padding = same} : tensor<4x112x112x64xf32>, tensor<64x3x3x3xf32> -> tensor<4x224x224x3xf32>
  return %x : tensor<4x224x224x3xf32>
}
