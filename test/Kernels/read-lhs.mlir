// Tiles read rows of lhs in memory: of another type, with an op in front of them, of a k that registers do not fill, or of fewer rows than a tile, it is packed.
// Of images they read pixels, of which a block has whole rows of an image or whole images; three channels are packed from those.
//
// RUN: mp-opt %s -mp-decompose -cse -mp-form-kernels -mp-schedule-kernels=features=amx-bf16 | FileCheck %s
// RUN: mp-opt %s -mp-decompose -cse -mp-form-kernels -mp-schedule-kernels=features=avx512bf16 | FileCheck %s --check-prefix=DOT
// RUN: mp-opt %s -mp-decompose -cse -mp-form-kernels -mp-schedule-kernels=features=avx512 | FileCheck %s --check-prefix=FMA
// RUN: mp-opt %s -mp-decompose -cse -mp-form-kernels -mp-schedule-kernels=features=avx2 | FileCheck %s --check-prefix=FMA

// FMA-LABEL: @read
// FMA-NOT: read_lhs
// CHECK-LABEL: @read
// CHECK: instruction = amx, {{.*}}read_lhs = true
func.func @read(%x: tensor<256x512xbf16>, %w: tensor<512x512xbf16>) -> tensor<256x512xbf16> {
  %y = mp.matmul %x, %w acc f32 : tensor<256x512xbf16>, tensor<512x512xbf16> -> tensor<256x512xbf16>
  return %y : tensor<256x512xbf16>
}

// CHECK-LABEL: @turned
// CHECK: instruction = amx
// CHECK-NOT: read_lhs
// CHECK-LABEL: @relu
// CHECK: instruction = amx
// CHECK-NOT: read_lhs
// CHECK-LABEL: @depth
// CHECK: instruction = amx
// CHECK-NOT: read_lhs
// CHECK-LABEL: @rows
// CHECK: instruction = amx, {{.*}}read_lhs = true
// CHECK-LABEL: @few
// CHECK: instruction = amx
// CHECK-NOT: read_lhs
// CHECK-LABEL: @parts
// CHECK: products = 3
// CHECK-NOT: read_lhs
func.func @turned(%x: tensor<512x256xbf16>, %w: tensor<512x512xbf16>) -> tensor<256x512xbf16> {
  %y = mp.matmul %x, %w transpose_lhs acc f32 : tensor<512x256xbf16>, tensor<512x512xbf16> -> tensor<256x512xbf16>
  return %y : tensor<256x512xbf16>
}
func.func @relu(%x: tensor<256x512xbf16>, %w: tensor<512x512xbf16>) -> tensor<256x512xbf16> {
  %r = mp.relu %x : tensor<256x512xbf16>
  %y = mp.matmul %r, %w acc f32 : tensor<256x512xbf16>, tensor<512x512xbf16> -> tensor<256x512xbf16>
  return %y : tensor<256x512xbf16>
}
func.func @depth(%x: tensor<256x520xbf16>, %w: tensor<520x512xbf16>) -> tensor<256x512xbf16> {
  %y = mp.matmul %x, %w acc f32 : tensor<256x520xbf16>, tensor<520x512xbf16> -> tensor<256x512xbf16>
  return %y : tensor<256x512xbf16>
}
func.func @rows(%x: tensor<250x512xbf16>, %w: tensor<512x512xbf16>) -> tensor<250x512xbf16> {
  %y = mp.matmul %x, %w acc f32 : tensor<250x512xbf16>, tensor<512x512xbf16> -> tensor<250x512xbf16>
  return %y : tensor<250x512xbf16>
}
func.func @few(%x: tensor<12x512xbf16>, %w: tensor<512x520xbf16>) -> tensor<12x520xbf16> {
  %y = mp.matmul %x, %w acc f32 : tensor<12x512xbf16>, tensor<512x520xbf16> -> tensor<12x520xbf16>
  return %y : tensor<12x520xbf16>
}
func.func @parts(%x: tensor<256x512xf16>, %w: tensor<512x512xf16>) -> tensor<256x512xf16> {
  %y = mp.matmul %x, %w acc f32 : tensor<256x512xf16>, tensor<512x512xf16> -> tensor<256x512xf16>
  return %y : tensor<256x512xf16>
}

