// RUN: mp-opt %s -mp-form-kernels -mp-split-contractions="features=sm_80" -remarks-filter=mp-split-contractions -verify-diagnostics -o %t.exact
// RUN: FileCheck %s --check-prefix=EXACT --input-file=%t.exact
// RUN: mp-opt %s -mp-form-kernels -mp-split-contractions="features=sm_80 allow-fp16-reduced-precision-reduction" | FileCheck %s --check-prefixes=F16,EXACTBF16
// RUN: mp-opt %s -mp-form-kernels -mp-split-contractions="features=sm_80 allow-bf16-reduced-precision-reduction" | FileCheck %s --check-prefixes=BF16,EXACTF16
// RUN: mp-opt %s -mp-form-kernels -mp-split-contractions="features=sm_80 allow-fp16-reduced-precision-reduction" -remarks-filter=mp-split-contractions -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: remark: [Analysis] ReducedPrecisionReduction | Category:mp-split-contractions | Remark="sums of parts of k are rounded to f16, as allow-fp16-reduced-precision-reduction says"
// REMARK-NOT: bf16

// Sums of parts of k are kept in f32 and, where that is allowed, stored in the operands' type; they are added up in f32.
func.func @f16(%a: tensor<8192x64xf16>, %b: tensor<8192x64xf16>) -> tensor<64x64xf16> {
  // EXACT: mp.matmul_parts {{.*}} acc f32 : {{.*}} -> tensor<{{[0-9]+}}x64x64xf32>
  // EXACTF16: mp.matmul_parts {{.*}} acc f32 : {{.*}} -> tensor<{{[0-9]+}}x64x64xf32>
  // F16: mp.matmul_parts {{.*}} acc f32 : {{.*}} -> tensor<[[S:[0-9]+]]x64x64xf16>
  // F16: %[[WIDE:.*]] = mp.cast %{{.*}} : tensor<[[S]]x64x64xf16> -> tensor<[[S]]x64x64xf32>
  // F16-NEXT: %[[SUM:.*]] = mp.reduce_sum %[[WIDE]] dimensions [0] : tensor<[[S]]x64x64xf32> -> tensor<64x64xf32>
  // F16-NEXT: mp.cast %[[SUM]] : tensor<64x64xf32> -> tensor<64x64xf16>
  %0 = mp.matmul %a, %b transpose_lhs acc f32 : tensor<8192x64xf16>, tensor<8192x64xf16> -> tensor<64x64xf16>
  return %0 : tensor<64x64xf16>
}

func.func @bf16(%a: tensor<8192x64xbf16>, %b: tensor<8192x64xbf16>) -> tensor<64x64xbf16> {
  // EXACT: mp.matmul_parts {{.*}} -> tensor<{{[0-9]+}}x64x64xf32>
  // EXACTBF16: mp.matmul_parts {{.*}} -> tensor<{{[0-9]+}}x64x64xf32>
  // BF16: mp.matmul_parts {{.*}} acc f32 : {{.*}} -> tensor<{{[0-9]+}}x64x64xbf16>
  %0 = mp.matmul %a, %b transpose_lhs acc f32 : tensor<8192x64xbf16>, tensor<8192x64xbf16> -> tensor<64x64xbf16>
  return %0 : tensor<64x64xbf16>
}

// Parts of a product whose sums are f16 have such sums, too; they are added up in f32, and the sum is one of f16.
func.func @f16_sums(%a: tensor<8192x64xf16>, %b: tensor<8192x64xf16>, %c: tensor<64xf16>) -> tensor<64x64xf16> {
  // EXACT: mp.matmul_parts {{.*}} acc f16 : {{.*}} -> tensor<[[S:[0-9]+]]x64x64xf16>
  // EXACT: mp.cast %{{.*}} : tensor<[[S]]x64x64xf16> -> tensor<[[S]]x64x64xf32>
  // EXACT-NEXT: mp.reduce_sum
  // EXACT-NEXT: %[[SUM:.*]] = mp.cast %{{.*}} : tensor<64x64xf32> -> tensor<64x64xf16>
  // EXACT-NEXT: mp.add %[[SUM]], %{{.*}} : tensor<64x64xf16>, tensor<64xf16> -> tensor<64x64xf16>
  %0 = mp.matmul %a, %b transpose_lhs bias %c : tensor<64xf16> acc f16 : tensor<8192x64xf16>, tensor<8192x64xf16> -> tensor<64x64xf16>
  return %0 : tensor<64x64xf16>
}
