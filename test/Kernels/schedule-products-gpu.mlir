// RUN: mp-opt %s -mp-form-kernels -mp-split-contractions="features=sm_80" -mp-schedule-kernels="features=sm_80" -mp-verify-kernels=scheduled | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: mp-opt %s -mp-form-kernels -mp-split-contractions="features=sm_75" -mp-schedule-kernels="features=sm_75" | FileCheck %s --check-prefixes=CHECK,SM75
// RUN: mp-opt %s -mp-form-kernels -mp-split-contractions="features=sm_70" -mp-schedule-kernels="features=sm_70" | FileCheck %s --check-prefixes=CHECK,SM70
// RUN: mp-opt %s -mp-form-kernels -mp-split-contractions="features=sm_80 allow-tf32" -mp-schedule-kernels="features=sm_80 allow-tf32" | FileCheck %s --check-prefix=TF32

// CHECK-LABEL: @large_products_have_large_blocks
func.func @large_products_have_large_blocks(%a: tensor<4096x4096xf16>, %b: tensor<4096x4096xf16>) -> tensor<4096x4096xf16> {
  // SM80: block_m = {{128|256}}, block_n = {{128|256}}, {{.*}}stages = {{3|4}}, instruction = mma.m16n8k16>
  // SM75: block_m = {{128|256}}, block_n = {{64|128|256}}, {{.*}}stages = 2, instruction = mma.m16n8k8>
  // SM70: block_m = {{128|256}}, block_n = {{64|128|256}}, {{.*}}stages = 2, instruction = wmma.m16n16k16>
  %0 = mp.matmul %a, %b acc f32 : tensor<4096x4096xf16>, tensor<4096x4096xf16> -> tensor<4096x4096xf16>
  return %0 : tensor<4096x4096xf16>
}

// CHECK-LABEL: @plain_f32_is_exact
// TF32-LABEL: @plain_f32_is_exact
func.func @plain_f32_is_exact(%a: tensor<1024x1024xf32>, %b: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  // CHECK: instruction = fma>
  // TF32: instruction = mma.m16n8k8.tf32>
  %0 = mp.matmul %a, %b acc f32 : tensor<1024x1024xf32>, tensor<1024x1024xf32> -> tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}

// A gradient of few elements over a long batch: sums of parts of k, then a kernel that adds them up and goes on.
// CHECK-LABEL: @few_blocks_cut_k
func.func @few_blocks_cut_k(%a: tensor<8192x64xf16>, %b: tensor<8192x64xf16>, %c: tensor<64xf16>) -> tensor<64x64xf16> {
  // SM80: %[[PARTS:.*]] = mp.kernel "matmul_0.parts" (%[[A:.*]] = %arg0, %[[B:.*]] = %arg1) schedule(#mp.mma<{{.*}}split_k = [[S:[0-9]+]], instruction = mma.m16n8k16>)
  // SM80-SAME: -> tensor<[[S]]x64x64xf32> {
  // SM80-NEXT: mp.matmul_parts %[[A]], %[[B]] transpose_lhs depth
  // SM80: mp.kernel "matmul_0" (%[[P:.*]] = %[[PARTS]], %[[C:.*]] = %arg2) schedule(#mp.column
  // SM80-NEXT: %[[SUM:.*]] = mp.reduce_sum %[[P]] dimensions [0] : tensor<[[S]]x64x64xf32> -> tensor<64x64xf32>
  // SM80-NEXT: %[[WIDE:.*]] = mp.cast %[[C]] : tensor<64xf16> -> tensor<64xf32>
  // SM80-NEXT: %[[BIASED:.*]] = mp.add %[[SUM]], %[[WIDE]]
  // SM80-NEXT: %[[NARROW:.*]] = mp.cast %[[BIASED]] : tensor<64x64xf32> -> tensor<64x64xf16>
  // SM80-NEXT: mp.relu %[[NARROW]]
  %0 = mp.matmul %a, %b transpose_lhs bias %c : tensor<64xf16> acc f32 : tensor<8192x64xf16>, tensor<8192x64xf16> -> tensor<64x64xf16>
  %1 = mp.relu %0 : tensor<64x64xf16>
  return %1 : tensor<64x64xf16>
}

// CHECK-LABEL: @small_products_have_small_blocks
func.func @small_products_have_small_blocks(%a: tensor<128x128xf16>, %b: tensor<128x10xf16>) -> tensor<128x10xf16> {
  // SM80: #mp.mma<block_m = {{16|32|64}}, block_n = {{16|32}},
  %0 = mp.matmul %a, %b acc f32 : tensor<128x128xf16>, tensor<128x10xf16> -> tensor<128x10xf16>
  return %0 : tensor<128x10xf16>
}
