// RUN: mp-opt %s -split-input-file -mp-pool-in-blocks -mp-verify-kernels=scheduled | FileCheck %s

// What was pooled is a value of the product's kernel alone; maps behind the pooling come along, with their inputs.
// CHECK-LABEL: @with_what_follows
// CHECK-NEXT: %[[K:.*]]:2 = mp.kernel "conv_0" (%[[X:.*]] = %arg0, %[[W:.*]] = %arg1, %[[M:.*]] = %arg2) schedule(#mp.contraction<block_m = 32, {{.*}}) : {{.*}} -> (tensor<2x4x4x16xbf16>, tensor<2x4x4x16xui8>)
// CHECK-NEXT: %[[C:.*]] = mp.conv %[[X]], %[[W]]
// CHECK-NEXT: %[[R:.*]] = mp.relu %[[C]]
// CHECK-NEXT: %[[P:.*]], %[[I:.*]] = mp.max_pool_with_indices %[[R]] window [2, 2]
// CHECK-NEXT: %[[D:.*]] = mp.masked_dropout %[[P]], %[[M]]
// CHECK-NEXT: mp.yield %[[D]], %[[I]]
// CHECK-NOT: mp.kernel
// CHECK: return %[[K]]#0, %[[K]]#1
func.func @with_what_follows(%x: tensor<2x10x10x8xbf16>, %w: tensor<16x3x3x8xbf16>, %m: tensor<9xi64>) -> (tensor<2x4x4x16xbf16>, tensor<2x4x4x16xui8>) {
  %y = mp.kernel "conv_0" (%a = %x, %b = %w) schedule(#mp.contraction<block_m = 32, block_n = 16, block_k = 72, tile_m = 8, tile_n = 16, vector = 8>) : (tensor<2x10x10x8xbf16>, tensor<16x3x3x8xbf16>) -> tensor<2x8x8x16xbf16> {
    %0 = mp.conv %a, %b acc f32 : tensor<2x10x10x8xbf16>, tensor<16x3x3x8xbf16> -> tensor<2x8x8x16xbf16>
    %1 = mp.relu %0 : tensor<2x8x8x16xbf16>
    mp.yield %1 : tensor<2x8x8x16xbf16>
  }
  %p:2 = mp.kernel "masked_dropout_1" (%a = %y, %b = %m) schedule(#mp.map<block = 128, vector = 8>) : (tensor<2x8x8x16xbf16>, tensor<9xi64>) -> (tensor<2x4x4x16xbf16>, tensor<2x4x4x16xui8>) {
    %0, %i = mp.max_pool_with_indices %a window [2, 2] : tensor<2x8x8x16xbf16> -> tensor<2x4x4x16xbf16>, tensor<2x4x4x16xui8>
    %1 = mp.masked_dropout %0, %b {rate = 0.25} : tensor<2x4x4x16xbf16>, tensor<9xi64>
    mp.yield %1, %i : tensor<2x4x4x16xbf16>, tensor<2x4x4x16xui8>
  }
  return %p#0, %p#1 : tensor<2x4x4x16xbf16>, tensor<2x4x4x16xui8>
}

// -----

// The last line of an image belongs to no window: blocks are whole images.
// CHECK-LABEL: @whole_images
// CHECK: mp.kernel "conv_0"
// CHECK: mp.max_pool
// CHECK-NOT: mp.kernel
func.func @whole_images(%x: tensor<4x5x5x8xf32>, %w: tensor<16x1x1x8xf32>) -> tensor<4x2x2x16xf32> {
  %y = mp.kernel "conv_0" (%a = %x, %b = %w) schedule(#mp.contraction<block_m = 50, block_n = 16, block_k = 8, tile_m = 5, tile_n = 16, vector = 8>) : (tensor<4x5x5x8xf32>, tensor<16x1x1x8xf32>) -> tensor<4x5x5x16xf32> {
    %0 = mp.conv %a, %b acc f32 : tensor<4x5x5x8xf32>, tensor<16x1x1x8xf32> -> tensor<4x5x5x16xf32>
    mp.yield %0 : tensor<4x5x5x16xf32>
  }
  %p = mp.kernel "max_pool_1" (%a = %y) schedule(#mp.map<block = 128, vector = 8>) : (tensor<4x5x5x16xf32>) -> tensor<4x2x2x16xf32> {
    %0 = mp.max_pool %a {window = [2, 2]} : tensor<4x5x5x16xf32> -> tensor<4x2x2x16xf32>
    mp.yield %0 : tensor<4x2x2x16xf32>
  }
  return %p : tensor<4x2x2x16xf32>
}

