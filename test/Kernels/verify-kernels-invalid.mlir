// RUN: mp-opt %s -mp-verify-kernels="scheduled planned" -split-input-file -verify-diagnostics

func.func @outside(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{is outside of a kernel; run mp-form-kernels first}}
  %0 = mp.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @unscheduled(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{has no schedule; run mp-schedule-kernels first}}
  %0 = mp.kernel "k" (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = mp.relu %a : tensor<4xf32>
    mp.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @wrong_schedule(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{is a map kernel with a row schedule}}
  %0 = mp.kernel "k" (%a = %x) schedule(#mp.row<rows = 4, vector = 4>) : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = mp.relu %a : tensor<4xf32>
    mp.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @uncut(%x: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %0 = mp.kernel "k" (%a = %x) schedule(#mp.mma<block_m = 64, block_n = 64, block_k = 32, warps_m = 2, warps_n = 2, stages = 2, split_k = 2, instruction = mma.m16n8k16>)
      : (tensor<64x64xf16>) -> tensor<64x64xf16> {
    // expected-error@+1 {{has 1 parts of k and a schedule of 2; run mp-split-contractions first}}
    %1 = mp.matmul %a, %a acc f32 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf16>
    mp.yield %1 : tensor<64x64xf16>
  }
  return %0 : tensor<64x64xf16>
}

// -----

func.func @other_rows(%x: tensor<64x64xf16>) -> (tensor<64x64xf16>, tensor<2x64xf32>) {
  %0:2 = mp.kernel "k" (%a = %x) schedule(#mp.mma<block_m = 64, block_n = 64, block_k = 32, warps_m = 2, warps_n = 2, stages = 2, instruction = mma.m16n8k16>)
      : (tensor<64x64xf16>) -> (tensor<64x64xf16>, tensor<2x64xf32>) {
    %1 = mp.matmul %a, %a acc f32 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf16>
    // expected-error@+1 {{reduces tiles of 32 rows, its product is made in blocks of 64 x 64}}
    %2 = mp.sum_row_blocks %1 block 32 : tensor<64x64xf16> -> tensor<2x64xf32>
    mp.yield %1, %2 : tensor<64x64xf16>, tensor<2x64xf32>
  }
  return %0#0, %0#1 : tensor<64x64xf16>, tensor<2x64xf32>
}

// -----

func.func @other_tiles(%x: tensor<64x64xf16>) -> (tensor<64x64xf16>, tensor<2xi32>) {
  %0:2 = mp.kernel "k" (%a = %x) schedule(#mp.mma<block_m = 64, block_n = 64, block_k = 32, warps_m = 2, warps_n = 2, stages = 2, instruction = mma.m16n8k16>)
      : (tensor<64x64xf16>) -> (tensor<64x64xf16>, tensor<2xi32>) {
    %1 = mp.matmul %a, %a acc f32 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf16>
    // expected-error@+1 {{reduces tiles of 64 x 32, its product is made in blocks of 64 x 64}}
    %2 = mp.nonfinite_tiles %1 tile 64 x 32 : tensor<64x64xf16> -> tensor<2xi32>
    mp.yield %1, %2 : tensor<64x64xf16>, tensor<2xi32>
  }
  return %0#0, %0#1 : tensor<64x64xf16>, tensor<2xi32>
}

// -----

func.func @other_rows(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0:5 = mp.kernel "k" (%a = %x) schedule(#mp.contraction<block_m = 48, block_n = 64, block_k = 64, tile_m = 6, tile_n = 16, vector = 8>)
      : (tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<2x64xf32>, tensor<2x64xf32>, tensor<2x64xf32>, tensor<2x64xf32>) {
    %1 = mp.matmul %a, %a acc f32 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    // expected-error@+1 {{reduces tiles of 32 rows, its product is made in blocks of 48 x 64}}
    %2, %3, %4, %5 = mp.row_block_moments %1 block 32 : tensor<64x64xf32>
    mp.yield %1, %2, %3, %4, %5 : tensor<64x64xf32>, tensor<2x64xf32>, tensor<2x64xf32>, tensor<2x64xf32>, tensor<2x64xf32>
  }
  return %0#0 : tensor<64x64xf32>
}

// -----

func.func @rows_as_columns(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0:5 = mp.kernel "k" (%a = %x) schedule(#mp.contraction<block_m = 64, block_n = 32, block_k = 64, tile_m = 4, tile_n = 16, vector = 8, transposed = true>)
      : (tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<2x64xf32>, tensor<2x64xf32>, tensor<2x64xf32>, tensor<2x64xf32>) {
    %1 = mp.matmul %a, %a acc f32 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    // expected-error@+1 {{reduces tiles of 32 rows, its product is made in blocks of 32 x 64, its operands in each other's place}}
    %2, %3, %4, %5 = mp.row_block_moments %1 block 32 : tensor<64x64xf32>
    mp.yield %1, %2, %3, %4, %5 : tensor<64x64xf32>, tensor<2x64xf32>, tensor<2x64xf32>, tensor<2x64xf32>, tensor<2x64xf32>
  }
  return %0#0 : tensor<64x64xf32>
}

// -----

func.func @other_rows_of_a_gpu(%x: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %0:5 = mp.kernel "k" (%a = %x) schedule(#mp.mma<block_m = 64, block_n = 64, block_k = 32, warps_m = 2, warps_n = 2, stages = 2, instruction = mma.m16n8k16>)
      : (tensor<64x64xf16>) -> (tensor<64x64xf16>, tensor<2x64xf32>, tensor<2x64xf32>, tensor<2x64xf32>, tensor<2x64xf32>) {
    %1 = mp.matmul %a, %a acc f32 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf16>
    // expected-error@+1 {{reduces tiles of 32 rows, its product is made in blocks of 64 x 64}}
    %2, %3, %4, %5 = mp.row_block_moments %1 block 32 : tensor<64x64xf16>
    mp.yield %1, %2, %3, %4, %5 : tensor<64x64xf16>, tensor<2x64xf32>, tensor<2x64xf32>, tensor<2x64xf32>, tensor<2x64xf32>
  }
  return %0#0 : tensor<64x64xf16>
}

// -----

func.func @rows_of_batches(%x: tensor<2x32x64xf16>) -> tensor<2x32x32xf16> {
  %0:5 = mp.kernel "k" (%a = %x) schedule(#mp.mma<block_m = 32, block_n = 32, block_k = 32, warps_m = 2, warps_n = 1, stages = 2, instruction = mma.m16n8k16>)
      : (tensor<2x32x64xf16>) -> (tensor<2x32x32xf16>, tensor<2x32xf32>, tensor<2x32xf32>, tensor<2x32xf32>, tensor<2x32xf32>) {
    %1 = mp.matmul %a, %a transpose_rhs acc f32 : tensor<2x32x64xf16>, tensor<2x32x64xf16> -> tensor<2x32x32xf16>
    // expected-error@+1 {{reduces tiles of a product in 1 parts, 2 batches and 0 classes of rows, whose blocks are not those of its result}}
    %2, %3, %4, %5 = mp.row_block_moments %1 block 32 : tensor<2x32x32xf16>
    mp.yield %1, %2, %3, %4, %5 : tensor<2x32x32xf16>, tensor<2x32xf32>, tensor<2x32xf32>, tensor<2x32xf32>, tensor<2x32xf32>
  }
  return %0#0 : tensor<2x32x32xf16>
}

// -----

func.func @tiles_of_classes(%g: tensor<2x4x4x6xf32>, %w: tensor<6x3x3x5xf32>) -> (tensor<2x8x8x5xf32>, tensor<2xi32>) {
  %0:2 = mp.kernel "k" (%a = %g, %b = %w) schedule(#mp.contraction<block_m = 64, block_n = 8, block_k = 64, tile_m = 4, tile_n = 8, vector = 8>)
      : (tensor<2x4x4x6xf32>, tensor<6x3x3x5xf32>) -> (tensor<2x8x8x5xf32>, tensor<2xi32>) {
    %1 = mp.conv_transpose %a, %b acc f32 {strides = [2, 2], padding = [1, 1, 1, 1]} : tensor<2x4x4x6xf32>, tensor<6x3x3x5xf32> -> tensor<2x8x8x5xf32>
    %2 = mp.reshape %1 : tensor<2x8x8x5xf32> -> tensor<128x5xf32>
    // expected-error@+1 {{reduces tiles of a product in 1 parts, 1 batches and 4 classes of rows, whose blocks are not those of its result}}
    %3 = mp.nonfinite_tiles %2 tile 64 x 8 : tensor<128x5xf32> -> tensor<2xi32>
    mp.yield %1, %3 : tensor<2x8x8x5xf32>, tensor<2xi32>
  }
  return %0#0, %0#1 : tensor<2x8x8x5xf32>, tensor<2xi32>
}

// -----

func.func @other_matrix(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<2xi32>) {
  %0:2 = mp.kernel "k" (%a = %x) schedule(#mp.contraction<block_m = 64, block_n = 64, block_k = 64, tile_m = 4, tile_n = 16, vector = 8>)
      : (tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<2xi32>) {
    %1 = mp.matmul %a, %a acc f32 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    %2 = mp.reshape %1 : tensor<64x64xf32> -> tensor<2x32x64xf32>
    // expected-error@+1 {{reduces tiles of 'tensor<2x32x64xf32>', its product makes 1 x 64 x 64}}
    %3 = mp.nonfinite_tiles %2 tile 64 x 64 : tensor<2x32x64xf32> -> tensor<2xi32>
    mp.yield %1, %3 : tensor<64x64xf32>, tensor<2xi32>
  }
  return %0#0, %0#1 : tensor<64x64xf32>, tensor<2xi32>
}

// -----

// As many elements, in one block of rows whatever it is called, but rows of other columns: half of them would be of nothing.
func.func @rows_of_another_matrix(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0:5 = mp.kernel "k" (%a = %x) schedule(#mp.contraction<block_m = 64, block_n = 64, block_k = 64, tile_m = 4, tile_n = 16, vector = 8>)
      : (tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<1x128xf32>, tensor<1x128xf32>, tensor<1x128xf32>, tensor<1x128xf32>) {
    %1 = mp.matmul %a, %a acc f32 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    %2 = mp.reshape %1 : tensor<64x64xf32> -> tensor<32x128xf32>
    // expected-error@+1 {{reduces tiles of 'tensor<32x128xf32>', its product makes 1 x 64 x 64}}
    %3, %4, %5, %6 = mp.row_block_moments %2 block 64 : tensor<32x128xf32>
    mp.yield %1, %3, %4, %5, %6 : tensor<64x64xf32>, tensor<1x128xf32>, tensor<1x128xf32>, tensor<1x128xf32>, tensor<1x128xf32>
  }
  return %0#0 : tensor<64x64xf32>
}

// -----

func.func @rows_of_another_matrix_of_a_gpu(%x: tensor<64x64xf16>) -> (tensor<64x64xf16>, tensor<1x128xf32>) {
  %0:2 = mp.kernel "k" (%a = %x) schedule(#mp.mma<block_m = 64, block_n = 64, block_k = 32, warps_m = 2, warps_n = 2, stages = 2, instruction = mma.m16n8k16>)
      : (tensor<64x64xf16>) -> (tensor<64x64xf16>, tensor<1x128xf32>) {
    %1 = mp.matmul %a, %a acc f32 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf16>
    %2 = mp.reshape %1 : tensor<64x64xf16> -> tensor<32x128xf16>
    // expected-error@+1 {{reduces tiles of 'tensor<32x128xf16>', its product makes 1 x 64 x 64}}
    %3 = mp.sum_row_blocks %2 block 64 : tensor<32x128xf16> -> tensor<1x128xf32>
    mp.yield %1, %3 : tensor<64x64xf16>, tensor<1x128xf32>
  }
  return %0#0, %0#1 : tensor<64x64xf16>, tensor<1x128xf32>
}

// -----

// As many tiles, of other elements.
func.func @tiles_of_another_matrix(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<2xi32>) {
  %0:2 = mp.kernel "k" (%a = %x) schedule(#mp.contraction<block_m = 32, block_n = 64, block_k = 64, tile_m = 4, tile_n = 16, vector = 8>)
      : (tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<2xi32>) {
    %1 = mp.matmul %a, %a acc f32 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    %2 = mp.reshape %1 : tensor<64x64xf32> -> tensor<32x128xf32>
    // expected-error@+1 {{reduces tiles of 'tensor<32x128xf32>', its product makes 1 x 64 x 64}}
    %3 = mp.nonfinite_tiles %2 tile 32 x 64 : tensor<32x128xf32> -> tensor<2xi32>
    mp.yield %1, %3 : tensor<64x64xf32>, tensor<2xi32>
  }
  return %0#0, %0#1 : tensor<64x64xf32>, tensor<2xi32>
}

// -----

func.func @rows_of_what_is_pooled(%x: tensor<2x4x4x8xf32>, %w: tensor<16x1x1x8xf32>) -> tensor<2x2x2x16xf32> {
  %0:5 = mp.kernel "k" (%a = %x, %b = %w) schedule(#mp.contraction<block_m = 32, block_n = 16, block_k = 8, tile_m = 4, tile_n = 16, vector = 8>)
      : (tensor<2x4x4x8xf32>, tensor<16x1x1x8xf32>) -> (tensor<2x2x2x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>) {
    %1 = mp.conv %a, %b acc f32 : tensor<2x4x4x8xf32>, tensor<16x1x1x8xf32> -> tensor<2x4x4x16xf32>
    %2 = mp.max_pool %1 {window = [2, 2]} : tensor<2x4x4x16xf32> -> tensor<2x2x2x16xf32>
    // expected-error@+1 {{reduces tiles of 'tensor<2x2x2x16xf32>', its product makes 1 x 32 x 16}}
    %3, %4, %5, %6 = mp.row_block_moments %2 block 32 : tensor<2x2x2x16xf32>
    mp.yield %2, %3, %4, %5, %6 : tensor<2x2x2x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>
  }
  return %0#0 : tensor<2x2x2x16xf32>
}

// -----

// A GPU takes rows by window where it pools them: blocks of moments would be of other rows.
func.func @moments_of_pooled_rows(%x: tensor<2x6x6x8xf16>, %w: tensor<32x3x3x8xf16>) -> tensor<2x2x2x32xf16> {
  %0:5 = mp.kernel "k" (%a = %x, %b = %w) schedule(#mp.mma<block_m = 32, block_n = 32, block_k = 32, warps_m = 2, warps_n = 1, stages = 2, instruction = mma.m16n8k16>)
      : (tensor<2x6x6x8xf16>, tensor<32x3x3x8xf16>) -> (tensor<2x2x2x32xf16>, tensor<1x32xf32>, tensor<1x32xf32>, tensor<1x32xf32>, tensor<1x32xf32>) {
    %1 = mp.conv %a, %b acc f32 : tensor<2x6x6x8xf16>, tensor<32x3x3x8xf16> -> tensor<2x4x4x32xf16>
    // expected-error@+1 {{reduces tiles of a product whose rows lie by window, to be pooled}}
    %2, %3, %4, %5 = mp.row_block_moments %1 block 32 : tensor<2x4x4x32xf16>
    %6 = mp.max_pool %1 {window = [2, 2]} : tensor<2x4x4x32xf16> -> tensor<2x2x2x32xf16>
    mp.yield %6, %2, %3, %4, %5 : tensor<2x2x2x32xf16>, tensor<1x32xf32>, tensor<1x32xf32>, tensor<1x32xf32>, tensor<1x32xf32>
  }
  return %0#0 : tensor<2x2x2x32xf16>
}

// -----

// In front of the product: nobody has made tiles of an operand.
func.func @tiles_of_an_operand(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<1xi32>) {
  %0:2 = mp.kernel "k" (%a = %x) schedule(#mp.contraction<block_m = 64, block_n = 64, block_k = 64, tile_m = 4, tile_n = 16, vector = 8>)
      : (tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<1xi32>) {
    %1 = mp.exp %a : tensor<64x64xf32>
    // expected-error@+1 {{reduces tiles of what the product does not make; it may stand behind the product, of what is made of its result}}
    %2 = mp.nonfinite_tiles %1 tile 64 x 64 : tensor<64x64xf32> -> tensor<1xi32>
    %3 = mp.matmul %1, %a acc f32 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    mp.yield %3, %2 : tensor<64x64xf32>, tensor<1xi32>
  }
  return %0#0, %0#1 : tensor<64x64xf32>, tensor<1xi32>
}

// -----

// The same behind it, of rows.
func.func @rows_of_an_operand(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0:5 = mp.kernel "k" (%a = %x) schedule(#mp.contraction<block_m = 32, block_n = 64, block_k = 64, tile_m = 4, tile_n = 16, vector = 8>)
      : (tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<2x64xf32>, tensor<2x64xf32>, tensor<2x64xf32>, tensor<2x64xf32>) {
    %1 = mp.matmul %a, %a acc f32 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    // expected-error@+1 {{reduces tiles of what the product does not make; it may stand behind the product, of what is made of its result}}
    %2, %3, %4, %5 = mp.row_block_moments %a block 32 : tensor<64x64xf32>
    mp.yield %1, %2, %3, %4, %5 : tensor<64x64xf32>, tensor<2x64xf32>, tensor<2x64xf32>, tensor<2x64xf32>, tensor<2x64xf32>
  }
  return %0#0 : tensor<64x64xf32>
}

// -----

// On a GPU, and read as an operand.
func.func @rows_for_the_product(%x: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %0 = mp.kernel "k" (%a = %x) schedule(#mp.mma<block_m = 64, block_n = 64, block_k = 32, warps_m = 2, warps_n = 2, stages = 2, instruction = mma.m16n8k16>)
      : (tensor<64x64xf16>) -> tensor<64x64xf16> {
    // expected-error@+1 {{reduces tiles of what the product does not make; it may stand behind the product, of what is made of its result}}
    %1 = mp.sum_row_blocks %a block 64 : tensor<64x64xf16> -> tensor<1x64xf32>
    %2 = mp.cast %1 : tensor<1x64xf32> -> tensor<1x64xf16>
    %3 = mp.mul %a, %2 : tensor<64x64xf16>, tensor<1x64xf16> -> tensor<64x64xf16>
    %4 = mp.matmul %3, %a acc f32 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf16>
    mp.yield %4 : tensor<64x64xf16>
  }
  return %0 : tensor<64x64xf16>
}

// -----

// A block would need what others have found.
func.func @rows_for_what_follows(%x: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %0 = mp.kernel "k" (%a = %x) schedule(#mp.mma<block_m = 64, block_n = 64, block_k = 32, warps_m = 2, warps_n = 2, stages = 2, instruction = mma.m16n8k16>)
      : (tensor<64x64xf16>) -> tensor<64x64xf16> {
    %1 = mp.matmul %a, %a acc f32 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf16>
    // expected-error@+1 {{reduces tiles of a product for another op of the kernel; its results may only be yielded}}
    %2 = mp.sum_row_blocks %1 block 64 : tensor<64x64xf16> -> tensor<1x64xf32>
    // expected-note@+1 {{read here}}
    %3 = mp.cast %2 : tensor<1x64xf32> -> tensor<1x64xf16>
    %4 = mp.sub %1, %3 : tensor<64x64xf16>, tensor<1x64xf16> -> tensor<64x64xf16>
    mp.yield %4 : tensor<64x64xf16>
  }
  return %0 : tensor<64x64xf16>
}

// -----

func.func @no_product(%x: tensor<64x64xf32>) -> tensor<1x64xf32> {
  %0:4 = mp.kernel "k" (%a = %x) schedule(#mp.map<block = 64, vector = 4>)
      : (tensor<64x64xf32>) -> (tensor<1x64xf32>, tensor<1x64xf32>, tensor<1x64xf32>, tensor<1x64xf32>) {
    // expected-error@+1 {{reduces the tiles of a product, of which its kernel has none}}
    %1, %2, %3, %4 = mp.row_block_moments %a block 64 : tensor<64x64xf32>
    mp.yield %1, %2, %3, %4 : tensor<1x64xf32>, tensor<1x64xf32>, tensor<1x64xf32>, tensor<1x64xf32>
  }
  return %0#0 : tensor<1x64xf32>
}

// -----

func.func @means_of_a_gpu(%x: tensor<2x6x6x8xf16>, %w: tensor<8x3x3x8xf16>) -> tensor<2x2x2x8xf16> {
  %0 = mp.kernel "k" (%a = %x, %b = %w) schedule(#mp.mma<block_m = 32, block_n = 32, block_k = 32, warps_m = 2, warps_n = 1, stages = 2, instruction = mma.m16n8k16>)
      : (tensor<2x6x6x8xf16>, tensor<8x3x3x8xf16>) -> tensor<2x2x2x8xf16> {
    %1 = mp.conv %a, %b acc f32 : tensor<2x6x6x8xf16>, tensor<8x3x3x8xf16> -> tensor<2x4x4x8xf16>
    // expected-error@+1 {{pools a product whose rows do not lie by its windows in a warp}}
    %2 = mp.avg_pool %1 {window = [2, 2]} : tensor<2x4x4x8xf16> -> tensor<2x2x2x8xf16>
    mp.yield %2 : tensor<2x2x2x8xf16>
  }
  return %0 : tensor<2x2x2x8xf16>
}

// -----

// A pooling in front of a product is none of its result.
func.func @pooled_operand(%x: tensor<2x4x4x8xf32>, %w: tensor<8x1x1x8xf32>) -> tensor<2x2x2x8xf32> {
  // expected-error@+1 {{has no buffers; run mp-plan-buffers first}}
  %0 = mp.kernel "k" (%a = %x, %b = %w) schedule(#mp.contraction<block_m = 4, block_n = 8, block_k = 8, tile_m = 4, tile_n = 8, vector = 8>)
      : (tensor<2x4x4x8xf32>, tensor<8x1x1x8xf32>) -> tensor<2x2x2x8xf32> {
    %1 = mp.max_pool %a {window = [2, 2]} : tensor<2x4x4x8xf32> -> tensor<2x2x2x8xf32>
    %2 = mp.conv %1, %b acc f32 : tensor<2x2x2x8xf32>, tensor<8x1x1x8xf32> -> tensor<2x2x2x8xf32>
    mp.yield %2 : tensor<2x2x2x8xf32>
  }
  return %0 : tensor<2x2x2x8xf32>
}

// -----

func.func @unplanned(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{has no buffers; run mp-plan-buffers first}}
  %0 = mp.kernel "k" (%a = %x) schedule(#mp.map<block = 64, vector = 4>) : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = mp.relu %a : tensor<4xf32>
    mp.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @still_read(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = mp.kernel "k" (%a = %x) schedule(#mp.map<block = 64, vector = 4>) buffers([#mp.arena<0>]) : (tensor<64xf32>) -> tensor<64xf32> {
    %1 = mp.relu %a : tensor<64xf32>
    mp.yield %1 : tensor<64xf32>
  }
  // expected-error@+1 {{writes to #mp.arena<192> over a value that is still read, at #mp.arena<0>}}
  %2 = mp.kernel "k" (%a = %x) schedule(#mp.map<block = 64, vector = 4>) buffers([#mp.arena<192>]) : (tensor<64xf32>) -> tensor<64xf32> {
    %1 = mp.exp %a : tensor<64xf32>
    mp.yield %1 : tensor<64xf32>
  }
  %3 = mp.kernel "k" (%a = %0, %b = %2) schedule(#mp.map<block = 64, vector = 4>) buffers([#mp.result<0>]) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    %1 = mp.add %a, %b : tensor<64xf32>, tensor<64xf32> -> tensor<64xf32>
    mp.yield %1 : tensor<64xf32>
  }
  return %3 : tensor<64xf32>
}

// -----

func.func @two_results(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-error@+1 {{writes two results to overlapping buffers, #mp.result<0> and #mp.result<0>}}
  %0:2 = mp.kernel "k" (%a = %x) schedule(#mp.map<block = 64, vector = 4>) buffers([#mp.result<0>, #mp.result<0>]) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %1 = mp.relu %a : tensor<4xf32>
    %2 = mp.exp %a : tensor<4xf32>
    mp.yield %1, %2 : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @unknown_state(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{writes state 'w', which the program does not have}}
  %0 = mp.copy %x buffer(#mp.state<"w">) : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @unknown_result(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{writes result 1 of a program that has 1}}
  %0 = mp.copy %x buffer(#mp.result<1>) : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @elsewhere(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = mp.copy %x buffer(#mp.arena<0>) : tensor<4xf32>
  // expected-error@+1 {{result #0 does not lie in #mp.result<0>}}
  return %0 : tensor<4xf32>
}

// -----

func.func @state_is_overwritten(%w: tensor<4x4xf32> {mp.parameter = "w", mp.initializer = #mp.zeros})
    -> (tensor<4x4xf32> {mp.next = "w"}) attributes {mp.program = "apply"} {
  // expected-error@+1 {{writes to #mp.state<"w"> over a value that is still read, at #mp.state<"w">}}
  %n = mp.kernel "k" (%a = %w) schedule(#mp.contraction<block_m = 4, block_n = 4, block_k = 4, tile_m = 4, tile_n = 4, vector = 4>)
      buffers([#mp.state<"w">]) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = mp.matmul %a, %a acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    mp.yield %0 : tensor<4x4xf32>
  }
  return %n : tensor<4x4xf32>
}

// -----

func.func @unguarded(%w: tensor<4xf32> {mp.parameter = "w", mp.initializer = #mp.ones}, %g: tensor<4xf32> {mp.input = "g"},
    %lr: tensor<f32> {mp.input = "lr"}, %bad: tensor<i32> {mp.input = "bad"}) -> (tensor<4xf32> {mp.next = "w"})
    attributes {mp.program = "apply"} {
  // expected-error@+1 {{has a guard, but a result that is not the next value of a state over its old one, under the same guard}}
  %0 = mp.kernel "sgd" (%a = %w, %b = %g, %c = %lr, %d = %bad) schedule(#mp.map<block = 64, vector = 4>) buffers([#mp.state<"w">]) guard(%d)
      : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i32>) -> tensor<4xf32> {
    %1 = mp.sgd %a, %b, %c : tensor<4xf32>
    mp.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @other_guard(%w: tensor<4xf32> {mp.parameter = "w", mp.initializer = #mp.ones}, %g: tensor<4xf32> {mp.input = "g"},
    %lr: tensor<f32> {mp.input = "lr"}, %bad: tensor<i32> {mp.input = "bad"}, %worse: tensor<i32> {mp.input = "worse"})
    -> (tensor<4xf32> {mp.next = "w"}) attributes {mp.program = "apply"} {
  // expected-error@+1 {{has a guard, but a result that is not the next value of a state over its old one, under the same guard}}
  %0 = mp.kernel "sgd" (%a = %w, %b = %g, %c = %lr, %d = %bad, %e = %worse) schedule(#mp.map<block = 64, vector = 4>) buffers([#mp.state<"w">]) guard(%e)
      : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i32>, tensor<i32>) -> tensor<4xf32> {
    %1 = mp.sgd %a, %b, %c guard %d : tensor<4xf32>
    mp.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @windows_that_blocks_cut(%x: tensor<2x4x4x8xf32>, %w: tensor<16x1x1x8xf32>) -> tensor<2x2x2x16xf32> {
  %0 = mp.kernel "k" (%a = %x, %b = %w) schedule(#mp.contraction<block_m = 4, block_n = 16, block_k = 8, tile_m = 4, tile_n = 16, vector = 8>)
      : (tensor<2x4x4x8xf32>, tensor<16x1x1x8xf32>) -> tensor<2x2x2x16xf32> {
    %1 = mp.conv %a, %b acc f32 : tensor<2x4x4x8xf32>, tensor<16x1x1x8xf32> -> tensor<2x4x4x16xf32>
    // expected-error@+1 {{pools a product that is made in blocks of 4 x 16, which do not have its windows whole}}
    %2 = mp.max_pool %1 {window = [2, 2]} : tensor<2x4x4x16xf32> -> tensor<2x2x2x16xf32>
    mp.yield %2 : tensor<2x2x2x16xf32>
  }
  return %0 : tensor<2x2x2x16xf32>
}
