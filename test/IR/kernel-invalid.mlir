// RUN: mp-opt %s -split-input-file -verify-diagnostics

// no constraint: syntax
func.func @types_and_inputs(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{has 1 inputs, but types for 2}}
  %0 = mp.kernel "k" (%a = %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    mp.yield %a : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// mp.kernel (C1)
func.func @arguments(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{has 1 inputs and 2 block arguments}}
  %0 = "mp.kernel"(%x) ({
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    mp.yield %a : tensor<4xf32>
  }) {kernel_name = "k"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// mp.kernel (C1)
func.func @argument_type(%x: tensor<4xf32>) -> tensor<4xf16> {
  // expected-error@+1 {{input 0 is 'tensor<4xf32>', its block argument 'tensor<4xf16>'}}
  %0 = "mp.kernel"(%x) ({
  ^bb0(%a: tensor<4xf16>):
    mp.yield %a : tensor<4xf16>
  }) {kernel_name = "k"} : (tensor<4xf32>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

// mp.kernel (C2)
func.func @yield_count(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{has 1 results, but yields 2 values}}
  %0 = mp.kernel "k" (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    mp.yield %a, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// mp.kernel (C2)
func.func @yield_type(%x: tensor<4xf32>) -> tensor<4xf16> {
  // expected-error@+1 {{result 0 is 'tensor<4xf16>', the yielded value 'tensor<4xf32>'}}
  %0 = mp.kernel "k" (%a = %x) : (tensor<4xf32>) -> tensor<4xf16> {
    mp.yield %a : tensor<4xf32>
  }
  return %0 : tensor<4xf16>
}

// -----

// mp.kernel (C4)
func.func @buffers(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{has 1 results and 2 buffers}}
  %0 = mp.kernel "k" (%a = %x) buffers([#mp.arena<0>, #mp.arena<64>]) : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = mp.relu %a : tensor<4xf32>
    mp.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// mp.kernel (C3)
func.func @open(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{has an input without static shape; mp-specialize makes shapes static}}
  %0 = mp.kernel "k" (%a = %x) : (tensor<?xf32>) -> tensor<?xf32> {
    %1 = mp.relu %a : tensor<?xf32>
    mp.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// -----

// mp.kernel (C5)
func.func @composite(%x: tensor<4xf32>) -> tensor<f32> {
  // expected-error@+1 {{holds mp.global_norm, which is not an op of a kernel}}
  %0 = mp.kernel "k" (%a = %x) : (tensor<4xf32>) -> tensor<f32> {
    %1 = mp.global_norm %a : tensor<4xf32>
    mp.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

// mp.kernel (C5)
func.func @nested(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{holds mp.kernel, which is not an op of a kernel}}
  %0 = mp.kernel "k" (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = mp.kernel "l" (%b = %a) : (tensor<4xf32>) -> tensor<4xf32> {
      mp.yield %b : tensor<4xf32>
    }
    mp.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// #mp.arena (C1)
// expected-error@+1 {{offset 32, expected a multiple of 64 that is at least 0}}
func.func @offset() attributes {a = #mp.arena<32>} { return }

// -----

// #mp.result (C1)
// expected-error@+1 {{result number -1 is negative}}
func.func @result() attributes {a = #mp.result<-1>} { return }

// -----

// #mp.contraction (C1)
// expected-error@+1 {{tiles 6 x 16 do not divide blocks 20 x 32}}
func.func @tiles() attributes {a = #mp.contraction<block_m = 20, block_n = 32, block_k = 4, tile_m = 6, tile_n = 16, vector = 8>} { return }

// -----

// #mp.contraction (C1)
// expected-error@+1 {{vector 16 does not divide tile_n 8}}
func.func @vector() attributes {a = #mp.contraction<block_m = 24, block_n = 32, block_k = 4, tile_m = 6, tile_n = 8, vector = 16>} { return }

// -----

// #mp.map (C1)
// expected-error@+1 {{vector 8 does not divide block 12}}
func.func @map() attributes {a = #mp.map<block = 12, vector = 8>} { return }

// -----

// #mp.column (C1)
// expected-error@+1 {{vector 8 does not divide columns 12}}
func.func @column() attributes {a = #mp.column<columns = 12, vector = 8>} { return }

// -----

// #mp.row (C1)
// expected-error@+1 {{a parameter of the schedule is 0, expected at least 1}}
func.func @positive() attributes {a = #mp.row<rows = 0, vector = 8>} { return }

// -----

// #mp.row (C1)
// expected-error@+1 {{threads_per_row 24 does not divide threads 128}}
func.func @threads_per_row() attributes {a = #mp.row<rows = 4, vector = 4, threads = 128, threads_per_row = 24>} { return }

// -----

// mp.softmax_cross_entropy_rows (C1)
func.func @rows_labels(%z: tensor<4x10xf32>, %y: tensor<5xui8>) -> tensor<4xf32> {
  // expected-error@+1 {{labels are 'tensor<5xui8>', expected one for each row of the logits, which are 'tensor<4x10xf32>'}}
  %0 = mp.softmax_cross_entropy_rows %z, %y : tensor<4x10xf32>, tensor<5xui8> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// mp.softmax_cross_entropy_rows (C2)
func.func @rows_type(%z: tensor<4x10xf16>, %y: tensor<4xui8>) -> tensor<4xf16> {
  // expected-error@+1 {{has results of types 'tensor<4xf16>', expected 'tensor<4xf32>'}}
  %0 = mp.softmax_cross_entropy_rows %z, %y : tensor<4x10xf16>, tensor<4xui8> -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

// mp.softmax_cross_entropy_grad_rows (C2)
func.func @grad_rows_factor(%z: tensor<4x10xf16>, %y: tensor<4xui8>, %f: tensor<4xf16>) -> tensor<4x10xf16> {
  // expected-error@+1 {{factors have type 'f16', expected 'f32'}}
  %0 = mp.softmax_cross_entropy_grad_rows %z, %y, %f : tensor<4x10xf16>, tensor<4xui8>, tensor<4xf16> -> tensor<4x10xf16>
  return %0 : tensor<4x10xf16>
}

// -----

// mp.softmax_cross_entropy_grad_rows (C1)
func.func @grad_rows_shape(%z: tensor<4x10xf16>, %y: tensor<4xui8>, %f: tensor<f32>) -> tensor<4x10xf16> {
  // expected-error@+1 {{factors are 'tensor<f32>', expected one for each row of the logits, which are 'tensor<4x10xf16>'}}
  %0 = mp.softmax_cross_entropy_grad_rows %z, %y, %f : tensor<4x10xf16>, tensor<4xui8>, tensor<f32> -> tensor<4x10xf16>
  return %0 : tensor<4x10xf16>
}

// -----

// mp.nonfinite_blocks (C1)
func.func @blocks(%g: tensor<9xf32>) -> tensor<3xi32> {
  // expected-error@+1 {{block is 0, expected at least 1}}
  %0 = mp.nonfinite_blocks %g {block = 0 : i64} : tensor<9xf32> -> tensor<3xi32>
  return %0 : tensor<3xi32>
}

// -----

// mp.sum_squares_blocks (C1)
func.func @negative_blocks(%g: tensor<9xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{block is -4, expected at least 1}}
  %0 = mp.sum_squares_blocks %g {block = -4 : i64} : tensor<9xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// mp.sum_squares_blocks (C2)
func.func @block_count(%g: tensor<9xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{has results of types 'tensor<2xf32>', expected 'tensor<3xf32>'}}
  %0 = mp.sum_squares_blocks %g {block = 4 : i64} : tensor<9xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// #mp.mma (C1)
// expected-error@+1 {{stages is 1, expected at least 2}}
func.func @mma_stages() attributes {a = #mp.mma<block_m = 64, block_n = 64, block_k = 32, warps_m = 2, warps_n = 2, stages = 1, instruction = mma.m16n8k16>} { return }

// -----

// #mp.mma (C1)
// expected-error@+1 {{expected blocks and stages of at most 4096, found 4611686018427387904}}
func.func @mma_stages_wrap() attributes {a = #mp.mma<block_m = 64, block_n = 64, block_k = 32, warps_m = 2, warps_n = 2, stages = 4611686018427387904, instruction = mma.m16n8k16>} { return }

// -----

// #mp.mma (C1)
// expected-error@+1 {{expected blocks and stages of at most 4096, found 8192}}
func.func @mma_block() attributes {a = #mp.mma<block_m = 64, block_n = 8192, block_k = 32, warps_m = 2, warps_n = 2, stages = 3, instruction = mma.m16n8k16>} { return }

// -----

// #mp.mma (C4)
// expected-error@+1 {{warps of a block are 4294967296 x 4294967296, expected at most 32 in all}}
func.func @mma_warps_wrap() attributes {a = #mp.mma<block_m = 256, block_n = 256, block_k = 32, warps_m = 4294967296, warps_n = 4294967296, stages = 3, instruction = mma.m16n8k16>} { return }

// -----

// #mp.mma (C4)
// expected-error@+1 {{warps of a block are 8 x 8, expected at most 32 in all}}
func.func @mma_warps() attributes {a = #mp.mma<block_m = 256, block_n = 256, block_k = 32, warps_m = 8, warps_n = 8, stages = 3, instruction = mma.m16n8k16>} { return }

// -----

// #mp.mma (C2)
// expected-error@+1 {{blocks 96 x 64 and warps 2 x 2 are not powers of two that make tiles of at least 16 x 16}}
func.func @mma_powers() attributes {a = #mp.mma<block_m = 96, block_n = 64, block_k = 32, warps_m = 2, warps_n = 2, stages = 3, instruction = mma.m16n8k16>} { return }

// -----

// #mp.mma (C2)
// expected-error@+1 {{blocks 32 x 32 and warps 4 x 1 are not powers of two that make tiles of at least 16 x 16}}
func.func @mma_tiles() attributes {a = #mp.mma<block_m = 32, block_n = 32, block_k = 32, warps_m = 4, warps_n = 1, stages = 3, instruction = mma.m16n8k16>} { return }

// -----

// #mp.mma (C2)
// expected-error@+1 {{blocks 32 x 32 and warps 2 x 2 are not powers of two that make tiles of at least 16 x 32}}
func.func @fma_tiles() attributes {a = #mp.mma<block_m = 32, block_n = 32, block_k = 32, warps_m = 2, warps_n = 2, stages = 3, instruction = fma>} { return }

// -----

// #mp.mma (C3)
// expected-error@+1 {{block_k is 24, expected a power of two, at least 16}}
func.func @mma_depth() attributes {a = #mp.mma<block_m = 64, block_n = 64, block_k = 24, warps_m = 2, warps_n = 2, stages = 3, instruction = mma.m16n8k16>} { return }

// -----

// #mp.mma (C3)
// expected-error@+1 {{block_k is 4, expected a power of two, at least 8}}
func.func @fma_depth() attributes {a = #mp.mma<block_m = 64, block_n = 64, block_k = 4, warps_m = 2, warps_n = 2, stages = 3, instruction = fma>} { return }

// -----

// #mp.mma (C1)
// expected-error@+1 {{a parameter of the schedule is 0, expected at least 1}}
func.func @mma_positive() attributes {a = #mp.mma<block_m = 0, block_n = 64, block_k = 32, warps_m = 2, warps_n = 2, stages = 3, instruction = mma.m16n8k16>} { return }

// -----

// mp.matmul_parts (C1)
func.func @parts_types(%a: tensor<4x64xf16>, %b: tensor<64x2xf32>) -> tensor<2x4x2xf32> {
  // expected-error@+1 {{operands differ in type: lhs has 'f16', rhs has 'f32'}}
  %p = mp.matmul_parts %a, %b depth 32 acc f32 : tensor<4x64xf16>, tensor<64x2xf32> -> tensor<2x4x2xf32>
  return %p : tensor<2x4x2xf32>
}

// -----

// mp.matmul_parts (C1)
func.func @parts_result(%a: tensor<4x64xf16>, %b: tensor<64x2xf16>) -> tensor<2x4x2xbf16> {
  // expected-error@+1 {{result has type 'bf16', expected the operands' 'f16' or the accumulator's 'f32'}}
  %p = mp.matmul_parts %a, %b depth 32 acc f32 : tensor<4x64xf16>, tensor<64x2xf16> -> tensor<2x4x2xbf16>
  return %p : tensor<2x4x2xbf16>
}

// -----

// mp.matmul_parts (C1)
func.func @parts_accumulator(%a: tensor<4x64xbf16>, %b: tensor<64x2xbf16>) -> tensor<2x4x2xbf16> {
  // expected-error@+1 {{accumulator 'f16' does not serve 'bf16' operands, expected f32}}
  %p = mp.matmul_parts %a, %b depth 32 acc f16 : tensor<4x64xbf16>, tensor<64x2xbf16> -> tensor<2x4x2xbf16>
  return %p : tensor<2x4x2xbf16>
}

// -----

// #mp.map (C2)
func.func @a_tile_is_a_block() attributes {
  // expected-error@+1 {{a tile of 32 takes a block of 1024 and a vector that divides it, found 512 and 1}}
  a = #mp.map<block = 512, vector = 1, threads = 256, tile = 32>} { return }

// -----

// mp.matmul_parts (C3)
func.func @parts_depth(%a: tensor<4x64xf16>, %b: tensor<64x2xf16>) -> tensor<?x4x2xf32> {
  // expected-error@+1 {{depth is 0, expected at least 1}}
  %p = mp.matmul_parts %a, %b depth 0 acc f32 : tensor<4x64xf16>, tensor<64x2xf16> -> tensor<?x4x2xf32>
  return %p : tensor<?x4x2xf32>
}

// -----

// mp.matmul_parts (C3)
func.func @parts_count(%a: tensor<4x70xf16>, %b: tensor<70x2xf16>) -> tensor<2x4x2xf32> {
  // expected-error@+1 {{result has shape [2x4x2], operands and attributes give [3x4x2]}}
  %p = mp.matmul_parts %a, %b depth 32 acc f32 : tensor<4x70xf16>, tensor<70x2xf16> -> tensor<2x4x2xf32>
  return %p : tensor<2x4x2xf32>
}

// -----

// mp.conv_filter_grad_parts (C1)
func.func @gradient_types(%x: tensor<4x8x8x4xf16>, %g: tensor<4x6x6x8xf32>) -> tensor<2x8x3x3x4xf32> {
  // expected-error@+1 {{operands differ in type: image has 'f16', gradient has 'f32'}}
  %p = mp.conv_filter_grad_parts %x, %g depth 72 acc f32 : tensor<4x8x8x4xf16>, tensor<4x6x6x8xf32> -> tensor<2x8x3x3x4xf32>
  return %p : tensor<2x8x3x3x4xf32>
}

// -----

// mp.conv_filter_grad_parts (C2)
func.func @gradient_shapes(%x: tensor<4x8x8x4xf16>, %g: tensor<4x7x6x8xf16>) -> tensor<2x8x3x3x4xf32> {
  // expected-error@+1 {{gradient has shape [4x7x6x8], but mp.conv of [4x8x8x4] with filters [8x3x3x4] gives [4x6x6x8]}}
  %p = mp.conv_filter_grad_parts %x, %g depth 72 acc f32 : tensor<4x8x8x4xf16>, tensor<4x7x6x8xf16> -> tensor<2x8x3x3x4xf32>
  return %p : tensor<2x8x3x3x4xf32>
}

// -----

// mp.conv_filter_grad_parts (C2)
func.func @gradient_rank(%x: tensor<4x8x8x4xf16>, %g: tensor<4x6x6x8xf16>) -> tensor<f32> {
  // expected-error@+1 {{result has rank 0, expected parts of filters}}
  %p = "mp.conv_filter_grad_parts"(%x, %g) {depth = 72 : i64, acc = f32, strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<4x8x8x4xf16>, tensor<4x6x6x8xf16>) -> tensor<f32>
  return %p : tensor<f32>
}

// -----

// mp.conv_filter_grad_parts (C3)
func.func @gradient_depth(%x: tensor<4x8x8x4xf16>, %g: tensor<4x6x6x8xf16>) -> tensor<?x8x3x3x4xf32> {
  // expected-error@+1 {{depth is 0, expected at least 1}}
  %p = mp.conv_filter_grad_parts %x, %g depth 0 acc f32 : tensor<4x8x8x4xf16>, tensor<4x6x6x8xf16> -> tensor<?x8x3x3x4xf32>
  return %p : tensor<?x8x3x3x4xf32>
}

// -----

// mp.conv_filter_grad_parts (C3)
func.func @gradient_count(%x: tensor<4x8x8x4xf16>, %g: tensor<4x6x6x8xf16>) -> tensor<3x8x3x3x4xf32> {
  // expected-error@+1 {{result has shape [3x8x3x3x4], operands and attributes give [2x8x3x3x4]}}
  %p = mp.conv_filter_grad_parts %x, %g depth 72 acc f32 : tensor<4x8x8x4xf16>, tensor<4x6x6x8xf16> -> tensor<3x8x3x3x4xf32>
  return %p : tensor<3x8x3x3x4xf32>
}

// -----

// mp.matmul_parts (C2)
func.func @parts_shapes(%a: tensor<4x70xf16>, %b: tensor<64x2xf16>) -> tensor<3x4x2xf32> {
  // expected-error@+1 {{contraction sizes differ: lhs has 70, rhs has 64}}
  %p = mp.matmul_parts %a, %b depth 32 acc f32 : tensor<4x70xf16>, tensor<64x2xf16> -> tensor<3x4x2xf32>
  return %p : tensor<3x4x2xf32>
}

// -----

// mp.sum_row_blocks (C1)
func.func @row_blocks_of_a_vector(%g: tensor<40xf16>) -> tensor<?x40xf32> {
  // expected-error@+1 {{input is 'tensor<40xf16>', expected a matrix of f16, bf16 or f32}}
  %s = mp.sum_row_blocks %g block 64 : tensor<40xf16> -> tensor<?x40xf32>
  return %s : tensor<?x40xf32>
}

// -----

// mp.sum_row_blocks (C1)
func.func @row_blocks_of_f64(%g: tensor<100x40xf64>) -> tensor<2x40xf32> {
  // expected-error@+1 {{input is 'tensor<100x40xf64>', expected a matrix of f16, bf16 or f32}}
  %s = mp.sum_row_blocks %g block 64 : tensor<100x40xf64> -> tensor<2x40xf32>
  return %s : tensor<2x40xf32>
}

// -----

// mp.sum_row_blocks (C2)
func.func @row_blocks_of_no_rows(%g: tensor<100x40xf16>) -> tensor<?x40xf32> {
  // expected-error@+1 {{block is 0, expected at least 1}}
  %s = mp.sum_row_blocks %g block 0 : tensor<100x40xf16> -> tensor<?x40xf32>
  return %s : tensor<?x40xf32>
}

// -----

// mp.sum_row_blocks (C2)
func.func @row_blocks_count(%g: tensor<100x40xf16>) -> tensor<3x40xf32> {
  // expected-error@+1 {{has results of types 'tensor<3x40xf32>', expected 'tensor<2x40xf32>'}}
  %s = mp.sum_row_blocks %g block 64 : tensor<100x40xf16> -> tensor<3x40xf32>
  return %s : tensor<3x40xf32>
}

// -----

// mp.row_block_moments (C1)
func.func @moments_of_a_vector(%z: tensor<40xf16>) {
  // expected-error@+1 {{input is 'tensor<40xf16>', expected two dimensions or more of f16, bf16 or f32}}
  %s, %f, %d, %q = mp.row_block_moments %z block 64 : tensor<40xf16>
  return
}

// -----

// mp.row_block_moments (C1)
func.func @moments_of_f64(%z: tensor<100x40xf64>) {
  // expected-error@+1 {{input is 'tensor<100x40xf64>', expected two dimensions or more of f16, bf16 or f32}}
  %s, %f, %d, %q = mp.row_block_moments %z block 64 : tensor<100x40xf64>
  return
}

// -----

// mp.row_block_moments (C2)
func.func @moments_of_no_rows(%z: tensor<100x40xf16>) {
  // expected-error@+1 {{block is 0, expected at least 1}}
  %s, %f, %d, %q = mp.row_block_moments %z block 0 : tensor<100x40xf16>
  return
}

// -----

// mp.recenter_squares (C1)
func.func @squares_of_other_blocks(%s: tensor<3x8xf32>, %c: tensor<8xf32>) {
  // expected-error@+1 {{shifts are 'tensor<3x8xf32>', expected a matrix of 2 rows}}
  %r = mp.recenter_squares %s, %s, %s, %c rows 100 block 64 : tensor<3x8xf32>, tensor<8xf32>
  return
}

// -----

// mp.recenter_squares (C1)
func.func @center_of_other_columns(%s: tensor<2x8xf32>, %c: tensor<7xf32>) {
  // expected-error@+1 {{center is 'tensor<7xf32>', expected an element for each column of 'tensor<2x8xf32>'}}
  %r = mp.recenter_squares %s, %s, %s, %c rows 100 block 64 : tensor<2x8xf32>, tensor<7xf32>
  return
}

// -----

// mp.recenter_squares (C2)
func.func @squares_of_no_rows(%s: tensor<2x8xf32>, %c: tensor<8xf32>) {
  // expected-error@+1 {{block is 0, expected at least 1}}
  %r = mp.recenter_squares %s, %s, %s, %c rows 100 block 0 : tensor<2x8xf32>, tensor<8xf32>
  return
}

// -----

// mp.nonfinite_tiles (C1)
func.func @tiles_of_a_vector(%g: tensor<40xf32>) -> tensor<?xi32> {
  // expected-error@+1 {{input is 'tensor<40xf32>', expected two dimensions or more}}
  %f = mp.nonfinite_tiles %g tile 64 x 32 : tensor<40xf32> -> tensor<?xi32>
  return %f : tensor<?xi32>
}

// -----

// mp.nonfinite_tiles (C2)
func.func @tiles_of_nothing(%g: tensor<100x40xf32>) -> tensor<?xi32> {
  // expected-error@+1 {{columns are 0, expected at least 1}}
  %f = mp.nonfinite_tiles %g tile 64 x 0 : tensor<100x40xf32> -> tensor<?xi32>
  return %f : tensor<?xi32>
}

// -----

// mp.nonfinite_tiles (C2)
func.func @tiles_count(%g: tensor<100x40xf32>) -> tensor<3xi32> {
  // expected-error@+1 {{has results of types 'tensor<3xi32>', expected 'tensor<4xi32>'}}
  %f = mp.nonfinite_tiles %g tile 64 x 32 : tensor<100x40xf32> -> tensor<3xi32>
  return %f : tensor<3xi32>
}

// -----

// no constraint: syntax
func.func @guard_name(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{is not an input of the kernel}}
  %0 = mp.kernel "k" (%a = %x) buffers([#mp.arena<0>]) guard(%b) : (tensor<4xf32>) -> tensor<4xf32> {
    mp.yield %a : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// mp.kernel (C6)
func.func @guard_type(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{guard is not an input of type 'tensor<i32>'}}
  %0 = mp.kernel "k" (%a = %x) buffers([#mp.arena<0>]) guard(%a) : (tensor<4xf32>) -> tensor<4xf32> {
    mp.yield %a : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// mp.kernel (C6)
func.func @guard_number(%x: tensor<i32>) -> tensor<i32> {
  // expected-error@+1 {{guard is not an input of type 'tensor<i32>'}}
  %0 = "mp.kernel"(%x) ({
  ^bb0(%a: tensor<i32>):
    mp.yield %a : tensor<i32>
  }) {kernel_name = "k", buffers = [#mp.arena<0>], guard = 1 : i64} : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}

// -----

// mp.kernel (C6)
func.func @guard_without_buffers(%x: tensor<i32>) -> tensor<i32> {
  // expected-error@+1 {{has a guard, but its results have no buffers}}
  %0 = mp.kernel "k" (%a = %x) guard(%a) : (tensor<i32>) -> tensor<i32> {
    mp.yield %a : tensor<i32>
  }
  return %0 : tensor<i32>
}

// -----

// #mp.partial (C1)
// expected-error@+1 {{a parameter of the schedule is 0, expected at least 1}}
func.func @partial() attributes {a = #mp.partial<block = 0, vector = 8>} { return }

// -----

// #mp.serial (C1)
// expected-error@+1 {{a parameter of the schedule is 0, expected at least 1}}
func.func @serial() attributes {a = #mp.serial<vector = 0>} { return }

// -----

// mp.nonfinite_blocks (C2)
func.func @flag_count(%g: tensor<9xf32>) -> tensor<2xi32> {
  // expected-error@+1 {{has results of types 'tensor<2xi32>', expected 'tensor<3xi32>'}}
  %0 = mp.nonfinite_blocks %g {block = 4 : i64} : tensor<9xf32> -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

// #mp.contraction (C2)
// expected-error@+1 {{vector of a dot is 2, expected 4, 8 or 16}}
func.func @dot() attributes {a = #mp.contraction<block_m = 4, block_n = 4, block_k = 4, tile_m = 4, tile_n = 4, vector = 2, instruction = dot>} { return }

// -----

// #mp.contraction (C3)
// expected-error@+1 {{rhs is packed and streamed}}
func.func @streamed() attributes {a = #mp.contraction<block_m = 4, block_n = 4, block_k = 4, tile_m = 4, tile_n = 4, vector = 4, pack_rhs = true, stream_rhs = true>} { return }

// -----

// #mp.contraction (C3)
// expected-error@+1 {{lhs is packed and read where it lies}}
func.func @packed_in_memory() attributes {a = #mp.contraction<block_m = 32, block_n = 32, block_k = 32, tile_m = 32, tile_n = 32, vector = 16, instruction = amx, pack_lhs = true, read_lhs = true>} { return }

// -----

// #mp.contraction (C3)
// expected-error@+1 {{lhs is read where it lies by 3 products of parts, expected one product}}
func.func @parts_in_memory() attributes {a = #mp.contraction<block_m = 32, block_n = 32, block_k = 32, tile_m = 32, tile_n = 32, vector = 16, instruction = amx, products = 3, read_lhs = true>} { return }

// -----

// #mp.contraction (C3)
// expected-error@+1 {{rhs is packed and read where a block keeps it}}
func.func @packed_in_rows() attributes {a = #mp.contraction<block_m = 4, block_n = 4, block_k = 4, tile_m = 4, tile_n = 4, vector = 4, pack_rhs = true, read_rhs = true>} { return }

// -----

// #mp.contraction (C3)
// expected-error@+1 {{rhs is streamed and read where a block keeps it}}
func.func @streamed_in_rows() attributes {a = #mp.contraction<block_m = 4, block_n = 4, block_k = 4, tile_m = 4, tile_n = 4, vector = 4, stream_rhs = true, read_rhs = true>} { return }

// -----

// #mp.contraction (C3)
// expected-error@+1 {{rhs is read where a block keeps it by 3 products of parts, expected one product}}
func.func @parts_in_rows() attributes {a = #mp.contraction<block_m = 16, block_n = 16, block_k = 32, tile_m = 16, tile_n = 16, vector = 16, instruction = amx, products = 3, read_rhs = true>} { return }

// -----

// #mp.contraction (C3)
// expected-error@+1 {{rhs of an amx is streamed}}
func.func @streamed_tiles() attributes {a = #mp.contraction<block_m = 16, block_n = 16, block_k = 32, tile_m = 16, tile_n = 16, vector = 16, instruction = amx, stream_rhs = true>} { return }

// -----

// #mp.contraction (C6)
// expected-error@+1 {{operands of an amx change places}}
func.func @transposed_tiles() attributes {a = #mp.contraction<block_m = 16, block_n = 16, block_k = 32, tile_m = 16, tile_n = 16, vector = 16, instruction = amx, transposed = true>} { return }

// -----

// #mp.contraction (C6)
// expected-error@+1 {{lhs is packed and changes places}}
func.func @packed_lhs_transposed() attributes {a = #mp.contraction<block_m = 4, block_n = 4, block_k = 4, tile_m = 4, tile_n = 4, vector = 4, pack_lhs = true, transposed = true>} { return }

// -----

// #mp.contraction (C6)
// expected-error@+1 {{rhs is packed and changes places}}
func.func @packed_rhs_transposed() attributes {a = #mp.contraction<block_m = 4, block_n = 4, block_k = 4, tile_m = 4, tile_n = 4, vector = 4, pack_rhs = true, transposed = true>} { return }

// -----

// #mp.contraction (C4)
// expected-error@+1 {{an amx has vector 16 and block_k 48, expected 16 and a multiple of 32 of at most 2^20}}
func.func @depth_of_tiles() attributes {a = #mp.contraction<block_m = 16, block_n = 16, block_k = 48, tile_m = 16, tile_n = 16, vector = 16, instruction = amx>} { return }

// -----

// #mp.contraction (C4)
// expected-error@+1 {{tiles 33 x 32 need more than the 8 tile registers}}
func.func @tiles() attributes {a = #mp.contraction<block_m = 33, block_n = 32, block_k = 32, tile_m = 33, tile_n = 32, vector = 16, instruction = amx>} { return }

// -----

// #mp.contraction (C5)
// expected-error@+1 {{6 products of dot, expected 1, or 3, 6 or 9 of amx}}
func.func @parts_of_dots() attributes {a = #mp.contraction<block_m = 16, block_n = 16, block_k = 32, tile_m = 16, tile_n = 16, vector = 16, instruction = dot, products = 6>} { return }

// -----

// #mp.contraction (C5)
// expected-error@+1 {{2 products of amx, expected 1, or 3, 6 or 9 of amx}}
func.func @two_products() attributes {a = #mp.contraction<block_m = 16, block_n = 16, block_k = 32, tile_m = 16, tile_n = 16, vector = 16, instruction = amx, products = 2>} { return }

// -----

// #mp.panels (C2)
// expected-error@+1 {{panels of 4 parts, 64 of k in units of 2, expected at most 3 parts, and units of 2 and a multiple of 32 where there are several}}
func.func @many_parts() attributes {a = #mp.panels<rows = 4, depth = 64, unit = 2, depth_inner = false, parts = 4>} { return }

// -----

// #mp.panels (C2)
// expected-error@+1 {{panels of 2 parts, 48 of k in units of 2, expected at most 3 parts}}
func.func @depth_of_parts() attributes {a = #mp.panels<rows = 4, depth = 48, unit = 2, depth_inner = false, parts = 2>} { return }

// -----

// #mp.panels (C2)
// expected-error@+1 {{panels of 2 parts, 64 of k in units of 1, expected at most 3 parts}}
func.func @unit_of_parts() attributes {a = #mp.panels<rows = 4, depth = 64, unit = 1, depth_inner = false, parts = 2>} { return }

// -----

// #mp.attention (C1)
// expected-error @+1 {{a parameter of the schedule is 0, expected at least 1}}
func.func @attention_schedule() attributes {a = #mp.attention<queries = 64, keys = 128, tile = 8, tile_vectors = 0, vector = 16>} { return }
// -----
// #mp.attention (C1)
// expected-error @+1 {{tile 8 and vector 16 do not divide blocks of 60 queries and 128 keys}}
func.func @attention_tile() attributes {a = #mp.attention<queries = 60, keys = 128, tile = 8, tile_vectors = 2, vector = 16>} { return }
// -----
// #mp.attention (C1)
// expected-error @+1 {{tile 8 and vector 16 do not divide blocks of 64 queries and 120 keys}}
func.func @attention_vector() attributes {a = #mp.attention<queries = 64, keys = 120, tile = 8, tile_vectors = 2, vector = 16>} { return }
// -----
// #mp.pack (C1)
// expected-error@+1 {{a parameter of the schedule is 0, expected at least 1}}
func.func @pack_schedule() attributes {a = #mp.pack<panels = 0, vector = 4>} { return }

// -----

// #mp.panels (C1)
// expected-error@+1 {{panels of 4 rows and 5 of k in units of 2}}
func.func @panels() attributes {a = #mp.panels<rows = 4, depth = 5, unit = 2, depth_inner = false>} { return }

// -----

// mp.pack (C1)
func.func @packed_batches(%x: tensor<3x5x8xf32>) {
  // expected-error@+1 {{takes 'tensor<3x5x8xf32>' as 2 matrices}}
  %0 = mp.pack %x batches 2 panels <rows = 4, depth = 8, unit = 1, depth_inner = true> : tensor<3x5x8xf32> -> tensor<2x1x2x32xf32>
  return
}

// -----

// mp.pack (C1)
func.func @packed_filters(%x: tensor<5x8xf32>) {
  // expected-error@+1 {{takes 'tensor<5x8xf32>' as filters in 1 batches, expected three dimensions or more, in one}}
  %0 = mp.pack %x batches 1 filters panels <rows = 4, depth = 8, unit = 1, depth_inner = true> : tensor<5x8xf32> -> tensor<1x1x2x32xf32>
  return
}

// -----

// mp.unpack (C1)
func.func @unpacked_filters(%p: tensor<2x1x2x32xf32>) {
  // expected-error@+1 {{takes 'tensor<4x2x8xf32>' as filters in 2 batches, expected three dimensions or more, in one}}
  %0 = mp.unpack %p batches 2 filters transposed panels <rows = 4, depth = 8, unit = 1, depth_inner = true> : tensor<2x1x2x32xf32> -> tensor<4x2x8xf32>
  return
}

// -----

// mp.pack (C2)
func.func @packed_filters_without_the_word(%x: tensor<4x3x3x8xf32>) {
  // expected-error@+1 {{has 'tensor<1x9x1x32xf32>' packed, expected 'tensor<1x1x9x32xf32>', or the word 'filters' before 'panels', as filters of a convolution are packed}}
  %0 = mp.pack %x batches 1 panels <rows = 4, depth = 8, unit = 1, depth_inner = true> : tensor<4x3x3x8xf32> -> tensor<1x9x1x32xf32>
  return
}

// -----

// mp.pack (C2)
func.func @packed_shape(%x: tensor<5x15xbf16>) {
  // expected-error@+1 {{has 'tensor<1x2x1x32xbf16>' packed, expected 'tensor<1x2x2x32xbf16>'}}
  %0 = mp.pack %x batches 1 panels <rows = 4, depth = 8, unit = 2, depth_inner = true> : tensor<5x15xbf16> -> tensor<1x2x1x32xbf16>
  return
}

// -----

// mp.pack (C2)
func.func @packed_parts(%x: tensor<4x32xf32>) {
  // expected-error@+1 {{has 'tensor<1x1x1x384xf32>' packed, expected 'tensor<1x1x1x384xbf16>'}}
  %0 = mp.pack %x batches 1 panels <rows = 4, depth = 32, unit = 2, depth_inner = true, parts = 3> : tensor<4x32xf32> -> tensor<1x1x1x384xf32>
  return
}

// -----

// mp.unpack (C1)
func.func @unpacked_transposes(%p: tensor<1x1x2x32xf32>) {
  // expected-error@+1 {{takes 'tensor<3x8x5xf32>' as 1 matrices, each transposed}}
  %0 = mp.unpack %p batches 1 transposed panels <rows = 4, depth = 8, unit = 1, depth_inner = false> : tensor<1x1x2x32xf32> -> tensor<3x8x5xf32>
  return
}

// -----

// mp.unpack (C2)
func.func @unpacked_type(%p: tensor<1x1x2x32xf16>) {
  // expected-error@+1 {{has 'tensor<1x1x2x32xf16>' packed, expected 'tensor<1x1x2x32xbf16>'}}
  %0 = mp.unpack %p batches 1 panels <rows = 4, depth = 8, unit = 1, depth_inner = true> : tensor<1x1x2x32xf16> -> tensor<5x8xbf16>
  return
}

// -----

// mp.unpack (C2)
func.func @unpacked_parts(%p: tensor<1x1x1x256xbf16>) {
  // expected-error@+1 {{has parts of 'bf16', expected f16 or f32}}
  %0 = mp.unpack %p batches 1 panels <rows = 4, depth = 32, unit = 2, depth_inner = true, parts = 2> : tensor<1x1x1x256xbf16> -> tensor<4x32xbf16>
  return
}

// -----

// #mp.panels (C1)
// expected-error@+1 {{panels of 4611686018427387904 rows}}
func.func @large_panels() attributes {a = #mp.panels<rows = 4611686018427387904, depth = 4, unit = 2, depth_inner = false>} { return }
