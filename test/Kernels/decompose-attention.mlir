// RUN: mp-opt %s -mp-decompose=features=sm_80 | FileCheck %s --check-prefix=GPU
// RUN: mp-opt %s -mp-decompose=features=avx2 | FileCheck %s --check-prefix=CPU
// RUN: mp-opt %s -mp-decompose=features=sm_80 -remarks-filter=mp-decompose 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: mp-opt %s -mp-decompose=features=avx2 -remarks-filter=mp-decompose 2>&1 >/dev/null | FileCheck %s --check-prefix=CPU-REMARK
// RUN: not mp-opt %s -mp-decompose=features=sm_61 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// UNKNOWN: error: unknown level of CPU features 'sm_61'; expected one of

// 1 * 4 heads of 8 queries and 8 keys in f32.
// REMARK: scores lie in memory, 1024 bytes: no kernel on a GPU walks the keys
// REMARK: scores lie in memory, 1024 bytes: no kernel on a GPU walks the keys
// REMARK: scores lie in memory, 1024 bytes: no kernel on a GPU walks the keys
// CPU-REMARK-NOT: no kernel on a GPU
// CPU-REMARK: scores lie in memory, 1024 bytes: no kernel that walks the keys drops any
// CPU-REMARK: scores lie in memory, 2048 bytes: no kernel has exponentials of f64

// Heads that share keys are rows of one matrix. Only what is multiplied is f16.
// GPU-LABEL: @grouped
// CPU-LABEL: @grouped
func.func @grouped(%q: tensor<1x4x8x16xf16>, %k: tensor<1x2x8x16xf16>, %v: tensor<1x2x8x12xf16>) -> (tensor<1x4x8x12xf16>, tensor<1x4x8xf32>) {
  // GPU: %[[ROWS:.*]] = mp.reshape %arg0 : tensor<1x4x8x16xf16> -> tensor<1x2x16x16xf16>
  // GPU: %[[PRODUCTS:.*]] = mp.matmul %[[ROWS]], %arg1 transpose_rhs acc f32 : tensor<1x2x16x16xf16>, tensor<1x2x8x16xf16> -> tensor<1x2x16x8xf32>
  // GPU: %[[APART:.*]] = mp.reshape %[[PRODUCTS]] : tensor<1x2x16x8xf32> -> tensor<1x4x8x8xf32>
  // GPU: mp.constant dense<2.500000e-01> : tensor<f32>
  // GPU: %[[SCORES:.*]] = mp.select %{{.*}} : tensor<8x8xi1>, tensor<1x4x8x8xf32>
  // GPU: mp.reduce_max %[[SCORES]] dimensions [3] keep_dims
  // GPU: %[[P:.*]] = mp.exp
  // GPU: mp.reduce_sum %[[P]] dimensions [3] keep_dims
  // GPU: %[[LOW:.*]] = mp.cast %[[P]] : tensor<1x4x8x8xf32> -> tensor<1x4x8x8xf16>
  // GPU: mp.matmul %{{.*}}, %arg2 acc f32 : tensor<1x2x16x8xf16>, tensor<1x2x8x12xf16> -> tensor<1x2x16x12xf32>
  // GPU: mp.cast %{{.*}} : tensor<1x4x8x12xf32> -> tensor<1x4x8x12xf16>
  // CPU: mp.attention
  %y, %lse = mp.attention %q, %k, %v causal : tensor<1x4x8x16xf16>, tensor<1x2x8x16xf16>, tensor<1x2x8x12xf16>
  return %y, %lse : tensor<1x4x8x12xf16>, tensor<1x4x8xf32>
}

// GPU-LABEL: @gradient
// CPU-LABEL: @gradient
func.func @gradient(%q: tensor<1x4x8x16xbf16>, %lse: tensor<1x4x8xf32>, %g: tensor<1x4x8x16xbf16>)
    -> (tensor<1x4x8x16xbf16>, tensor<1x4x8x16xbf16>, tensor<1x4x8x16xbf16>) {
  // GPU: mp.matmul %arg0, %arg0 transpose_rhs acc f32
  // GPU: %[[P:.*]] = mp.exp
  // GPU: %[[LOW:.*]] = mp.cast %[[P]] : tensor<1x4x8x8xf32> -> tensor<1x4x8x8xbf16>
  // GPU: %[[GV:.*]] = mp.matmul %[[LOW]], %arg2 transpose_lhs acc f32
  // GPU: mp.matmul %arg2, %arg0 transpose_rhs acc f32
  // GPU: %[[GS:.*]] = mp.cast %{{.*}} : tensor<1x4x8x8xf32> -> tensor<1x4x8x8xbf16>
  // GPU: %[[GQ:.*]] = mp.matmul %[[GS]], %arg0 acc f32
  // GPU: %[[GK:.*]] = mp.matmul %[[GS]], %arg0 transpose_lhs acc f32
  // GPU: return %[[GQ]], %[[GK]], %[[GV]]
  // CPU: mp.attention_grad
  %gq, %gk, %gv = mp.attention_grad %q, %q, %q, %lse, %g, %lse : tensor<1x4x8x16xbf16>, tensor<1x4x8x16xbf16>, tensor<1x4x8x16xbf16>, tensor<1x4x8xf32>, tensor<1x4x8x16xbf16>
  return %gq, %gk, %gv : tensor<1x4x8x16xbf16>, tensor<1x4x8x16xbf16>, tensor<1x4x8x16xbf16>
}

// Dropout, and the mask that it draws, as anywhere.
// GPU-LABEL: @dropout
// CPU-LABEL: @dropout
func.func @dropout(%q: tensor<1x4x8x16xf32>, %rng: tensor<2xi64>) -> tensor<1x4x8x16xf32> {
  // CPU: mp.exp
  // CPU: mp.dropout_mask %arg1 {rate = 1.000000e-01 : f64, stream = 2 : i64} : tensor<5xi64>
  // CPU: mp.masked_dropout {{.*}} : tensor<1x4x8x8xf32>, tensor<5xi64>
  %y, %lse = mp.attention %q, %q, %q rng %rng {rate = 0.1 : f64, stream = 2 : i64} : tensor<1x4x8x16xf32>, tensor<1x4x8x16xf32>, tensor<1x4x8x16xf32>
  return %y : tensor<1x4x8x16xf32>
}

// CPU-LABEL: @wide
func.func @wide(%q: tensor<1x4x8x16xf64>) -> tensor<1x4x8x16xf64> {
  // CPU-NOT: mp.attention
  %y, %lse = mp.attention %q, %q, %q : tensor<1x4x8x16xf64>, tensor<1x4x8x16xf64>, tensor<1x4x8x16xf64>
  return %y : tensor<1x4x8x16xf64>
}

// No keys: nothing is walked, and nothing is what comes of it.
// CPU-LABEL: @no_keys
func.func @no_keys(%q: tensor<1x1x2x4xf32>, %k: tensor<1x1x0x4xf32>) -> (tensor<1x1x2x4xf32>, tensor<1x1x2xf32>) {
  // CPU-NOT: mp.attention
  %y, %lse = mp.attention %q, %k, %k : tensor<1x1x2x4xf32>, tensor<1x1x0x4xf32>, tensor<1x1x0x4xf32>
  return %y, %lse : tensor<1x1x2x4xf32>, tensor<1x1x2xf32>
}
