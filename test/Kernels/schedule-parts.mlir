// Operands of products that are split into bf16, for tiles that multiply these.

// RUN: mp-opt %s -mp-form-kernels -mp-schedule-kernels="features=amx-bf16 allow-bf16x3" | FileCheck %s --check-prefixes=CHECK,X3
// RUN: mp-opt %s -mp-form-kernels -mp-schedule-kernels="features=amx-bf16 allow-bf16x6" | FileCheck %s --check-prefixes=CHECK,X6
// RUN: mp-opt %s -mp-form-kernels -mp-schedule-kernels="features=amx-bf16 allow-bf16x9" | FileCheck %s --check-prefixes=CHECK,X9
// RUN: mp-opt %s -mp-form-kernels -mp-schedule-kernels="features=amx-fp16 allow-bf16x6" | FileCheck %s --check-prefix=FP16
// RUN: mp-opt %s -mp-form-kernels -mp-schedule-kernels="features=amx-bf16" | FileCheck %s --check-prefixes=CHECK,EXACT
// RUN: mp-opt %s -mp-form-kernels -mp-schedule-kernels="features=avx512bf16 allow-bf16x6" | FileCheck %s --check-prefix=VECTORS --implicit-check-not=products
// RUN: mp-opt %s -mp-form-kernels -mp-schedule-kernels="features=amx-bf16 allow-bf16x6" -remarks-filter=mp-schedule-kernels -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: mp-opt %s -mp-form-kernels -mp-schedule-kernels="features=amx-bf16 allow-bf16x6" -mp-pack-operands -mp-verify-kernels=scheduled | FileCheck %s --check-prefix=PACK
// RUN: not mp-opt %s -mp-form-kernels -mp-schedule-kernels="features=amx-bf16 allow-bf16x6 allow-bf16x9" -o /dev/null 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: has several of allow-bf16x3, allow-bf16x6 and allow-bf16x9; expected one

// CHECK-LABEL: @f32
// X3: vector = 16, instruction = amx, products = 3
// X6: vector = 16, instruction = amx, products = 6
// X9: vector = 16, instruction = amx, products = 9
// EXACT: tile_m = 14, tile_n = 32, vector = 16{{[,>]}}
// FP16-LABEL: @f32
// FP16: instruction = amx, products = 6
// VECTORS-LABEL: @f32
// VECTORS: #mp.contraction<
// REMARK: schedule-parts.mlir:[[#@LINE+3]]:{{.*}}[Analysis] Parts | Category:mp-schedule-kernels | Remark="operands of f32 are split into bf16, as allow-bf16x6 says: 6 products by amx"
// The blocks' shares are packed for both operands, where several read one.
func.func @f32(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = mp.matmul %a, %b acc f32 : tensor<512x512xf32>, tensor<512x512xf32> -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}

// The panels of an operand that is packed once say how many parts there are.
// PACK: mp.pack %{{.*}} panels <rows = 32, depth = 256, unit = 2, depth_inner = true, parts = 3> : tensor<512x512xf32> -> tensor<1x2x16x24576xbf16>
// PACK: mp.unpack %{{.*}} panels <rows = 32, depth = 256, unit = 2, depth_inner = true, parts = 3> : tensor<1x2x16x24576xbf16> -> tensor<512x512xf32>

// f16 is two bf16, exactly: by default, where no tiles multiply it.
// CHECK-LABEL: @f16
// CHECK: vector = 16, instruction = amx, products = 3
// FP16-LABEL: @f16
// FP16: instruction = amx{{[,>]}}
// FP16-NOT: products
// VECTORS-LABEL: @f16
// REMARK: schedule-parts.mlir:[[#@LINE+2]]:{{.*}}[Analysis] Parts | Category:mp-schedule-kernels | Remark="operands of f16 are split into two bf16, exactly: 3 products by amx"
func.func @f16(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>) -> tensor<512x512xf16> {
  %0 = mp.matmul %a, %b acc f32 : tensor<512x512xf16>, tensor<512x512xf16> -> tensor<512x512xf16>
  return %0 : tensor<512x512xf16>
}

// What is bf16 stays whole, and so do sums of other types.
// CHECK-LABEL: @bf16
// CHECK: instruction = amx{{[,>]}}
// CHECK-NOT: products
// CHECK-LABEL: @others
func.func @bf16(%a: tensor<512x512xbf16>, %b: tensor<512x512xbf16>) -> tensor<512x512xbf16> {
  %0 = mp.matmul %a, %b acc f32 : tensor<512x512xbf16>, tensor<512x512xbf16> -> tensor<512x512xbf16>
  return %0 : tensor<512x512xbf16>
}

// CHECK-NOT: products
func.func @others(%a: tensor<512x512xf64>, %b: tensor<512x512xf16>) -> (tensor<512x512xf64>, tensor<512x512xf16>) {
  %0 = mp.matmul %a, %a acc f64 : tensor<512x512xf64>, tensor<512x512xf64> -> tensor<512x512xf64>
  %1 = mp.matmul %b, %b acc f16 : tensor<512x512xf16>, tensor<512x512xf16> -> tensor<512x512xf16>
  return %0, %1 : tensor<512x512xf64>, tensor<512x512xf16>
}

// Few rows stream rhs, which tiles do not.
// CHECK: stream_rhs = true
// CHECK-NOT: products
// REMARK: schedule-parts.mlir:[[#@LINE+2]]:{{.*}}[Missed] Parts | Category:mp-schedule-kernels | {{.*}}operands of f32 are not split although allow-bf16x6 is said: fma is faster, or there are no tiles of bf16
func.func @few_rows(%a: tensor<2x512xf32>, %b: tensor<512x512xf32>) -> tensor<2x512xf32> {
  %0 = mp.matmul %a, %b acc f32 : tensor<2x512xf32>, tensor<512x512xf32> -> tensor<2x512xf32>
  return %0 : tensor<2x512xf32>
}