// -----

// Blocks of two lines would have whole windows, were there no fifth.
// CHECK-LABEL: @blocks_that_cut_an_image
// CHECK: mp.kernel "conv_0"
// CHECK-NOT: mp.max_pool
// CHECK: mp.kernel "max_pool_1"
func.func @blocks_that_cut_an_image(%x: tensor<4x5x5x8xf32>, %w: tensor<16x1x1x8xf32>) -> tensor<4x2x2x16xf32> {
  %y = mp.kernel "conv_0" (%a = %x, %b = %w) schedule(#mp.contraction<block_m = 10, block_n = 16, block_k = 8, tile_m = 5, tile_n = 16, vector = 8>) : (tensor<4x5x5x8xf32>, tensor<16x1x1x8xf32>) -> tensor<4x5x5x16xf32> {
    %0 = mp.conv %a, %b acc f32 : tensor<4x5x5x8xf32>, tensor<16x1x1x8xf32> -> tensor<4x5x5x16xf32>
    mp.yield %0 : tensor<4x5x5x16xf32>
  }
  %p = mp.kernel "max_pool_1" (%a = %y) schedule(#mp.map<block = 128, vector = 8>) : (tensor<4x5x5x16xf32>) -> tensor<4x2x2x16xf32> {
    %0 = mp.max_pool %a {window = [2, 2]} : tensor<4x5x5x16xf32> -> tensor<4x2x2x16xf32>
    mp.yield %0 : tensor<4x2x2x16xf32>
  }
  return %p : tensor<4x2x2x16xf32>
}

// -----

// Another block has half of the channels.
// CHECK-LABEL: @columns_of_blocks
// CHECK: mp.kernel "conv_0"
// CHECK: mp.kernel "max_pool_1"
func.func @columns_of_blocks(%x: tensor<2x4x4x8xf32>, %w: tensor<16x1x1x8xf32>) -> tensor<2x2x2x16xf32> {
  %y = mp.kernel "conv_0" (%a = %x, %b = %w) schedule(#mp.contraction<block_m = 32, block_n = 8, block_k = 8, tile_m = 8, tile_n = 8, vector = 8>) : (tensor<2x4x4x8xf32>, tensor<16x1x1x8xf32>) -> tensor<2x4x4x16xf32> {
    %0 = mp.conv %a, %b acc f32 : tensor<2x4x4x8xf32>, tensor<16x1x1x8xf32> -> tensor<2x4x4x16xf32>
    mp.yield %0 : tensor<2x4x4x16xf32>
  }
  %p = mp.kernel "max_pool_1" (%a = %y) schedule(#mp.map<block = 128, vector = 8>) : (tensor<2x4x4x16xf32>) -> tensor<2x2x2x16xf32> {
    %0 = mp.max_pool %a {window = [2, 2]} : tensor<2x4x4x16xf32> -> tensor<2x2x2x16xf32>
    mp.yield %0 : tensor<2x2x2x16xf32>
  }
  return %p : tensor<2x2x2x16xf32>
}

// -----

