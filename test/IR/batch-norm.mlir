// RUN: mp-opt %s | FileCheck %s
// RUN: mp-opt %s -mp-specialize=batch=4 -mp-autocast -mp-inference -mp-autodiff | FileCheck %s --check-prefix=STEP
// RUN: mp-opt %s -mp-specialize=batch=4 -mp-autocast -mp-autodiff -mp-decompose="features=sm_80" -cse -mp-form-kernels | FileCheck %s --check-prefix=KERNELS
// RUN: mp-opt %s -mp-specialize='batch=4 pad' | FileCheck %s --check-prefix=PADDED
// RUN: mp-opt %s -mp-specialize=batch=4 -mp-autocast -mp-inference -mp-autodiff -mp-loss-scaling -mp-optimizer=accumulate=2 | FileCheck %s --check-prefix=ACCUMULATE

// CHECK-LABEL: @forms
func.func @forms(%x: tensor<2x4x8xbf16>, %c: tensor<8xf32>, %w: tensor<2xf32>, %n: tensor<f32>, %g: tensor<2x4x8xbf16>) {
  // CHECK: %{{.*}}, %[[MEAN:.*]], %{{.*}}, %{{.*}} = mp.batch_norm %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x4x8xbf16>, tensor<8xf32>
  %y, %mean, %variance, %count = mp.batch_norm %x, %c, %c : tensor<2x4x8xbf16>, tensor<8xf32>
  // CHECK: mp.batch_norm %{{.*}}, %{{.*}}, %{{.*}} weights %{{.*}} : tensor<2xf32> {epsilon = 1.000000e-03 : f64} : tensor<2x4x8xbf16>, tensor<8xf32>
  %v:4 = mp.batch_norm %x, %c, %c weights %w : tensor<2xf32> {epsilon = 1.0e-3 : f64} : tensor<2x4x8xbf16>, tensor<8xf32>
  // CHECK: mp.batch_norm_grad %{{.*}}, %{{.*}}, %[[MEAN]], %{{.*}}, %{{.*}} weights %{{.*}} : tensor<2xf32> : tensor<2x4x8xbf16>, tensor<8xf32>
  %gx, %gc, %go = mp.batch_norm_grad %x, %c, %mean, %variance, %g weights %w : tensor<2xf32> : tensor<2x4x8xbf16>, tensor<8xf32>
  // CHECK: mp.batch_norm_inference %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x4x8xbf16>, tensor<8xf32>
  %i = mp.batch_norm_inference %x, %c, %c, %c, %c : tensor<2x4x8xbf16>, tensor<8xf32>
  // CHECK: mp.update_running %{{.*}}, %[[MEAN]], %{{.*}} {momentum = 2.000000e-01 : f64} : tensor<8xf32>
  %m1 = mp.update_running %c, %mean, %count {momentum = 0.2 : f64} : tensor<8xf32>
  // CHECK: mp.update_running %{{.*}}, %{{.*}}, %{{.*}} {unbiased} : tensor<8xf32>
  %v1 = mp.update_running %c, %variance, %n {unbiased} : tensor<8xf32>
  return
}

// f16 between f16 convolutions: data only, parameters and statistics stay f32. eval and infer read what was kept.
// STEP-LABEL: func.func @train_step(
// STEP: %{{.*}}, %[[MEAN:.*]], %[[VARIANCE:.*]], %[[COUNT:.*]] = mp.batch_norm %{{.*}}, %{{.*}}, %{{.*}} : tensor<4x6x8xf16>, tensor<8xf32>
// STEP: mp.update_running %{{.*}}, %[[MEAN]], %[[COUNT]]
// STEP: mp.update_running %{{.*}}, %[[VARIANCE]], %[[COUNT]] {unbiased}
// STEP: mp.batch_norm_grad %{{.*}}, %{{.*}}, %[[MEAN]], %[[VARIANCE]], %{{.*}} : tensor<4x6x8xf16>, tensor<8xf32>
// STEP-LABEL: func.func @eval(
// STEP-NOT: mp.batch_norm %
// STEP-NOT: mp.update_running
// STEP: mp.batch_norm_inference %{{.*}} : tensor<4x6x8xf16>, tensor<8xf32>
// STEP-LABEL: func.func @infer(
// STEP-NOT: mp.batch_norm %
// STEP: mp.batch_norm_inference %{{.*}} : tensor<4x6x8xf16>, tensor<8xf32>

