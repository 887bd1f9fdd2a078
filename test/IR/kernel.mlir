// RUN: mp-opt %s | FileCheck %s

// CHECK-LABEL: @kernel_names_its_arguments
func.func @kernel_names_its_arguments(%x: tensor<4x8xf16>, %w: tensor<8x2xf16>) -> tensor<4x2xf16> {
  // CHECK: mp.kernel "dense" (%[[A:.*]] = %arg0, %[[K:.*]] = %arg1) : (tensor<4x8xf16>, tensor<8x2xf16>) -> tensor<4x2xf16> {
  // CHECK-NEXT: mp.matmul %[[A]], %[[K]] acc f32
  %z = mp.kernel "dense" (%a = %x, %k = %w) : (tensor<4x8xf16>, tensor<8x2xf16>) -> tensor<4x2xf16> {
    %0 = mp.matmul %a, %k acc f32 : tensor<4x8xf16>, tensor<8x2xf16> -> tensor<4x2xf16>
    mp.yield %0 : tensor<4x2xf16>
  }
  return %z : tensor<4x2xf16>
}

// CHECK-LABEL: @kernel_has_schedule_and_buffers
func.func @kernel_has_schedule_and_buffers(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: schedule(#mp.map<block = 64, vector = 8>) buffers([#mp.arena<64>, #mp.result<1>])
  %0:2 = mp.kernel "two" (%a = %x) schedule(#mp.map<block = 64, vector = 8>) buffers([#mp.arena<64>, #mp.result<1>])
      : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %1 = mp.relu %a : tensor<4xf32>
    %2 = mp.add %a, %1 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    mp.yield %1, %2 : tensor<4xf32>, tensor<4xf32>
  }
  // CHECK: mp.copy %{{.*}}#0 buffer(#mp.result<0>) : tensor<4xf32>
  %r = mp.copy %0#0 buffer(#mp.result<0>) : tensor<4xf32>
  return %r, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @kernel_has_a_guard
func.func @kernel_has_a_guard(%w: tensor<4xf32>, %g: tensor<4xf32>, %lr: tensor<f32>, %bad: tensor<i32>) -> tensor<4xf32> {
  // CHECK: mp.kernel "sgd" ({{.*}}, %[[BAD:.*]] = %arg3) buffers([#mp.state<"w">]) guard(%[[BAD]]) : (
  %0 = mp.kernel "sgd" (%a = %w, %b = %g, %c = %lr, %d = %bad) buffers([#mp.state<"w">]) guard(%d)
      : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i32>) -> tensor<4xf32> {
    %1 = mp.sgd %a, %b, %c guard %d : tensor<4xf32>
    mp.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @kernel_without_inputs
func.func @kernel_without_inputs() -> tensor<4xi32> {
  // CHECK: mp.kernel "iota" () schedule(#mp.serial<vector = 4>) : () -> tensor<4xi32> {
  %0 = mp.kernel "iota" () schedule(#mp.serial<vector = 4>) : () -> tensor<4xi32> {
    %1 = mp.iota dimension 0 -> tensor<4xi32>
    mp.yield %1 : tensor<4xi32>
  }
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: @buffers_and_schedules
func.func @buffers_and_schedules() attributes {
    // CHECK: a = [#mp.arena<0>, #mp.state<"w">, #mp.result<3>]
    a = [#mp.arena<0>, #mp.state<"w">, #mp.result<3>],
    // CHECK-SAME: b = #mp.contraction<block_m = 24, block_n = 32, block_k = 64, tile_m = 6, tile_n = 16, vector = 8>
    b = #mp.contraction<block_m = 24, block_n = 32, block_k = 64, tile_m = 6, tile_n = 16, vector = 8>,
    // CHECK-SAME: c = #mp.row<rows = 4, vector = 8>
    c = #mp.row<rows = 4, vector = 8>,
    // CHECK-SAME: cc = #mp.row<rows = 4, vector = 4, threads = 128, threads_per_row = 32>
    cc = #mp.row<rows = 4, vector = 4, threads = 128, threads_per_row = 32>,
    // CHECK-SAME: d = #mp.column<columns = 16, vector = 8>
    d = #mp.column<columns = 16, vector = 8>,
    // CHECK-SAME: e = #mp.partial<block = 32768, vector = 8>
    e = #mp.partial<block = 32768, vector = 8>,
    // CHECK-SAME: f = #mp.mma<block_m = 128, block_n = 64, block_k = 32, warps_m = 2, warps_n = 2, stages = 3, instruction = mma.m16n8k16>
    f = #mp.mma<block_m = 128, block_n = 64, block_k = 32, warps_m = 2, warps_n = 2, stages = 3, instruction = mma.m16n8k16>,
    // CHECK-SAME: g = #mp.mma<block_m = 32, block_n = 64, block_k = 8, warps_m = 1, warps_n = 2, stages = 2, split_k = 4, instruction = fma>
    g = #mp.mma<block_m = 32, block_n = 64, block_k = 8, warps_m = 1, warps_n = 2, stages = 2, split_k = 4, instruction = fma>} {
  return
}

// CHECK-LABEL: @product_in_parts
func.func @product_in_parts(%a: tensor<4x70xf16>, %b: tensor<2x70xf16>) -> tensor<3x4x2xf32> {
  // CHECK: mp.matmul_parts %arg0, %arg1 transpose_rhs depth 32 acc f32 : tensor<4x70xf16>, tensor<2x70xf16> -> tensor<3x4x2xf32>
  %p = mp.matmul_parts %a, %b transpose_rhs depth 32 acc f32 : tensor<4x70xf16>, tensor<2x70xf16> -> tensor<3x4x2xf32>
  return %p : tensor<3x4x2xf32>
}

// CHECK-LABEL: @filter_gradient_in_parts
func.func @filter_gradient_in_parts(%x: tensor<4x32x32x4xf16>, %g: tensor<4x16x16x8xf16>) -> tensor<2x8x3x3x4xf32> {
  // CHECK: mp.conv_filter_grad_parts %arg0, %arg1 depth 512 acc f32 {strides = [2, 2], padding = [0, 1, 0, 1], dilations = [1, 1], groups = 1} : tensor<4x32x32x4xf16>, tensor<4x16x16x8xf16> -> tensor<2x8x3x3x4xf32>
  %p = mp.conv_filter_grad_parts %x, %g depth 512 acc f32 {strides = [2, 2], padding = same} : tensor<4x32x32x4xf16>, tensor<4x16x16x8xf16> -> tensor<2x8x3x3x4xf32>
  return %p : tensor<2x8x3x3x4xf32>
}

// CHECK-LABEL: @tiles_of_a_product
func.func @tiles_of_a_product(%g: tensor<100x40xf16>, %h: tensor<2x100x40xf32>) -> (tensor<2x40xf32>, tensor<8xi32>) {
  // CHECK: mp.sum_row_blocks %arg0 block 64 : tensor<100x40xf16> -> tensor<2x40xf32>
  %s = mp.sum_row_blocks %g block 64 : tensor<100x40xf16> -> tensor<2x40xf32>
  // CHECK: mp.nonfinite_tiles %arg1 tile 64 x 32 : tensor<2x100x40xf32> -> tensor<8xi32>
  %f = mp.nonfinite_tiles %h tile 64 x 32 : tensor<2x100x40xf32> -> tensor<8xi32>
  return %s, %f : tensor<2x40xf32>, tensor<8xi32>
}

// CHECK-LABEL: @moments_of_a_product
func.func @moments_of_a_product(%z: tensor<4x5x5x8xbf16>, %mean: tensor<8xf32>) -> tensor<2x8xf32> {
  // CHECK: %[[S:.*]], %[[F:.*]], %[[D:.*]], %[[Q:.*]] = mp.row_block_moments %arg0 block 64 : tensor<4x5x5x8xbf16>
  %s, %f, %d, %q = mp.row_block_moments %z block 64 : tensor<4x5x5x8xbf16>
  // CHECK: mp.recenter_squares %[[F]], %[[D]], %[[Q]], %arg1 rows 100 block 64 : tensor<2x8xf32>, tensor<8xf32>
  %r = mp.recenter_squares %f, %d, %q, %mean rows 100 block 64 : tensor<2x8xf32>, tensor<8xf32>
  return %r : tensor<2x8xf32>
}

// CHECK-LABEL: @kernel_level_ops
func.func @kernel_level_ops(%z: tensor<4x10xf16>, %y: tensor<4xui8>, %f: tensor<4xf32>, %g: tensor<3x3xf32>)
    -> (tensor<4xf32>, tensor<4x10xf16>, tensor<3xf32>, tensor<i32>) {
  // CHECK: mp.softmax_cross_entropy_rows %arg0, %arg1 : tensor<4x10xf16>, tensor<4xui8> -> tensor<4xf32>
  %r = mp.softmax_cross_entropy_rows %z, %y : tensor<4x10xf16>, tensor<4xui8> -> tensor<4xf32>
  // CHECK: mp.softmax_cross_entropy_grad_rows %arg0, %arg1, %arg2 : tensor<4x10xf16>, tensor<4xui8>, tensor<4xf32> -> tensor<4x10xf16>
  %d = mp.softmax_cross_entropy_grad_rows %z, %y, %f : tensor<4x10xf16>, tensor<4xui8>, tensor<4xf32> -> tensor<4x10xf16>
  // CHECK: mp.nonfinite_blocks %arg3 {block = 4 : i64} : tensor<3x3xf32> -> tensor<3xi32>
  %b = mp.nonfinite_blocks %g {block = 4 : i64} : tensor<3x3xf32> -> tensor<3xi32>
  // CHECK: mp.sum_squares_blocks %arg3 {block = 4 : i64} : tensor<3x3xf32> -> tensor<3xf32>
  %s = mp.sum_squares_blocks %g {block = 4 : i64} : tensor<3x3xf32> -> tensor<3xf32>
  // CHECK: mp.first_bad %{{.*}}, %{{.*}} : tensor<3xi32>, tensor<3xi32>
  %bad = mp.first_bad %b, %b : tensor<3xi32>, tensor<3xi32>
  return %r, %d, %s, %bad : tensor<4xf32>, tensor<4x10xf16>, tensor<3xf32>, tensor<i32>
}