// FMA-LABEL: @pixels
// FMA: pack_rhs = true, read_lhs = true
// CHECK-LABEL: @pixels
// CHECK: block_m = 1800, {{.*}}tile_m = 30, {{.*}}instruction = amx, pack_rhs = true, read_lhs = true
func.func @pixels(%x: tensor<128x15x15x32xbf16>, %w: tensor<64x3x3x32xbf16>) -> tensor<128x15x15x64xbf16> {
  %y = mp.conv %x, %w acc f32 {padding = same} : tensor<128x15x15x32xbf16>, tensor<64x3x3x32xbf16> -> tensor<128x15x15x64xbf16>
  return %y : tensor<128x15x15x64xbf16>
}

// CHECK-LABEL: @gradient
// CHECK: tile_m = 30, {{.*}}instruction = amx, pack_rhs = true, read_lhs = true
func.func @gradient(%x: tensor<128x13x13x64xbf16>, %w: tensor<64x3x3x64xbf16>) -> tensor<128x15x15x64xbf16> {
  %y = mp.conv_transpose %x, %w acc f32 : tensor<128x13x13x64xbf16>, tensor<64x3x3x64xbf16> -> tensor<128x15x15x64xbf16>
  return %y : tensor<128x15x15x64xbf16>
}

// All of k is one chunk, which a block packs from rows that it keeps.
//
// CHECK-LABEL: @colours
// CHECK: block_k = 32, tile_m = 32, tile_n = 32, {{.*}}instruction = amx, read_lhs = true
func.func @colours(%x: tensor<128x32x32x3xbf16>, %w: tensor<32x3x3x3xbf16>) -> tensor<128x32x32x32xbf16> {
  %y = mp.conv %x, %w acc f32 {padding = same} : tensor<128x32x32x3xbf16>, tensor<32x3x3x3xbf16> -> tensor<128x32x32x32xbf16>
  return %y : tensor<128x32x32x32xbf16>
}

// Vectors do, too, but for rows that are so far apart that the first cache does not hold those of a tile.
//
// CHECK-LABEL: @vectors
// CHECK: tile_m = 14, {{.*}}read_lhs = true
func.func @vectors(%x: tensor<256x784xf32>, %w: tensor<784x512xf32>) -> tensor<256x512xf32> {
  %y = mp.matmul %x, %w acc f32 : tensor<256x784xf32>, tensor<784x512xf32> -> tensor<256x512xf32>
  return %y : tensor<256x512xf32>
}

// CHECK-LABEL: @far
// CHECK: #mp.contraction
// CHECK-NOT: read_lhs
func.func @far(%x: tensor<256x4096xf32>, %w: tensor<4096x512xf32>) -> tensor<256x512xf32> {
  %y = mp.matmul %x, %w acc f32 : tensor<256x4096xf32>, tensor<4096x512xf32> -> tensor<256x512xf32>
  return %y : tensor<256x512xf32>
}

// So do dot products of pairs of channels. Where there are none, elements of 16 bits are widened for fma as rows are kept.
//
// FMA-LABEL: @pairs
// FMA: pack_rhs = true, read_lhs = true
// DOT-LABEL: @pairs
// DOT: tile_m = 15, {{.*}}instruction = dot, {{.*}}read_lhs = true
func.func @pairs(%x: tensor<128x30x30x16xbf16>, %w: tensor<16x3x3x16xbf16>) -> tensor<128x30x30x16xbf16> {
  %y = mp.conv %x, %w acc f32 {padding = same} : tensor<128x30x30x16xbf16>, tensor<16x3x3x16xbf16> -> tensor<128x30x30x16xbf16>
  return %y : tensor<128x30x30x16xbf16>
}

