// RUN: mp-opt %s | FileCheck %s
// RUN: mp-opt %s -mp-specialize=batch=4 -mp-autocast -mp-autodiff | FileCheck %s --check-prefix=STEP
// RUN: mp-opt %s -mp-specialize=batch=4 -mp-autocast -mp-autodiff -mp-decompose -mp-form-kernels | FileCheck %s --check-prefix=KERNELS

// Strides are those of the window where they are left out.
// CHECK-LABEL: @forms
func.func @forms(%x: tensor<2x8x9x4xf16>, %g: tensor<2x4x3x4xf16>)
    -> (tensor<2x4x3x4xf16>, tensor<2x4x5x4xf16>, tensor<2x4x3x4xf16>, tensor<2x8x9x4xf16>, tensor<2x8x9x4xf16>) {
  // CHECK: mp.max_pool %{{.*}} {window = [2, 3], strides = [2, 3], padding = [0, 0, 0, 0], dilations = [1, 1]} : tensor<2x8x9x4xf16> -> tensor<2x4x3x4xf16>
  %0 = mp.max_pool %x {window = [2, 3]} : tensor<2x8x9x4xf16> -> tensor<2x4x3x4xf16>
  // The odd pixel of padding is high.
  // CHECK: mp.max_pool %{{.*}} {window = [3, 3], strides = [2, 2], padding = [0, 1, 1, 1], dilations = [1, 1]}
  %1 = mp.max_pool %x {padding = same, strides = [2, 2], window = [3, 3]} : tensor<2x8x9x4xf16> -> tensor<2x4x5x4xf16>
  // CHECK: mp.avg_pool %{{.*}} {window = [2, 3], strides = [2, 3], padding = [0, 0, 0, 0], count_padding = false}
  %2 = mp.avg_pool %x {window = [2, 3]} : tensor<2x8x9x4xf16> -> tensor<2x4x3x4xf16>
  // CHECK: mp.max_pool_grad %{{.*}}, %{{.*}} {window = [2, 3], strides = [2, 3], padding = [0, 0, 0, 0], dilations = [1, 1]} : tensor<2x8x9x4xf16>, tensor<2x4x3x4xf16> -> tensor<2x8x9x4xf16>
  %3 = mp.max_pool_grad %x, %g {window = [2, 3]} : tensor<2x8x9x4xf16>, tensor<2x4x3x4xf16> -> tensor<2x8x9x4xf16>
  // CHECK: mp.avg_pool_grad %{{.*}} {window = [2, 3], strides = [2, 3], padding = [0, 0, 0, 0], count_padding = true, my.note} : tensor<2x4x3x4xf16> -> tensor<2x8x9x4xf16>
  %4 = mp.avg_pool_grad %g {window = [2, 3], count_padding = true, my.note} : tensor<2x4x3x4xf16> -> tensor<2x8x9x4xf16>
  return %0, %1, %2, %3, %4 : tensor<2x4x3x4xf16>, tensor<2x4x5x4xf16>, tensor<2x4x3x4xf16>, tensor<2x8x9x4xf16>, tensor<2x8x9x4xf16>
}

// CHECK-LABEL: @one_and_three_dimensions
func.func @one_and_three_dimensions(%x: tensor<3x9x4xbf16>, %y: tensor<2x5x6x7x4xf64>) -> (tensor<3x4x4xbf16>, tensor<2x5x6x7x4xf64>) {
  // CHECK: {window = [3], strides = [2], padding = [0, 0], dilations = [1]} : tensor<3x9x4xbf16> -> tensor<3x4x4xbf16>
  %0 = mp.max_pool %x {window = [3], strides = [2]} : tensor<3x9x4xbf16> -> tensor<3x4x4xbf16>
  // CHECK: padding = [1, 1, 0, 1, 1, 1], count_padding = true
  %1 = mp.avg_pool %y {window = [3, 2, 3], strides = [1, 1, 1], padding = same, count_padding = true} : tensor<2x5x6x7x4xf64> -> tensor<2x5x6x7x4xf64>
  return %0, %1 : tensor<3x4x4xbf16>, tensor<2x5x6x7x4xf64>
}

// No rows and no channels; spatial sizes are 1 or more.
// CHECK-LABEL: @sizes_of_0
func.func @sizes_of_0(%x: tensor<0x4x4x0xf32>) -> tensor<0x2x2x0xf32> {
  // CHECK: tensor<0x4x4x0xf32> -> tensor<0x2x2x0xf32>
  %0 = mp.max_pool %x {window = [2, 2]} : tensor<0x4x4x0xf32> -> tensor<0x2x2x0xf32>
  return %0 : tensor<0x2x2x0xf32>
}

// Between f16 convolutions a pooling stays in f16. Its gradient reads the image that it pooled, and in a kernel which
// pixels won.
// STEP-LABEL: func.func @train_step(
// KERNELS-LABEL: func.func @train_step(
func.func @step(%x: tensor<?x9x9x1xf32> {mp.input = "x"}, %labels: tensor<?xui8> {mp.input = "y"},
                %w: tensor<8x2x2x1xf32> {mp.parameter = "w", mp.initializer = #mp.zeros}, %v: tensor<3x2x2x8xf32> {mp.parameter = "v", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  // STEP: %[[IMAGE:.*]] = mp.conv
  %z = mp.conv %x, %w acc f32 : tensor<?x9x9x1xf32>, tensor<8x2x2x1xf32> -> tensor<?x8x8x8xf32>
  // STEP: mp.max_pool %[[IMAGE]] {{.*}} : tensor<4x8x8x8xf16> -> tensor<4x4x4x8xf16>
  %p = mp.max_pool %z {window = [2, 2]} : tensor<?x8x8x8xf32> -> tensor<?x4x4x8xf32>
  // STEP: mp.avg_pool %{{.*}} : tensor<4x4x4x8xf16> -> tensor<4x2x2x8xf16>
  %a = mp.avg_pool %p {window = [2, 2]} : tensor<?x4x4x8xf32> -> tensor<?x2x2x8xf32>
  %c = mp.conv %a, %v acc f32 : tensor<?x2x2x8xf32>, tensor<3x2x2x8xf32> -> tensor<?x1x1x3xf32>
  // STEP: mp.avg_pool_grad %{{.*}} : tensor<4x2x2x8xf16> -> tensor<4x4x4x8xf16>
  // STEP: mp.max_pool_grad %[[IMAGE]], %{{.*}} : tensor<4x8x8x8xf16>, tensor<4x4x4x8xf16> -> tensor<4x8x8x8xf16>
  // What is read whole lies in memory: each pooling begins a kernel.
  // KERNELS: mp.kernel "conv_
  // KERNELS-NOT: mp.max_pool
  // KERNELS: mp.kernel "max_pool_with_indices_
  // KERNELS-NOT: mp.avg_pool
  // KERNELS: mp.kernel "avg_pool_
  // KERNELS: mp.kernel "avg_pool_grad_
  // KERNELS-NOT: mp.max_unpool
  // KERNELS: mp.kernel "max_unpool_
  %o = mp.reshape %c : tensor<?x1x1x3xf32> -> tensor<?x3xf32>
  %l = mp.softmax_cross_entropy %o, %labels : tensor<?x3xf32>, tensor<?xui8> -> tensor<f32>
  return %l : tensor<f32>
}
