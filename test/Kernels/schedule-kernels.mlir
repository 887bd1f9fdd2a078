// RUN: mp-opt %s -mp-form-kernels -mp-schedule-kernels=features=avx2 | FileCheck %s --check-prefixes=CHECK,AVX2
// RUN: mp-opt %s -mp-form-kernels -mp-schedule-kernels=features=avx512 | FileCheck %s --check-prefixes=CHECK,AVX512
// RUN: mp-opt %s -mp-form-kernels -mp-schedule-kernels=features=sse2 | FileCheck %s --check-prefixes=CHECK,SSE2

// CHECK-LABEL: @large_product_has_the_large_tile
func.func @large_product_has_the_large_tile(%a: tensor<1024x1024xf32>, %b: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  // AVX2: #mp.contraction<block_m = {{[0-9]+}}, block_n = {{[0-9]+}}, block_k = 342, tile_m = 6, tile_n = 16, vector = 8
  // AVX512: #mp.contraction<block_m = {{[0-9]+}}, block_n = {{[0-9]+}}, block_k = {{[0-9]+}}, tile_m = 14, tile_n = 32, vector = 16
  // SSE2: #mp.contraction<block_m = {{[0-9]+}}, block_n = {{[0-9]+}}, block_k = 342, tile_m = 4, tile_n = 8, vector = 4
  %0 = mp.matmul %a, %b acc f32 : tensor<1024x1024xf32>, tensor<1024x1024xf32> -> tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}

// CHECK-LABEL: @few_columns_have_the_narrow_tile
func.func @few_columns_have_the_narrow_tile(%a: tensor<512x512xf32>, %b: tensor<512x8xf32>) -> tensor<512x8xf32> {
  // AVX2: tile_m = {{1[0-2]}}, tile_n = 8, vector = 8
  // AVX512: tile_n = 16, vector = 16
  // SSE2: tile_m = 4, tile_n = 8, vector = 4
  %0 = mp.matmul %a, %b acc f32 : tensor<512x512xf32>, tensor<512x8xf32> -> tensor<512x8xf32>
  return %0 : tensor<512x8xf32>
}

// CHECK-LABEL: @kinds
func.func @kinds(%x: tensor<4096x4096xf32>, %y: tensor<4096xui8>)
    -> (tensor<4096x4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<512xi32>, tensor<f32>) {
  // AVX2: mp.kernel "reduce_sum{{.*}}#mp.column<columns = {{[0-9]+}}, vector = 8>
  %column = mp.reduce_sum %x dimensions [0] : tensor<4096x4096xf32> -> tensor<4096xf32>
  // AVX2: mp.kernel "softmax_cross_entropy_rows{{.*}}#mp.row<rows = {{[0-9]+}}, vector = 8>
  %row = mp.softmax_cross_entropy_rows %x, %y : tensor<4096x4096xf32>, tensor<4096xui8> -> tensor<4096xf32>
  // AVX2: mp.kernel "nonfinite_blocks{{.*}}#mp.partial<block = 32768, vector = 8>
  %partial = mp.nonfinite_blocks %x {block = 32768 : i64} : tensor<4096x4096xf32> -> tensor<512xi32>
  // AVX2: mp.kernel "reduce_mean{{.*}}#mp.serial<vector = 8>
  %serial = mp.reduce_mean %row dimensions [0] : tensor<4096xf32> -> tensor<f32>
  // AVX2: mp.kernel "exp{{.*}}#mp.map<block = {{[0-9]+}}, vector = 8>
  %map = mp.exp %x : tensor<4096x4096xf32>
  return %map, %row, %column, %partial, %serial : tensor<4096x4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<512xi32>, tensor<f32>
}

// A small kernel is one block.
// CHECK-LABEL: @small_map_is_one_block
func.func @small_map_is_one_block(%x: tensor<10xf32>) -> tensor<10xf32> {
  // AVX2: #mp.map<block = 1024, vector = 8>
  %0 = mp.exp %x : tensor<10xf32>
  return %0 : tensor<10xf32>
}

// CHECK-LABEL: @empty_product_has_a_schedule
func.func @empty_product_has_a_schedule(%a: tensor<0x4xf32>, %b: tensor<4x0xf32>) -> tensor<0x0xf32> {
  // CHECK: schedule(#mp.contraction<
  %0 = mp.matmul %a, %b acc f32 : tensor<0x4xf32>, tensor<4x0xf32> -> tensor<0x0xf32>
  return %0 : tensor<0x0xf32>
}