// Someone else reads what is pooled: it lies in memory anyway.
// CHECK-LABEL: @another_reader
// CHECK: mp.kernel "conv_0"
// CHECK: mp.kernel "max_pool_1"
func.func @another_reader(%x: tensor<2x4x4x8xf32>, %w: tensor<16x1x1x8xf32>) -> (tensor<2x2x2x16xf32>, tensor<2x4x4x16xf32>) {
  %y = mp.kernel "conv_0" (%a = %x, %b = %w) schedule(#mp.contraction<block_m = 32, block_n = 16, block_k = 8, tile_m = 8, tile_n = 16, vector = 8>) : (tensor<2x4x4x8xf32>, tensor<16x1x1x8xf32>) -> tensor<2x4x4x16xf32> {
    %0 = mp.conv %a, %b acc f32 : tensor<2x4x4x8xf32>, tensor<16x1x1x8xf32> -> tensor<2x4x4x16xf32>
    mp.yield %0 : tensor<2x4x4x16xf32>
  }
  %p = mp.kernel "max_pool_1" (%a = %y) schedule(#mp.map<block = 128, vector = 8>) : (tensor<2x4x4x16xf32>) -> tensor<2x2x2x16xf32> {
    %0 = mp.max_pool %a {window = [2, 2]} : tensor<2x4x4x16xf32> -> tensor<2x2x2x16xf32>
    mp.yield %0 : tensor<2x2x2x16xf32>
  }
  return %p, %y : tensor<2x2x2x16xf32>, tensor<2x4x4x16xf32>
}

// -----

// So it does where that is another kernel.
// CHECK-LABEL: @another_kernel
// CHECK: mp.kernel "conv_0"
// CHECK: mp.kernel "exp_1"
// CHECK: mp.kernel "max_pool_2"
func.func @another_kernel(%x: tensor<2x4x4x8xf32>, %w: tensor<16x1x1x8xf32>) -> (tensor<2x2x2x16xf32>, tensor<2x4x4x16xf32>) {
  %y = mp.kernel "conv_0" (%a = %x, %b = %w) schedule(#mp.contraction<block_m = 32, block_n = 16, block_k = 8, tile_m = 8, tile_n = 16, vector = 8>) : (tensor<2x4x4x8xf32>, tensor<16x1x1x8xf32>) -> tensor<2x4x4x16xf32> {
    %0 = mp.conv %a, %b acc f32 : tensor<2x4x4x8xf32>, tensor<16x1x1x8xf32> -> tensor<2x4x4x16xf32>
    mp.yield %0 : tensor<2x4x4x16xf32>
  }
  %e = mp.kernel "exp_1" (%a = %y) schedule(#mp.map<block = 128, vector = 8>) : (tensor<2x4x4x16xf32>) -> tensor<2x4x4x16xf32> {
    %0 = mp.exp %a : tensor<2x4x4x16xf32>
    mp.yield %0 : tensor<2x4x4x16xf32>
  }
  %p = mp.kernel "max_pool_2" (%a = %y) schedule(#mp.map<block = 128, vector = 8>) : (tensor<2x4x4x16xf32>) -> tensor<2x2x2x16xf32> {
    %0 = mp.max_pool %a {window = [2, 2]} : tensor<2x4x4x16xf32> -> tensor<2x2x2x16xf32>
    mp.yield %0 : tensor<2x2x2x16xf32>
  }
  return %p, %e : tensor<2x2x2x16xf32>, tensor<2x4x4x16xf32>
}

// -----

