// RUN: mp-opt %s -mp-schedule-kernels="features=sm_80" -mp-reduce-in-tiles="features=sm_80" -mp-verify-kernels=scheduled | FileCheck %s
// RUN: mp-opt %s -mp-schedule-kernels="features=avx2" -mp-reduce-in-tiles="features=avx2" -mp-verify-kernels=scheduled | FileCheck %s --check-prefix=CPU
// RUN: mp-opt %s -mp-reduce-in-tiles="features=sm_80" | FileCheck %s --check-prefix=UNSCHEDULED
// UNSCHEDULED-NOT: schedule(
// CPU-NOT: mp.sum_row_blocks
// CPU: schedule(#mp.contraction<block_m = [[M:[0-9]+]], block_n = [[N:[0-9]+]],
// CPU-NOT: mp.sum_row_blocks
// CPU: mp.nonfinite_tiles %{{.*}} tile [[M]] x [[N]] : tensor<128x512xf32>

// What a bias's gradient and the check of a gradient read is reduced where the product has it in registers; a kernel of
// which nothing is left is gone, and a check of what no product makes stays.
// CHECK-LABEL: @tiles_reduce
func.func @tiles_reduce(%g: tensor<128x512xf16>, %w: tensor<512x512xf16>, %scale: tensor<f32>, %b: tensor<512xf32>)
    -> (tensor<128x512xf16>, tensor<512xf16>, tensor<i32>) {
  // CHECK: %[[DX:.*]]:3 = mp.kernel "matmul_0" (%[[G:.*]] = %arg0, %[[W:.*]] = %arg1, %[[S:.*]] = %arg2) schedule(#mp.mma<block_m = [[M:[0-9]+]], block_n = [[N:[0-9]+]],
  // CHECK-NEXT: %[[P:.*]] = mp.matmul %[[G]], %[[W]]
  // CHECK-NEXT: %[[R:.*]] = mp.relu %[[P]]
  // CHECK-NEXT: %[[SUMS:.*]] = mp.sum_row_blocks %[[R]] block [[M]] : tensor<128x512xf16> -> tensor<[[ROWS:[0-9]+]]x512xf32>
  // CHECK-NEXT: %[[WIDE:.*]] = mp.cast %[[R]]
  // CHECK-NEXT: %[[U:.*]] = mp.mul %[[WIDE]], %[[S]]
  // CHECK-NEXT: %[[FLAGS:.*]] = mp.nonfinite_tiles %[[U]] tile [[M]] x [[N]] : tensor<128x512xf32> -> tensor<[[TILES:[0-9]+]]xi32>
  // CHECK-NEXT: mp.yield %[[R]], %[[SUMS]], %[[FLAGS]]
  %0 = mp.kernel "matmul_0" (%a = %g, %k = %w) : (tensor<128x512xf16>, tensor<512x512xf16>) -> tensor<128x512xf16> {
    %5 = mp.matmul %a, %k acc f32 : tensor<128x512xf16>, tensor<512x512xf16> -> tensor<128x512xf16>
    %6 = mp.relu %5 : tensor<128x512xf16>
    mp.yield %6 : tensor<128x512xf16>
  }
  // CHECK: mp.kernel "reduce_sum_1" (%[[Q:.*]] = %[[DX]]#1) schedule(#mp.column
  // CHECK-NEXT: %[[SUM:.*]] = mp.reduce_sum %[[Q]] dimensions [0] : tensor<[[ROWS]]x512xf32> -> tensor<512xf32>
  // CHECK-NEXT: mp.cast %[[SUM]] : tensor<512xf32> -> tensor<512xf16>
  %1 = mp.kernel "reduce_sum_1" (%a = %0) : (tensor<128x512xf16>) -> tensor<512xf16> {
    %5 = mp.reduce_sum %a dimensions [0] : tensor<128x512xf16> -> tensor<512xf16>
    mp.yield %5 : tensor<512xf16>
  }
  // CHECK: %[[LEFT:.*]] = mp.kernel "checks" (%{{.*}} = %arg3) schedule(#mp.partial
  // CHECK-NEXT: mp.nonfinite_blocks %{{.*}} : tensor<512xf32> -> tensor<1xi32>
  %2:2 = mp.kernel "checks" (%a = %0, %s = %scale, %c = %b) : (tensor<128x512xf16>, tensor<f32>, tensor<512xf32>)
      -> (tensor<2xi32>, tensor<1xi32>) {
    %5 = mp.cast %a : tensor<128x512xf16> -> tensor<128x512xf32>
    %6 = mp.mul %5, %s : tensor<128x512xf32>, tensor<f32> -> tensor<128x512xf32>
    %7 = mp.nonfinite_blocks %6 {block = 32768 : i64} : tensor<128x512xf32> -> tensor<2xi32>
    %8 = mp.nonfinite_blocks %c {block = 32768 : i64} : tensor<512xf32> -> tensor<1xi32>
    mp.yield %7, %8 : tensor<2xi32>, tensor<1xi32>
  }
  // CHECK: mp.kernel "bad" (%[[F:.*]] = %[[DX]]#2, %[[L:.*]] = %[[LEFT]])
  // CHECK-NEXT: mp.first_bad %[[F]], %[[L]] : tensor<[[TILES]]xi32>, tensor<1xi32>
  %3 = mp.kernel "bad" (%a = %2#0, %c = %2#1) : (tensor<2xi32>, tensor<1xi32>) -> tensor<i32> {
    %5 = mp.first_bad %a, %c : tensor<2xi32>, tensor<1xi32>
    mp.yield %5 : tensor<i32>
  }
  return %0, %1, %3 : tensor<128x512xf16>, tensor<512xf16>, tensor<i32>
}

