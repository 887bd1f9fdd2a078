// RUN: mp-opt %s -pass-pipeline='builtin.module(func.func(mp-pad-channels{features=sm_75},cse))' -split-input-file | FileCheck %s
// RUN: mp-opt %s -pass-pipeline='builtin.module(func.func(mp-pad-channels{features=sm_80},cse,mp-form-kernels))' -split-input-file | FileCheck %s --check-prefix=FORMED
// RUN: mp-opt %s -pass-pipeline='builtin.module(func.func(mp-pad-channels{features=avx512}))' -split-input-file | FileCheck %s --check-prefix=CPU
// RUN: mp-opt %s -pass-pipeline='builtin.module(func.func(mp-pad-channels{features=sm_80}))' -split-input-file -remarks-filter=mp-pad-channels -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-COUNT-2: remark: [Passed] TapsAsChannels | {{.*}}3 values that a window reads of a line became 4 channels of a copy
// REMARK: 10 values that a window reads of a line became 12 channels of a copy
// REMARK-NOT: remark

// CPU-NOT: mp.gather

// What windows read of a line becomes the channels of one pixel, by one kernel, which converts it. Strides and padding of
// lines are the copy's: what is not there is 0. The gradient of the filter reads the same copy.
// CHECK-LABEL: @one(
// CHECK-DAG: %[[X:.*]] = mp.reshape %arg0 : tensor<2x49xui8> -> tensor<2x7x7xui8>
// CHECK-DAG: %[[N:.*]] = mp.constant dense<{{\[}}[-1, 0, 1, -1], [1, 2, 3, 1], [3, 4, 5, 3], [5, 6, -1, 5]]> : tensor<4x4xi32>
// CHECK-DAG: %[[G:.*]] = mp.gather %[[X]], %[[N]] dimension 2 : tensor<2x7x7xui8>, tensor<4x4xi32> -> tensor<2x7x4x4xui8>
// CHECK: %[[C:.*]] = mp.cast %[[G]] : tensor<2x7x4x4xui8> -> tensor<2x7x4x4xf32>
// CHECK: %[[M:.*]] = mp.mul %[[C]], %{{.*}} : tensor<2x7x4x4xf32>, tensor<f32> -> tensor<2x7x4x4xf32>
// CHECK: %[[H:.*]] = mp.cast %[[M]] {autocast} : tensor<2x7x4x4xf32> -> tensor<2x7x4x4xf16>
// CHECK: %[[V:.*]] = mp.reshape %arg1 : tensor<16x3x3x1xf16> -> tensor<16x3x1x3xf16>
// CHECK: %[[W:.*]] = mp.pad %[[V]] low [0, 0, 0, 0] high [0, 0, 0, 1] : tensor<16x3x1x3xf16> -> tensor<16x3x1x4xf16>
// CHECK: mp.conv %[[H]], %[[W]] acc f32 {strides = [2, 1], padding = [1, 1, 0, 0], dilations = [1, 1], {{.*}} : tensor<2x7x4x4xf16>, tensor<16x3x1x4xf16> -> tensor<2x4x4x16xf16>
// CHECK-NOT: mp.gather
// CHECK: %[[B:.*]] = mp.conv_filter_grad %[[H]], %arg2 acc f32 {strides = [2, 1], padding = [1, 1, 0, 0], {{.*}} -> tensor<16x3x1x4xf16>
// CHECK: %[[S:.*]] = mp.slice %[[B]] [:, :, :, :3] : tensor<16x3x1x4xf16> -> tensor<16x3x1x3xf16>
// CHECK: mp.reshape %[[S]] : tensor<16x3x1x3xf16> -> tensor<16x3x3x1xf16>
// FORMED-LABEL: @one(
// FORMED: %[[C:.*]]:2 = mp.kernel "pad_0"
// FORMED: mp.yield {{.*}} : tensor<2x7x4x4xf16>, tensor<16x3x1x4xf16>
// FORMED: mp.kernel "conv_1" ({{.*}} = %[[C]]#0, {{.*}} = %[[C]]#1)
// FORMED-NOT: mp.cast
// FORMED: mp.kernel "conv_filter_grad_2" ({{.*}} = %[[C]]#0, {{.*}})
func.func @one(%x: tensor<2x49xui8>, %w: tensor<16x3x3x1xf16>, %g: tensor<2x4x4x16xf16>) -> (tensor<2x4x4x16xf16>, tensor<16x3x3x1xf16>) {
  %f = mp.cast %x : tensor<2x49xui8> -> tensor<2x49xf32>
  %c = mp.constant dense<0.00392156886> : tensor<f32>
  %s = mp.mul %f, %c : tensor<2x49xf32>, tensor<f32> -> tensor<2x49xf32>
  %v = mp.reshape %s : tensor<2x49xf32> -> tensor<2x7x7x1xf32>
  %h = mp.cast %v {autocast} : tensor<2x7x7x1xf32> -> tensor<2x7x7x1xf16>
  %y = mp.conv %h, %w acc f32 {strides = [2, 2], padding = [1, 1, 1, 1]} : tensor<2x7x7x1xf16>, tensor<16x3x3x1xf16> -> tensor<2x4x4x16xf16>
  %b = mp.conv_filter_grad %h, %g acc f32 {strides = [2, 2], padding = [1, 1, 1, 1]} : tensor<2x7x7x1xf16>, tensor<2x4x4x16xf16> -> tensor<16x3x3x1xf16>
  return %y, %b : tensor<2x4x4x16xf16>, tensor<16x3x3x1xf16>
}