// Nothing but f16 is stored of images: where no product makes its sums, a sum over them makes its terms itself.
// KERNELS-LABEL: func.func @train_step(
// KERNELS: mp.row_block_moments %{{.*}} block 24 : tensor<4x6x8xf16>
// KERNELS: mp.kernel "reduce_sum_{{.*}}) -> tensor<8xf32>
// KERNELS: mp.reduce_sum %{{.*}} dimensions [0]
// KERNELS: mp.kernel "reduce_sum_{{.*}}) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
// KERNELS: mp.recenter_squares %{{.*}} rows 24 block 24 : tensor<1x8xf32>, tensor<8xf32>
// KERNELS: mp.reduce_sum %{{.*}} dimensions [0]
// KERNELS: mp.kernel "relu_{{.*}}) -> tensor<4x6x8xf16>
// KERNELS: mp.kernel "conv_transpose_{{.*}}) -> tensor<4x6x8xf16>
// KERNELS: mp.relu_grad
// KERNELS: mp.kernel "reduce_sum_{{.*}}(tensor<4x6x8xf16>, tensor<4x6x8xf16>,{{.*}}) -> (tensor<8xf32>, tensor<8xf32>)
// KERNELS: mp.kernel {{.*}} -> tensor<4x6x8xf16>

// Rows that fill up a batch weigh nothing.
// PADDED: mp.batch_norm %{{.*}} weights %{{.*}} : tensor<4xf32>

// What micro-batches keep waits, each after the one before, until the step is known to be good.
// ACCUMULATE-LABEL: func.func @accumulate(
// ACCUMULATE-SAME: %[[WAITS:[^:]*]]: tensor<8xf32> {mp.initializer = #mp.zeros, mp.state = "bn.mean/pending", mp.training = "bn.mean"}
// ACCUMULATE: mp.update_running %[[WAITS]],
// ACCUMULATE-LABEL: func.func @apply(
func.func @step(%x: tensor<?x6x3xf32> {mp.input = "x"}, %labels: tensor<?xui8> {mp.input = "y"},
                %k: tensor<8x3x3xf32> {mp.parameter = "k", mp.initializer = #mp.he_normal<seed = 1>},
                %w: tensor<5x3x8xf32> {mp.parameter = "w", mp.initializer = #mp.he_normal<seed = 2>},
                %scale: tensor<8xf32> {mp.parameter = "bn.scale", mp.initializer = #mp.ones}, %offset: tensor<8xf32> {mp.parameter = "bn.offset", mp.initializer = #mp.zeros},
                %rm: tensor<8xf32> {mp.state = "bn.mean", mp.initializer = #mp.zeros}, %rv: tensor<8xf32> {mp.state = "bn.variance", mp.initializer = #mp.ones})
    -> (tensor<f32> {mp.loss}, tensor<?x5xf32> {mp.output = "logits"}, tensor<8xf32> {mp.next = "bn.mean"}, tensor<8xf32> {mp.next = "bn.variance"})
    attributes {mp.program = "model"} {
  %z = mp.conv %x, %k acc f32 {padding = same} : tensor<?x6x3xf32>, tensor<8x3x3xf32> -> tensor<?x6x8xf32>
  %n, %m, %v, %c = mp.batch_norm %z, %scale, %offset : tensor<?x6x8xf32>, tensor<8xf32>
  %rm1 = mp.update_running %rm, %m, %c : tensor<8xf32>
  %rv1 = mp.update_running %rv, %v, %c {unbiased} : tensor<8xf32>
  %h = mp.relu %n : tensor<?x6x8xf32>
  %o = mp.conv %h, %w acc f32 {padding = same} : tensor<?x6x8xf32>, tensor<5x3x8xf32> -> tensor<?x6x5xf32>
  %logits = mp.reduce_mean %o dimensions [1] : tensor<?x6x5xf32> -> tensor<?x5xf32>
  %l = mp.softmax_cross_entropy %logits, %labels : tensor<?x5xf32>, tensor<?xui8> -> tensor<f32>
  return %l, %logits, %rm1, %rv1 : tensor<f32>, tensor<?x5xf32>, tensor<8xf32>, tensor<8xf32>
}