// Batches that share their right factor are rows of one product: 5 x 33 rows are the tiles of 165 rows.
// CHECK-LABEL: @tiles_of_joined_batches
func.func @tiles_of_joined_batches(%g: tensor<5x33x16xf16>, %w: tensor<16x40xf16>) -> (tensor<5x33x40xf16>, tensor<i32>) {
  // CHECK: schedule(#mp.mma<block_m = [[M:[0-9]+]], block_n = [[N:[0-9]+]],
  // CHECK: %[[P:.*]] = mp.matmul
  // CHECK-NEXT: %[[WIDE:.*]] = mp.cast %[[P]]
  // CHECK-NEXT: %[[ROWS:.*]] = mp.reshape %[[WIDE]] : tensor<5x33x40xf32> -> tensor<165x40xf32>
  // CHECK-NEXT: mp.nonfinite_tiles %[[ROWS]] tile [[M]] x [[N]] : tensor<165x40xf32>
  %0 = mp.kernel "matmul_0" (%a = %g, %k = %w) : (tensor<5x33x16xf16>, tensor<16x40xf16>) -> tensor<5x33x40xf16> {
    %5 = mp.matmul %a, %k acc f32 : tensor<5x33x16xf16>, tensor<16x40xf16> -> tensor<5x33x40xf16>
    mp.yield %5 : tensor<5x33x40xf16>
  }
  %1 = mp.kernel "checks" (%a = %0) : (tensor<5x33x40xf16>) -> tensor<1xi32> {
    %5 = mp.cast %a : tensor<5x33x40xf16> -> tensor<5x33x40xf32>
    %6 = mp.nonfinite_blocks %5 {block = 32768 : i64} : tensor<5x33x40xf32> -> tensor<1xi32>
    mp.yield %6 : tensor<1xi32>
  }
  %2 = mp.kernel "bad" (%a = %1) : (tensor<1xi32>) -> tensor<i32> {
    %5 = mp.first_bad %a : tensor<1xi32>
    mp.yield %5 : tensor<i32>
  }
  return %0, %2 : tensor<5x33x40xf16>, tensor<i32>
}

// Two results of one product may be summed by one kernel: each gets sums of its own.
// CHECK-LABEL: @two_results_of_one_product_are_summed
func.func @two_results_of_one_product_are_summed(%g: tensor<128x512xf16>, %w: tensor<512x512xf16>)
    -> (tensor<128x512xf16>, tensor<128x512xf16>, tensor<512xf16>, tensor<512xf16>) {
  // CHECK: %[[DX:.*]]:4 = mp.kernel "matmul_0"
  // CHECK: %[[P:.*]] = mp.matmul
  // CHECK: %[[R:.*]] = mp.relu %[[P]]
  // CHECK: %[[OF_P:.*]] = mp.sum_row_blocks %[[P]]
  // CHECK: %[[OF_R:.*]] = mp.sum_row_blocks %[[R]]
  // CHECK: mp.yield %[[P]], %[[R]], %[[OF_P]], %[[OF_R]]
  %0:2 = mp.kernel "matmul_0" (%a = %g, %k = %w) : (tensor<128x512xf16>, tensor<512x512xf16>) -> (tensor<128x512xf16>, tensor<128x512xf16>) {
    %5 = mp.matmul %a, %k acc f32 : tensor<128x512xf16>, tensor<512x512xf16> -> tensor<128x512xf16>
    %6 = mp.relu %5 : tensor<128x512xf16>
    mp.yield %5, %6 : tensor<128x512xf16>, tensor<128x512xf16>
  }
  // CHECK: mp.kernel "sums" (%{{.*}} = %[[DX]]#2, %{{.*}} = %[[DX]]#3)
  %1:2 = mp.kernel "sums" (%a = %0#0, %b = %0#1) : (tensor<128x512xf16>, tensor<128x512xf16>) -> (tensor<512xf16>, tensor<512xf16>) {
    %5 = mp.reduce_sum %a dimensions [0] : tensor<128x512xf16> -> tensor<512xf16>
    %6 = mp.reduce_sum %b dimensions [0] : tensor<128x512xf16> -> tensor<512xf16>
    mp.yield %5, %6 : tensor<512xf16>, tensor<512xf16>
  }
  return %0#0, %0#1, %1#0, %1#1 : tensor<128x512xf16>, tensor<128x512xf16>, tensor<512xf16>, tensor<512xf16>
}