// A map beside the pooling is computed in blocks of its own.
// CHECK-LABEL: @a_map_beside_it
// CHECK: mp.kernel "conv_0"
// CHECK: mp.kernel "max_pool_1"
func.func @a_map_beside_it(%x: tensor<2x4x4x8xf32>, %w: tensor<16x1x1x8xf32>, %z: tensor<2x2x2x16xf32>) -> (tensor<2x2x2x16xf32>, tensor<2x2x2x16xf32>) {
  %y = mp.kernel "conv_0" (%a = %x, %b = %w) schedule(#mp.contraction<block_m = 32, block_n = 16, block_k = 8, tile_m = 8, tile_n = 16, vector = 8>) : (tensor<2x4x4x8xf32>, tensor<16x1x1x8xf32>) -> tensor<2x4x4x16xf32> {
    %0 = mp.conv %a, %b acc f32 : tensor<2x4x4x8xf32>, tensor<16x1x1x8xf32> -> tensor<2x4x4x16xf32>
    mp.yield %0 : tensor<2x4x4x16xf32>
  }
  %p:2 = mp.kernel "max_pool_1" (%a = %y, %b = %z) schedule(#mp.map<block = 128, vector = 8>) : (tensor<2x4x4x16xf32>, tensor<2x2x2x16xf32>) -> (tensor<2x2x2x16xf32>, tensor<2x2x2x16xf32>) {
    %0 = mp.max_pool %a {window = [2, 2]} : tensor<2x4x4x16xf32> -> tensor<2x2x2x16xf32>
    %1 = mp.tanh %b : tensor<2x2x2x16xf32>
    mp.yield %0, %1 : tensor<2x2x2x16xf32>, tensor<2x2x2x16xf32>
  }
  return %p#0, %p#1 : tensor<2x2x2x16xf32>, tensor<2x2x2x16xf32>
}

// -----

// Groups are products of their own, whose columns lie between those of others.
// CHECK-LABEL: @groups
// CHECK: mp.kernel "conv_0"
// CHECK: mp.kernel "max_pool_1"
func.func @groups(%x: tensor<2x4x4x8xf32>, %w: tensor<16x1x1x4xf32>) -> tensor<2x2x2x16xf32> {
  %y = mp.kernel "conv_0" (%a = %x, %b = %w) schedule(#mp.contraction<block_m = 32, block_n = 16, block_k = 4, tile_m = 8, tile_n = 16, vector = 8>) : (tensor<2x4x4x8xf32>, tensor<16x1x1x4xf32>) -> tensor<2x4x4x16xf32> {
    %0 = mp.conv %a, %b acc f32 {groups = 2} : tensor<2x4x4x8xf32>, tensor<16x1x1x4xf32> -> tensor<2x4x4x16xf32>
    mp.yield %0 : tensor<2x4x4x16xf32>
  }
  %p = mp.kernel "max_pool_1" (%a = %y) schedule(#mp.map<block = 128, vector = 8>) : (tensor<2x4x4x16xf32>) -> tensor<2x2x2x16xf32> {
    %0 = mp.max_pool %a {window = [2, 2]} : tensor<2x4x4x16xf32> -> tensor<2x2x2x16xf32>
    mp.yield %0 : tensor<2x2x2x16xf32>
  }
  return %p : tensor<2x2x2x16xf32>
}

// -----

// On a GPU rows are pixels by window, in blocks of any size: here of a line and a half of windows.
// CHECK-LABEL: @on_a_gpu
// CHECK-NEXT: %[[K:.*]]:2 = mp.kernel "conv_0" ({{.*}}) schedule(#mp.mma<block_m = 32, {{.*}}) : {{.*}} -> (tensor<2x6x6x40xf16>, tensor<2x6x6x40xui8>)
// CHECK-NEXT: mp.conv
// CHECK-NEXT: %[[R:.*]] = mp.relu
// CHECK-NEXT: %[[P:.*]], %[[I:.*]] = mp.max_pool_with_indices %[[R]] window [2, 2]
// CHECK-NEXT: mp.yield %[[P]], %[[I]]
// CHECK-NOT: mp.kernel
func.func @on_a_gpu(%x: tensor<2x15x15x8xf16>, %w: tensor<40x3x3x8xf16>) -> (tensor<2x6x6x40xf16>, tensor<2x6x6x40xui8>) {
  %y = mp.kernel "conv_0" (%a = %x, %b = %w) schedule(#mp.mma<block_m = 32, block_n = 32, block_k = 32, warps_m = 2, warps_n = 1, stages = 2, instruction = mma.m16n8k16>) : (tensor<2x15x15x8xf16>, tensor<40x3x3x8xf16>) -> tensor<2x13x13x40xf16> {
    %0 = mp.conv %a, %b acc f32 : tensor<2x15x15x8xf16>, tensor<40x3x3x8xf16> -> tensor<2x13x13x40xf16>
    %1 = mp.relu %0 : tensor<2x13x13x40xf16>
    mp.yield %1 : tensor<2x13x13x40xf16>
  }
  %p:2 = mp.kernel "max_pool_1" (%a = %y) schedule(#mp.map<block = 1024, vector = 8, threads = 256>) : (tensor<2x13x13x40xf16>) -> (tensor<2x6x6x40xf16>, tensor<2x6x6x40xui8>) {
    %0, %i = mp.max_pool_with_indices %a window [2, 2] : tensor<2x13x13x40xf16> -> tensor<2x6x6x40xf16>, tensor<2x6x6x40xui8>
    mp.yield %0, %i : tensor<2x6x6x40xf16>, tensor<2x6x6x40xui8>
  }
  return %p#0, %p#1 : tensor<2x6x6x40xf16>, tensor<2x6x6x40xui8>
}