// Of odd numbers of channels, whose pairs are of two pixels, they are packed from rows that a block keeps.
//
// DOT-LABEL: @odd_channels
// DOT: block_k = 136, {{.*}}instruction = dot, {{.*}}read_lhs = true
func.func @odd_channels(%x: tensor<128x30x30x15xbf16>, %w: tensor<16x3x3x15xbf16>) -> tensor<128x30x30x16xbf16> {
  %y = mp.conv %x, %w acc f32 {padding = same} : tensor<128x30x30x15xbf16>, tensor<16x3x3x15xbf16> -> tensor<128x30x30x16xbf16>
  return %y : tensor<128x30x30x16xbf16>
}

// What is in front of images is computed once for each pixel that a block keeps.
//
// CHECK-LABEL: @bytes
// CHECK: #mp.contraction<{{.*}}read_lhs = true
// CHECK: mp.mul
// CHECK: mp.conv
// DOT-LABEL: @bytes
// DOT: read_lhs = true
func.func @bytes(%x: tensor<64x32x32x3xui8>, %w: tensor<32x3x3x3xf32>) -> tensor<64x32x32x32xf32> {
  %f = mp.cast %x : tensor<64x32x32x3xui8> -> tensor<64x32x32x3xf32>
  %byte = mp.constant dense<0.00392156886> : tensor<f32>
  %image = mp.mul %f, %byte : tensor<64x32x32x3xf32>, tensor<f32> -> tensor<64x32x32x3xf32>
  %y = mp.conv %image, %w acc f32 {padding = same} : tensor<64x32x32x3xf32>, tensor<32x3x3x3xf32> -> tensor<64x32x32x32xf32>
  return %y : tensor<64x32x32x32xf32>
}

// CHECK-LABEL: @pairs_behind_a_relu
// CHECK: instruction = amx, {{.*}}read_lhs = true
// CHECK: mp.relu
// DOT-LABEL: @pairs_behind_a_relu
// DOT: instruction = dot, {{.*}}read_lhs = true
// DOT: mp.relu
func.func @pairs_behind_a_relu(%x: tensor<128x16x16x32xbf16>, %w: tensor<32x3x3x32xbf16>) -> tensor<128x16x16x32xbf16> {
  %r = mp.relu %x : tensor<128x16x16x32xbf16>
  %y = mp.conv %r, %w acc f32 {padding = same} : tensor<128x16x16x32xbf16>, tensor<32x3x3x32xbf16> -> tensor<128x16x16x32xbf16>
  return %y : tensor<128x16x16x32xbf16>
}

// CHECK-LABEL: @colours_of_bytes
// CHECK: instruction = amx, {{.*}}read_lhs = true
// CHECK: mp.conv
// DOT-LABEL: @colours_of_bytes
// DOT: block_k = 28, {{.*}}instruction = dot, {{.*}}read_lhs = true
// DOT: mp.conv
func.func @colours_of_bytes(%x: tensor<64x32x32x3xui8>, %w: tensor<32x3x3x3xbf16>) -> tensor<64x32x32x32xbf16> {
  %f = mp.cast %x : tensor<64x32x32x3xui8> -> tensor<64x32x32x3xf32>
  %byte = mp.constant dense<0.00392156886> : tensor<f32>
  %image = mp.mul %f, %byte : tensor<64x32x32x3xf32>, tensor<f32> -> tensor<64x32x32x3xf32>
  %narrow = mp.cast %image : tensor<64x32x32x3xf32> -> tensor<64x32x32x3xbf16>
  %y = mp.conv %narrow, %w acc f32 {padding = same} : tensor<64x32x32x3xbf16>, tensor<32x3x3x3xbf16> -> tensor<64x32x32x32xbf16>
  return %y : tensor<64x32x32x32xbf16>
}

