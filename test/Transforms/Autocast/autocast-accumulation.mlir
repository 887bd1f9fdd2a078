// RUN: mp-opt %s -mp-autocast | FileCheck %s --check-prefix=EXACT
// RUN: mp-opt %s -mp-autocast=allow-fp16-accumulation | FileCheck %s --check-prefix=NARROW
// RUN: mp-opt %s -mp-autocast=allow-fp16-accumulation -mp-autocast=allow-fp16-accumulation | FileCheck %s --check-prefix=NARROW
// RUN: mp-opt %s -mp-autocast="policy=mixed_bfloat16 allow-fp16-accumulation" | FileCheck %s --check-prefix=BF16
// RUN: mp-opt %s -mp-autocast="policy=pytorch" | FileCheck %s --check-prefix=EXACT
// RUN: mp-opt %s -mp-autocast=allow-fp16-accumulation -remarks-filter=mp-autocast -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: remark: [Passed] NarrowSums | Category:mp-autocast | Remark="sums are kept in f16, as allow-fp16-accumulation says"

// Sums of products of f16 are f32, but where the option says otherwise; those of other types have no such choice.
func.func @product(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
  // EXACT: mp.matmul {{.*}} acc f32 : tensor<4x8xf16>
  // NARROW: mp.matmul {{.*}} acc f16 : tensor<4x8xf16>
  // BF16: mp.matmul {{.*}} acc f32 : tensor<4x8xbf16>
  %0 = mp.matmul %x, %w acc f32 : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// A product that states a result of f32 keeps the sums that make it.
func.func @wide_result(%x: tensor<4x8xf16>, %w: tensor<8x2xf16>) -> tensor<4x2xf32> {
  // NARROW: mp.matmul {{.*}} acc f32 : {{.*}} -> tensor<4x2xf32>
  %0 = mp.matmul %x, %w acc f32 : tensor<4x8xf16>, tensor<8x2xf16> -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