// -----

// Sixteen rows are no whole windows of nine pixels.
// CHECK-LABEL: @nine_pixels
// CHECK: mp.kernel "conv_0"
// CHECK: mp.kernel "max_pool_1"
func.func @nine_pixels(%x: tensor<2x8x8x8xf16>, %w: tensor<40x3x3x8xf16>) -> tensor<2x2x2x40xf16> {
  %y = mp.kernel "conv_0" (%a = %x, %b = %w) schedule(#mp.mma<block_m = 32, block_n = 32, block_k = 32, warps_m = 2, warps_n = 1, stages = 2, instruction = mma.m16n8k16>) : (tensor<2x8x8x8xf16>, tensor<40x3x3x8xf16>) -> tensor<2x6x6x40xf16> {
    %0 = mp.conv %a, %b acc f32 : tensor<2x8x8x8xf16>, tensor<40x3x3x8xf16> -> tensor<2x6x6x40xf16>
    mp.yield %0 : tensor<2x6x6x40xf16>
  }
  %p = mp.kernel "max_pool_1" (%a = %y) schedule(#mp.map<block = 1024, vector = 8, threads = 256>) : (tensor<2x6x6x40xf16>) -> tensor<2x2x2x40xf16> {
    %0 = mp.max_pool %a {window = [3, 3]} : tensor<2x6x6x40xf16> -> tensor<2x2x2x40xf16>
    mp.yield %0 : tensor<2x2x2x40xf16>
  }
  return %p : tensor<2x2x2x40xf16>
}

// -----

// What overlaps has pixels of several windows.
// CHECK-LABEL: @overlapping
// CHECK: mp.kernel "conv_0"
// CHECK: mp.kernel "max_pool_1"
func.func @overlapping(%x: tensor<2x8x8x8xf16>, %w: tensor<40x3x3x8xf16>) -> tensor<2x5x5x40xf16> {
  %y = mp.kernel "conv_0" (%a = %x, %b = %w) schedule(#mp.mma<block_m = 32, block_n = 32, block_k = 32, warps_m = 2, warps_n = 1, stages = 2, instruction = mma.m16n8k16>) : (tensor<2x8x8x8xf16>, tensor<40x3x3x8xf16>) -> tensor<2x6x6x40xf16> {
    %0 = mp.conv %a, %b acc f32 : tensor<2x8x8x8xf16>, tensor<40x3x3x8xf16> -> tensor<2x6x6x40xf16>
    mp.yield %0 : tensor<2x6x6x40xf16>
  }
  %p = mp.kernel "max_pool_1" (%a = %y) schedule(#mp.map<block = 1024, vector = 8, threads = 256>) : (tensor<2x6x6x40xf16>) -> tensor<2x5x5x40xf16> {
    %0 = mp.max_pool %a {window = [2, 2], strides = [1, 1]} : tensor<2x6x6x40xf16> -> tensor<2x5x5x40xf16>
    mp.yield %0 : tensor<2x5x5x40xf16>
  }
  return %p : tensor<2x5x5x40xf16>
}