// DOT-LABEL: @halves
// DOT: pack_rhs = true, read_lhs = true
// FMA-LABEL: @halves
// FMA: pack_rhs = true, read_lhs = true
func.func @halves(%x: tensor<128x30x30x32xf16>, %w: tensor<32x3x3x32xf16>) -> tensor<128x30x30x32xf16> {
  %y = mp.conv %x, %w acc f32 {padding = same} : tensor<128x30x30x32xf16>, tensor<32x3x3x32xf16> -> tensor<128x30x30x32xf16>
  return %y : tensor<128x30x30x32xf16>
}

// DOT-LABEL: @halves_of_floats
// DOT: read_lhs = true
// DOT: mp.cast
// FMA-LABEL: @halves_of_floats
// FMA: read_lhs = true
// FMA: mp.cast
func.func @halves_of_floats(%x: tensor<128x32x32x3xf32>, %w: tensor<32x3x3x3xf16>) -> tensor<128x32x32x32xf16> {
  %narrow = mp.cast %x : tensor<128x32x32x3xf32> -> tensor<128x32x32x3xf16>
  %y = mp.conv %narrow, %w acc f32 {padding = same} : tensor<128x32x32x3xf16>, tensor<32x3x3x3xf16> -> tensor<128x32x32x32xf16>
  return %y : tensor<128x32x32x32xf16>
}

// DOT-LABEL: @halves_summed_up
// DOT: read_lhs = true
func.func @halves_summed_up(%x: tensor<128x30x30x32xf16>, %w: tensor<32x3x3x32xf16>) -> tensor<128x30x30x32xf16> {
  %y = mp.conv %x, %w acc f16 {padding = same} : tensor<128x30x30x32xf16>, tensor<32x3x3x32xf16> -> tensor<128x30x30x32xf16>
  return %y : tensor<128x30x30x32xf16>
}

