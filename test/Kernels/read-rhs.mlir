// Gradients of filters read rows of pixels that a block keeps: of images in memory or with an op in front of them, whose rows of taps are whole
// tiles. Where vectors divide the filters operands of f32 change places, and the gradient is streamed. Pairs need rows of an even number of
// pixels. A unit reads panels for all rows of taps, or panels of few channels that a block packs from such rows, and has no tile of one register of
// sums.
//
// RUN: mp-opt %s -mp-decompose -cse -mp-form-kernels -mp-split-contractions=features=avx512bf16 -mp-schedule-kernels=features=avx512bf16 | FileCheck %s
// RUN: mp-opt %s -mp-decompose -cse -mp-form-kernels -mp-split-contractions=features=amx-bf16 -mp-schedule-kernels=features=amx-bf16 | FileCheck %s --check-prefix=UNIT
// RUN: mp-opt %s -mp-decompose -cse -mp-form-kernels -mp-split-contractions=features=avx512 -mp-schedule-kernels=features=avx512 | FileCheck %s --check-prefix=FMA
// UNIT-LABEL: @pairs
// UNIT: tile_m = 32, tile_n = 32, vector = 16, instruction = amx, read_rhs = true
// UNIT-LABEL: @one_dimension
// UNIT-LABEL: @odd_rows
// UNIT: block_m = 64, block_n = 144, {{.*}}instruction = amx, read_rhs = true
// UNIT-LABEL: @colours
// UNIT-LABEL: @pairs_of_colours
// UNIT: block_n = 32, block_k = 256, {{.*}}instruction = amx, read_rhs = true
// UNIT-LABEL: @long_rows_of_taps

// CHECK-LABEL: @one_by_one
// CHECK: tile_m = 12, tile_n = 32, {{.*}}stream_rhs = true, read_lhs = true, transposed = true
func.func @one_by_one(%x: tensor<128x13x13x32xf32>, %g: tensor<128x13x13x64xf32>) -> tensor<64x3x3x32xf32> {
  %w = mp.conv_filter_grad %x, %g acc f32 {padding = same} : tensor<128x13x13x32xf32>, tensor<128x13x13x64xf32> -> tensor<64x3x3x32xf32>
  return %w : tensor<64x3x3x32xf32>
}

// CHECK-LABEL: @behind_a_relu
// CHECK: read_rhs = true
// CHECK: mp.relu
// CHECK: mp.conv_filter_grad
func.func @behind_a_relu(%x: tensor<128x16x16x16xf32>, %g: tensor<128x16x16x16xf32>) -> tensor<16x3x3x16xf32> {
  %r = mp.relu %x : tensor<128x16x16x16xf32>
  %w = mp.conv_filter_grad %r, %g acc f32 {padding = same} : tensor<128x16x16x16xf32>, tensor<128x16x16x16xf32> -> tensor<16x3x3x16xf32>
  return %w : tensor<16x3x3x16xf32>
}

// FMA-LABEL: @pairs
// FMA: #mp.contraction<{{.*}}{{stream_rhs = true, read_lhs = true, transposed = true|read_rhs = true}}
// CHECK-LABEL: @pairs
// CHECK: instruction = dot, read_rhs = true
func.func @pairs(%x: tensor<128x16x16x16xbf16>, %g: tensor<128x8x8x32xbf16>) -> tensor<32x3x3x16xf32> {
  %w = mp.conv_filter_grad %x, %g acc f32 {strides = [2, 2], padding = same} : tensor<128x16x16x16xbf16>, tensor<128x8x8x32xbf16> -> tensor<32x3x3x16xf32>
  return %w : tensor<32x3x3x16xf32>
}

// Nothing separates images of one dimension: a part is rows of one.
//
// CHECK-LABEL: @one_dimension
// CHECK: block_k = 512, {{.*}}read_lhs = true, transposed = true
// CHECK-NEXT: mp.conv_filter_grad_parts {{.*}} depth 512
func.func @one_dimension(%x: tensor<128x32x16xf32>, %g: tensor<128x32x16xf32>) -> tensor<16x3x16xf32> {
  %w = mp.conv_filter_grad %x, %g acc f32 {padding = [1, 1]} : tensor<128x32x16xf32>, tensor<128x32x16xf32> -> tensor<16x3x16xf32>
  return %w : tensor<16x3x16xf32>
}

