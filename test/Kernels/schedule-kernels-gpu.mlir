// RUN: mp-opt %s -mp-form-kernels -mp-schedule-kernels="features=sm_80" | FileCheck %s

// CHECK-LABEL: @a_thread_takes_sixteen_bytes
func.func @a_thread_takes_sixteen_bytes(%a: tensor<128x784xf32>) -> tensor<128x784xf32> {
  // CHECK: #mp.map<block = 1024, vector = 4, threads = 256>
  %0 = mp.relu %a : tensor<128x784xf32>
  return %0 : tensor<128x784xf32>
}

// CHECK-LABEL: @of_the_narrowest_float
func.func @of_the_narrowest_float(%a: tensor<128x784xf32>) -> tensor<128x784xf16> {
  // CHECK: #mp.map<block = 2048, vector = 8, threads = 256>
  %0 = mp.cast %a : tensor<128x784xf32> -> tensor<128x784xf16>
  return %0 : tensor<128x784xf16>
}

// CHECK-LABEL: @short_rows_share_a_warp
func.func @short_rows_share_a_warp(%a: tensor<128x10xf32>) -> tensor<128x10xf32> {
  // CHECK: #mp.row<rows = 4, vector = 4, threads = 32, threads_per_row = 8>
  %0 = mp.softmax %a : tensor<128x10xf32>
  return %0 : tensor<128x10xf32>
}

// CHECK-LABEL: @long_rows_are_a_block_each
func.func @long_rows_are_a_block_each(%a: tensor<128x50000xf32>) -> tensor<128x50000xf32> {
  // CHECK: #mp.row<rows = 1, vector = 4, threads = 1024, threads_per_row = 1024>
  %0 = mp.softmax %a : tensor<128x50000xf32>
  return %0 : tensor<128x50000xf32>
}

// CHECK-LABEL: @columns_are_read_in_lines
func.func @columns_are_read_in_lines(%a: tensor<128x512xf16>) -> tensor<512xf16> {
  // CHECK: #mp.column<columns = 64, vector = 8, threads = 256>
  %0 = mp.reduce_sum %a dimensions [0] : tensor<128x512xf16> -> tensor<512xf16>
  return %0 : tensor<512xf16>
}

// CHECK-LABEL: @few_long_columns_are_cut
func.func @few_long_columns_are_cut(%a: tensor<1024x64xf32>) -> tensor<64xf32> {
  // CHECK: #mp.column<columns = 4, vector = 4, threads = 256>
  %0 = mp.reduce_sum %a dimensions [0] : tensor<1024x64xf32> -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// CHECK-LABEL: @scalars_are_a_warp
func.func @scalars_are_a_warp(%a: tensor<f32>) -> tensor<f32> {
  // CHECK: #mp.serial<vector = 4, threads = 32>
  %0 = mp.relu %a : tensor<f32>
  return %0 : tensor<f32>
}
