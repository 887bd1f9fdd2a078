// RUN: mp-opt %s -mp-form-kernels -mp-schedule-kernels=features=avx512 -mp-pool-in-blocks -mp-verify-kernels=scheduled | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: mp-opt %s -mp-form-kernels -mp-schedule-kernels=features=avx2 -mp-pool-in-blocks -mp-verify-kernels=scheduled | FileCheck %s --check-prefixes=CHECK,NARROW

// Two slices of a clip have whole windows, 200 pixels: blocks are multiples of that.
// CHECK-LABEL: @slices
// CHECK: mp.kernel "conv_0"
// WIDE-SAME: block_m = 800, block_n = 16, block_k = 216, tile_m = 25, tile_n = 16
// NARROW-SAME: block_m = 400, block_n = 16, block_k = 216, tile_m = 5, tile_n = 16
// CHECK: mp.max_pool
// CHECK-NOT: mp.kernel
func.func @slices(%x: tensor<64x8x10x10x8xf32>, %w: tensor<16x3x3x3x8xf32>) -> tensor<64x4x5x5x16xf32> {
  %0 = mp.conv %x, %w acc f32 {padding = same} : tensor<64x8x10x10x8xf32>, tensor<16x3x3x3x8xf32> -> tensor<64x8x10x10x16xf32>
  %1 = mp.relu %0 : tensor<64x8x10x10x16xf32>
  %2 = mp.max_pool %1 {window = [2, 2, 2]} : tensor<64x8x10x10x16xf32> -> tensor<64x4x5x5x16xf32>
  return %2 : tensor<64x4x5x5x16xf32>
}

// Someone else reads the image: blocks are as without a pooling.
// CHECK-LABEL: @another_reader
// CHECK: mp.kernel "conv_0"
// WIDE-SAME: block_m = 224, block_n = 16, block_k = 216, tile_m = 28, tile_n = 16
// NARROW-SAME: block_m = 384, block_n = 16, block_k = 216, tile_m = 6, tile_n = 16
// CHECK: mp.kernel "max_pool_1"
func.func @another_reader(%x: tensor<64x8x10x10x8xf32>, %w: tensor<16x3x3x3x8xf32>) -> (tensor<64x4x5x5x16xf32>, tensor<64x8x10x10x16xf32>) {
  %0 = mp.conv %x, %w acc f32 {padding = same} : tensor<64x8x10x10x8xf32>, tensor<16x3x3x3x8xf32> -> tensor<64x8x10x10x16xf32>
  %1 = mp.max_pool %0 {window = [2, 2, 2]} : tensor<64x8x10x10x16xf32> -> tensor<64x4x5x5x16xf32>
  return %1, %0 : tensor<64x4x5x5x16xf32>, tensor<64x8x10x10x16xf32>
}

// Slices of 13 x 13, made of three in bf16, which become f32 as they are packed: tiles of 13 rows, or none that 169 is whole multiples of.
// CHECK-LABEL: @whole_images
// CHECK: mp.kernel "conv_0"
// WIDE-SAME: block_m = 338, block_n = 64, block_k = 384, tile_m = 13, tile_n = 32
// NARROW-SAME: tile_m = 6, tile_n = 16
// WIDE: mp.max_pool
// CHECK-NOT: mp.kernel "conv
// NARROW: mp.kernel "max_pool_1"
func.func @whole_images(%x: tensor<64x3x15x15x64xbf16>, %w: tensor<64x3x3x3x64xbf16>) -> tensor<64x1x6x6x64xbf16> {
  %0 = mp.conv %x, %w acc f32 : tensor<64x3x15x15x64xbf16>, tensor<64x3x3x3x64xbf16> -> tensor<64x1x13x13x64xbf16>
  %1 = mp.max_pool %0 {window = [1, 2, 2]} : tensor<64x1x13x13x64xbf16> -> tensor<64x1x6x6x64xbf16>
  return %1 : tensor<64x1x6x6x64xbf16>
}
