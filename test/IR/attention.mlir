// RUN: mp-opt %s -canonicalize | FileCheck %s
// RUN: mp-opt %s -mp-specialize=batch=2 -mp-autocast -mp-autodiff | FileCheck %s --check-prefix=STEP
// RUN: mp-opt %s -mp-specialize=batch=2 -mp-inference | FileCheck %s --check-prefix=EVAL
// RUN: mp-opt %s -mp-specialize=batch=2 -mp-autocast -mp-autodiff -mp-decompose -cse -mp-form-kernels -mp-schedule-kernels=features=avx512 | FileCheck %s --check-prefix=KERNELS

// CHECK-LABEL: @forms
func.func @forms(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x2x8x16xbf16>, %v: tensor<2x2x8x12xbf16>, %m: tensor<8x8xi1>, %rng: tensor<2xi64>)
    -> (tensor<2x4x8x12xbf16>, tensor<2x4x8xf32>) {
  // CHECK: mp.attention %{{.*}}, %{{.*}}, %{{.*}} causal : tensor<2x4x8x16xbf16>, tensor<2x2x8x16xbf16>, tensor<2x2x8x12xbf16>
  %y, %lse = mp.attention %q, %k, %v causal {rate = 0.0 : f64} : tensor<2x4x8x16xbf16>, tensor<2x2x8x16xbf16>, tensor<2x2x8x12xbf16>
  // CHECK: mp.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} : tensor<8x8xi1> rng %{{.*}} {rate = 1.000000e-01 : f64, scale = 5.000000e-01 : f64, stream = 1 : i64} : tensor<2x4x8x16xbf16>
  %z, %zlse = mp.attention %q, %k, %v mask %m : tensor<8x8xi1> rng %rng {rate = 0.1 : f64, scale = 0.5 : f64, stream = 1 : i64} : tensor<2x4x8x16xbf16>, tensor<2x2x8x16xbf16>, tensor<2x2x8x12xbf16>
  return %y, %zlse : tensor<2x4x8x12xbf16>, tensor<2x4x8xf32>
}

// Data is f16, as products have it; scores are not, nor is what is added to them. Trained as it stands and used without dropout.
// STEP-LABEL: func.func @train_step(
// EVAL-LABEL: func.func @eval(
// KERNELS-LABEL: func.func @train_step(
func.func @step(%x: tensor<?x4x8x16xf32> {mp.input = "x"}, %far: tensor<?x1x1x8xf32> {mp.input = "far"}, %labels: tensor<?xui8> {mp.input = "y"},
                %w: tensor<16x16xf32> {mp.parameter = "w", mp.initializer = #mp.zeros}, %rng: tensor<2xi64> {mp.state = "rng"})
    -> (tensor<f32> {mp.loss}, tensor<2xi64> {mp.next = "rng"}) attributes {mp.program = "model"} {
  %q = mp.matmul %x, %w acc f32 : tensor<?x4x8x16xf32>, tensor<16x16xf32> -> tensor<?x4x8x16xf32>
  // STEP: %[[Q:.*]] = mp.matmul %{{.*}} -> tensor<2x4x8x16xf16>
  // STEP: %[[Y:.*]], %[[LSE:.*]] = mp.attention %[[Q]], %[[Q]], %[[Q]] causal : tensor<2x4x8x16xf16>
  // STEP: mp.attention %{{.*}}, %[[Q]], %[[Q]] mask %{{.*}} : tensor<2x1x1x8xf32> rng %{{.*}} {rate = 2.500000e-01 : f64, stream = 1 : i64} : tensor<2x4x8x16xf16>
  // STEP: %[[PRODUCT:.*]] = mp.mul {{.*}} : tensor<2x4x8x16xf32>
  // STEP: mp.reduce_sum %[[PRODUCT]] dimensions [3]
  // STEP: mp.attention_grad {{.*}} mask {{.*}} rng {{.*}} {rate = 2.500000e-01 : f64, stream = 1 : i64}
  // STEP: %[[DELTA:.*]] = mp.reduce_sum %{{.*}} dimensions [3] : tensor<2x4x8x16xf32> -> tensor<2x4x8xf32>
  // STEP: mp.attention_grad %[[Q]], %[[Q]], %[[Q]], %[[LSE]], %{{.*}}, %[[DELTA]] causal
  // EVAL: mp.attention {{.*}} causal
  // EVAL: mp.attention %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}} mask %{{.*}} : tensor<2x1x1x8xf32> : tensor<2x4x8x16xf32>
  // What draws no random numbers has a kernel of its own, the rest is products and rows.
  // KERNELS: mp.kernel "attention_{{.*}} schedule(#mp.attention<queries = 8, keys = 16, tile = 8, tile_vectors = 2, vector = 16>)
  // KERNELS: mp.attention %
  // KERNELS-NOT: mp.attention %
  // KERNELS: mp.kernel "attention_grad_{{.*}} schedule(#mp.attention<
  // KERNELS: mp.attention_grad %
  // KERNELS-NOT: mp.attention
  %y, %lse = mp.attention %q, %q, %q causal : tensor<?x4x8x16xf32>, tensor<?x4x8x16xf32>, tensor<?x4x8x16xf32>
  %z, %zlse = mp.attention %y, %q, %q mask %far : tensor<?x1x1x8xf32> rng %rng {rate = 0.25 : f64, stream = 1 : i64} : tensor<?x4x8x16xf32>, tensor<?x4x8x16xf32>, tensor<?x4x8x16xf32>
  %rows = mp.reshape %z : tensor<?x4x8x16xf32> -> tensor<?x512xf32>
  %l = mp.softmax_cross_entropy %rows, %labels : tensor<?x512xf32>, tensor<?xui8> -> tensor<f32>
  %next = mp.advance %rng : tensor<2xi64>
  return %l, %next : tensor<f32>, tensor<2xi64>
}