// CHECK-LABEL: @odd_rows
// CHECK: instruction = dot
// CHECK-NOT: read_rhs
func.func @odd_rows(%x: tensor<128x13x13x32xbf16>, %g: tensor<128x13x13x64xbf16>) -> tensor<64x3x3x32xf32> {
  %w = mp.conv_filter_grad %x, %g acc f32 {padding = same} : tensor<128x13x13x32xbf16>, tensor<128x13x13x64xbf16> -> tensor<64x3x3x32xf32>
  return %w : tensor<64x3x3x32xf32>
}

// Rows of a tile are a row of taps, its vectors the filters.
//
// CHECK-LABEL: @colours
// CHECK: tile_m = 9, tile_n = 32, {{.*}}read_lhs = true, transposed = true
func.func @colours(%x: tensor<128x32x32x3xf32>, %g: tensor<128x32x32x32xf32>) -> tensor<32x3x3x3xf32> {
  %w = mp.conv_filter_grad %x, %g acc f32 {padding = same} : tensor<128x32x32x3xf32>, tensor<128x32x32x32xf32> -> tensor<32x3x3x3xf32>
  return %w : tensor<32x3x3x3xf32>
}

// Pairs of filters are packed eight at a time, for one tile has all columns.
//
// CHECK-LABEL: @pairs_of_colours
// CHECK: block_m = 32, {{.*}}tile_m = 8, tile_n = 32, {{.*}}instruction = dot, read_rhs = true
func.func @pairs_of_colours(%x: tensor<128x32x32x3xbf16>, %g: tensor<128x32x32x32xbf16>) -> tensor<32x3x3x3xf32> {
  %w = mp.conv_filter_grad %x, %g acc f32 {padding = same} : tensor<128x32x32x3xbf16>, tensor<128x32x32x32xbf16> -> tensor<32x3x3x3xf32>
  return %w : tensor<32x3x3x3xf32>
}

// CHECK-LABEL: @long_rows_of_taps
// CHECK: tile_m = 7, tile_n = 32, {{.*}}read_lhs = true, transposed = true
func.func @long_rows_of_taps(%x: tensor<4x224x224x3xf32>, %g: tensor<4x112x112x64xf32>) -> tensor<64x7x7x3xf32> {
  %w = mp.conv_filter_grad %x, %g acc f32 {strides = [2, 2], padding = same} : tensor<4x224x224x3xf32>, tensor<4x112x112x64xf32> -> tensor<64x7x7x3xf32>
  return %w : tensor<64x7x7x3xf32>
}

// f16 is widened as rows are kept, and where it is streamed.
//
// CHECK-LABEL: @halves
// CHECK: tile_m = 12, tile_n = 32, {{.*}}stream_rhs = true, read_lhs = true, transposed = true
func.func @halves(%x: tensor<128x13x13x32xf16>, %g: tensor<128x13x13x64xf16>) -> tensor<64x3x3x32xf32> {
  %w = mp.conv_filter_grad %x, %g acc f32 {padding = same} : tensor<128x13x13x32xf16>, tensor<128x13x13x64xf16> -> tensor<64x3x3x32xf32>
  return %w : tensor<64x3x3x32xf32>
}

// No tile divides the filters: all columns are one, whose vectors are of two rows of taps each.
//
// CHECK-LABEL: @odd_filters
// CHECK: tile_n = 32, {{.*}}read_rhs = true
func.func @odd_filters(%x: tensor<128x32x32x3xf32>, %g: tensor<128x32x32x28xf32>) -> tensor<28x3x3x3xf32> {
  %w = mp.conv_filter_grad %x, %g acc f32 {padding = same} : tensor<128x32x32x3xf32>, tensor<128x32x32x28xf32> -> tensor<28x3x3x3xf32>
  return %w : tensor<28x3x3x3xf32>
}

// Blocks have some channels of all taps where sums of all columns would fill the cache.
//
// UNIT-LABEL: @channels_of_all_taps
// UNIT: block_m = 256, block_n = 576, {{.*}}instruction = amx, read_rhs = true
func.func @channels_of_all_taps(%x: tensor<16x14x14x256xbf16>, %g: tensor<16x14x14x256xbf16>) -> tensor<256x3x3x256xf32> {
  %w = mp.conv_filter_grad %x, %g acc f32 {padding = same} : tensor<16x14x14x256xbf16>, tensor<16x14x14x256xbf16> -> tensor<256x3x3x256xf32>
  return %w : tensor<256x3x3x256xf32>
}