// -----

// Both channels of each tap, of an image less its mean: a line without padding asks for no zeros. The filter is a cast
// of what lies in memory.
// CHECK-LABEL: @two(
// CHECK: mp.constant dense<{{\[}}[0, 1, 4, 5, 8, 9, 12, 13, 16, 17, 0, 0], [2, 3, 6, 7, 10, 11, 14, 15, 18, 19, 2, 2]]> : tensor<2x12xi32>
// CHECK: mp.sub %{{.*}}, %{{.*}} : tensor<2x8x2x12xf32>
// CHECK: %[[V:.*]] = mp.reshape %arg1 : tensor<8x2x5x2xf32> -> tensor<8x2x1x10xf32>
// CHECK: %[[P:.*]] = mp.pad %[[V]] low [0, 0, 0, 0] high [0, 0, 0, 2] : tensor<8x2x1x10xf32> -> tensor<8x2x1x12xf32>
// CHECK: %[[W:.*]] = mp.cast %[[P]] {autocast} : tensor<8x2x1x12xf32> -> tensor<8x2x1x12xf16>
// CHECK: mp.conv %{{.*}}, %[[W]] acc f32 {strides = [1, 1], padding = [1, 0, 0, 0], dilations = [1, 1]
func.func @two(%x: tensor<2x8x10x2xui8>, %w: tensor<8x2x5x2xf32>) -> tensor<2x8x2x8xf16> {
  %f = mp.cast %x : tensor<2x8x10x2xui8> -> tensor<2x8x10x2xf32>
  %c = mp.constant dense<128.0> : tensor<f32>
  %s = mp.sub %f, %c : tensor<2x8x10x2xf32>, tensor<f32> -> tensor<2x8x10x2xf32>
  %h = mp.cast %s {autocast} : tensor<2x8x10x2xf32> -> tensor<2x8x10x2xf16>
  %v = mp.cast %w {autocast} : tensor<8x2x5x2xf32> -> tensor<8x2x5x2xf16>
  %y = mp.conv %h, %v acc f32 {padding = [1, 0, 0, 0], dilations = [1, 2]} : tensor<2x8x10x2xf16>, tensor<8x2x5x2xf16> -> tensor<2x8x2x8xf16>
  return %y : tensor<2x8x2x8xf16>
}

// -----

// Not so where padding would have to be made of what is not zero, of floats, of windows that share no pixel, of one tap
// in a line, and of sums in f32.
// CHECK-LABEL: @others(
// CHECK-NOT: mp.gather
func.func @others(%x: tensor<2x8x8x1xui8>, %w: tensor<16x3x3x1xf16>, %z: tensor<2x8x8x1xf16>, %u: tensor<16x2x2x1xf16>,
                  %t: tensor<16x3x1x1xf16>, %v: tensor<16x3x3x1xf32>)
    -> (tensor<2x8x8x16xf16>, tensor<2x6x6x16xf16>, tensor<2x4x4x16xf16>, tensor<2x6x8x16xf16>, tensor<2x6x6x16xf32>) {
  %f = mp.cast %x : tensor<2x8x8x1xui8> -> tensor<2x8x8x1xf32>
  %c = mp.constant dense<128.0> : tensor<f32>
  %s = mp.sub %f, %c : tensor<2x8x8x1xf32>, tensor<f32> -> tensor<2x8x8x1xf32>
  %h = mp.cast %s {autocast} : tensor<2x8x8x1xf32> -> tensor<2x8x8x1xf16>
  %b = mp.cast %x : tensor<2x8x8x1xui8> -> tensor<2x8x8x1xf16>
  %0 = mp.conv %h, %w acc f32 {padding = same} : tensor<2x8x8x1xf16>, tensor<16x3x3x1xf16> -> tensor<2x8x8x16xf16>
  %1 = mp.conv %z, %w acc f32 : tensor<2x8x8x1xf16>, tensor<16x3x3x1xf16> -> tensor<2x6x6x16xf16>
  %2 = mp.conv %b, %u acc f32 {strides = [2, 2]} : tensor<2x8x8x1xf16>, tensor<16x2x2x1xf16> -> tensor<2x4x4x16xf16>
  %3 = mp.conv %b, %t acc f32 : tensor<2x8x8x1xf16>, tensor<16x3x1x1xf16> -> tensor<2x6x8x16xf16>
  %4 = mp.conv %s, %v acc f32 : tensor<2x8x8x1xf32>, tensor<16x3x3x1xf32> -> tensor<2x6x6x16xf32>
  return %0, %1, %2, %3, %4 : tensor<2x8x8x16xf16>, tensor<2x6x6x16xf16>, tensor<2x4x4x16xf16>, tensor<2x6x8x16xf16>, tensor<2x6x6x16xf32>
}