// Gradients under strides, whose classes of pixels have taps of their own: rows of 28 pixels in each; matrices alone, of one tap or of none;
// half registers, which are packed from rows that a block keeps. Classes of 8 and of 7 pixels fit no tile both, and are packed.
//
// CHECK-LABEL: @classes
// CHECK: tile_m = 28, {{.*}}instruction = amx, read_lhs = true
// DOT-LABEL: @classes
// DOT: tile_m = 14, {{.*}}instruction = dot, {{.*}}read_lhs = true
func.func @classes(%x: tensor<16x28x28x128xbf16>, %w: tensor<128x3x3x128xbf16>) -> tensor<16x56x56x128xbf16> {
  %y = mp.conv_transpose %x, %w acc f32 {strides = [2, 2], padding = [1, 1, 1, 1]} : tensor<16x28x28x128xbf16>, tensor<128x3x3x128xbf16> -> tensor<16x56x56x128xbf16>
  return %y : tensor<16x56x56x128xbf16>
}
// CHECK-LABEL: @classes_of_matrices
// CHECK: instruction = amx, read_lhs = true
func.func @classes_of_matrices(%x: tensor<16x28x28x64xbf16>, %w: tensor<64x2x2x64xbf16>) -> tensor<16x56x56x64xbf16> {
  %y = mp.conv_transpose %x, %w acc f32 {strides = [2, 2]} : tensor<16x28x28x64xbf16>, tensor<64x2x2x64xbf16> -> tensor<16x56x56x64xbf16>
  return %y : tensor<16x56x56x64xbf16>
}
// CHECK-LABEL: @classes_without_taps
// CHECK: instruction = amx, read_lhs = true
func.func @classes_without_taps(%x: tensor<16x28x28x512xbf16>, %w: tensor<512x1x1x256xbf16>) -> tensor<16x56x56x256xbf16> {
  %y = mp.conv_transpose %x, %w acc f32 {strides = [2, 2]} : tensor<16x28x28x512xbf16>, tensor<512x1x1x256xbf16> -> tensor<16x56x56x256xbf16>
  return %y : tensor<16x56x56x256xbf16>
}
// CHECK-LABEL: @classes_of_matrices_behind_a_relu
// CHECK: instruction = amx
// CHECK-NOT: read_lhs
// CHECK: mp.relu
func.func @classes_of_matrices_behind_a_relu(%x: tensor<16x28x28x64xbf16>, %w: tensor<64x2x2x64xbf16>) -> tensor<16x56x56x64xbf16> {
  %r = mp.relu %x : tensor<16x28x28x64xbf16>
  %y = mp.conv_transpose %r, %w acc f32 {strides = [2, 2]} : tensor<16x28x28x64xbf16>, tensor<64x2x2x64xbf16> -> tensor<16x56x56x64xbf16>
  return %y : tensor<16x56x56x64xbf16>
}
// CHECK-LABEL: @classes_of_half_registers
// CHECK: block_k = 64, {{.*}}instruction = amx, read_lhs = true
func.func @classes_of_half_registers(%x: tensor<16x14x14x16xbf16>, %w: tensor<16x3x3x32xbf16>) -> tensor<16x28x28x32xbf16> {
  %y = mp.conv_transpose %x, %w acc f32 {strides = [2, 2], padding = [1, 1, 1, 1]} : tensor<16x14x14x16xbf16>, tensor<16x3x3x32xbf16> -> tensor<16x28x28x32xbf16>
  return %y : tensor<16x28x28x32xbf16>
}
// CHECK-LABEL: @classes_of_two_sizes
// CHECK: instruction = amx
// CHECK-NOT: read_lhs
// CHECK-LABEL: @long_strides
func.func @classes_of_two_sizes(%x: tensor<64x8x8x64xbf16>, %w: tensor<64x3x3x32xbf16>) -> tensor<64x15x15x32xbf16> {
  %y = mp.conv_transpose %x, %w acc f32 {strides = [2, 2], padding = [1, 1, 1, 1]} : tensor<64x8x8x64xbf16>, tensor<64x3x3x32xbf16> -> tensor<64x15x15x32xbf16>
  return %y : tensor<64x15x15x32xbf16>
}

// Strides and paddings of any size are no pixels that a block keeps.
//
// CHECK-NOT: read_lhs
func.func @long_strides(%x: tensor<8x4x4x32xf32>, %w: tensor<16x1x1x32xf32>) -> tensor<8x4x2x16xf32> {
  %y = mp.conv %x, %w acc f32 {strides = [1, 144115188075855871], padding = [0, 0, 144115188075855871, 0]} : tensor<8x4x4x32xf32>, tensor<16x1x1x32xf32> -> tensor<8x4x2x16xf32>
  return %y : tensor<8x4x2x16xf32>
}
func.func @long_columns(%x: tensor<64x8x4x64xf32>, %w: tensor<64x1x1x64xf32>) -> tensor<64x8x3x64xf32> {
  %y = mp.conv %x, %w acc f32 {strides = [1, 288230376151711744], padding = [0, 0, 288230376151711744, 288230376151711744]} : tensor<64x8x4x64xf32>, tensor<64x1x1x64xf32> -> tensor<64x8x3x64xf32>
  return %y : tensor<64x8x3x64xf32>
}
func.func @long_rows(%x: tensor<64x4x224x64xf32>, %w: tensor<64x1x3x64xf32>) -> tensor<64x3x222x64xf32> {
  %y = mp.conv %x, %w acc f32 {strides = [1152921504606846976, 1], padding = [1152921504606846976, 1152921504606846976, 0, 0]} : tensor<64x4x224x64xf32>, tensor<64x1x3x64xf32> -> tensor<64x3x222x64xf32>
  return %y : tensor<64x3x222x64xf32>
}
