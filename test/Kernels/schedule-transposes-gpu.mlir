// RUN: mp-opt %s -mp-form-kernels -mp-schedule-kernels="features=sm_80" -mp-verify-kernels=scheduled | FileCheck %s

// Matrices that a map transposes are computed in tiles: 32 rows and columns of f32, 64 of f16, 128 of bytes.
// CHECK-LABEL: @f32
func.func @f32(%a: tensor<200x300xf32>) -> tensor<300x200xf32> {
  // CHECK: #mp.map<block = 1024, vector = 1, threads = 256, tile = 32>
  %0 = mp.transpose %a permutation [1, 0] : tensor<200x300xf32> -> tensor<300x200xf32>
  return %0 : tensor<300x200xf32>
}

// CHECK-LABEL: @bytes
func.func @bytes(%a: tensor<256x384xui8>) -> tensor<384x256xui8> {
  // CHECK: #mp.map<block = 16384, vector = 4, threads = 256, tile = 128>
  %0 = mp.transpose %a permutation [1, 0] : tensor<256x384xui8> -> tensor<384x256xui8>
  return %0 : tensor<384x256xui8>
}

// Maps of one launch have one tile.
// CHECK-LABEL: @two_sizes
func.func @two_sizes(%a: tensor<200x300xf16>, %b: tensor<40x60xf16>, %c: tensor<9xf16>)
    -> (tensor<300x200xf16>, tensor<60x40xf16>, tensor<9xf16>) {
  // CHECK: #mp.map<block = 4096, vector = 2, threads = 256, tile = 64>
  // CHECK-NOT: #mp.map
  %0 = mp.transpose %a permutation [1, 0] : tensor<200x300xf16> -> tensor<300x200xf16>
  %1 = mp.transpose %b permutation [1, 0] : tensor<40x60xf16> -> tensor<60x40xf16>
  %2 = mp.relu %c : tensor<9xf16>
  return %0, %1, %2 : tensor<300x200xf16>, tensor<60x40xf16>, tensor<9xf16>
}

// CHECK-LABEL: @f16
func.func @f16(%a: tensor<200x300xf16>) -> tensor<300x200xf16> {
  // CHECK: #mp.map<block = 4096, vector = 2, threads = 256, tile = 64>
  %0 = mp.transpose %a permutation [1, 0] : tensor<200x300xf16> -> tensor<300x200xf16>
  return %0 : tensor<300x200xf16>
}

// CHECK-LABEL: @odd_rows
func.func @odd_rows(%a: tensor<201x300xf16>) -> tensor<300x201xf16> {
  // CHECK: #mp.map<block = 1024, vector = 1, threads = 256, tile = 32>
  %0 = mp.transpose %a permutation [1, 0] : tensor<201x300xf16> -> tensor<300x201xf16>
  return %0 : tensor<300x201xf16>
}

// The widest says how much a lane takes.
// CHECK-LABEL: @cast_and_residual
func.func @cast_and_residual(%a: tensor<200x300xf32>, %b: tensor<300x200xf16>) -> tensor<300x200xf16> {
  // CHECK: #mp.map<block = 1024, vector = 1, threads = 256, tile = 32>
  %0 = mp.transpose %a permutation [1, 0] : tensor<200x300xf32> -> tensor<300x200xf32>
  %1 = mp.cast %0 : tensor<300x200xf32> -> tensor<300x200xf16>
  %2 = mp.add %1, %b : tensor<300x200xf16>, tensor<300x200xf16> -> tensor<300x200xf16>
  return %2 : tensor<300x200xf16>
}

// Images with channels in front, and last: matrices of rows and columns of pixels by channels.
// CHECK-LABEL: @channels_last
func.func @channels_last(%a: tensor<8x64x28x28xf32>) -> tensor<8x28x28x64xf32> {
  // CHECK: tile = 32>
  %0 = mp.transpose %a permutation [0, 2, 3, 1] : tensor<8x64x28x28xf32> -> tensor<8x28x28x64xf32>
  return %0 : tensor<8x28x28x64xf32>
}

// CHECK-LABEL: @channels_first
func.func @channels_first(%a: tensor<8x28x28x64xf32>) -> tensor<8x64x28x28xf32> {
  // CHECK: tile = 32>
  %0 = mp.transpose %a permutation [0, 3, 1, 2] : tensor<8x28x28x64xf32> -> tensor<8x64x28x28xf32>
  return %0 : tensor<8x64x28x28xf32>
}

// Most of a tile would lie beyond the edge; or rows stay rows.
// CHECK-LABEL: @elements_one_by_one
func.func @elements_one_by_one(%a: tensor<4096x10xf32>, %b: tensor<64x64x64xf32>)
    -> (tensor<10x4096xf32>, tensor<64x64x64xf32>) {
  // CHECK: #mp.map<
  // CHECK-NOT: tile
  %0 = mp.transpose %a permutation [1, 0] : tensor<4096x10xf32> -> tensor<10x4096xf32>
  %1 = mp.transpose %b permutation [1, 0, 2] : tensor<64x64x64xf32> -> tensor<64x64x64xf32>
  return %0, %1 : tensor<10x4096xf32>, tensor<64x64x64xf32>
}
