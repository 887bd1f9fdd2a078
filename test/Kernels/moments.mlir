// RUN: mp-opt %s -mp-decompose="features=avx512" | FileCheck %s
// RUN: mp-opt %s -mp-decompose="features=sm_80" | FileCheck %s
// RUN: mp-opt %s -mp-decompose="features=avx512" -mp-form-kernels -mp-split-contractions="features=avx512" -mp-schedule-kernels="features=avx512" -mp-reduce-in-tiles="features=avx512" -mp-verify-kernels=scheduled | FileCheck %s --check-prefixes=KERNELS,CPU
// RUN: mp-opt %s -mp-decompose="features=sm_80" -mp-form-kernels -mp-split-contractions="features=sm_80" -mp-schedule-kernels="features=sm_80" -mp-reduce-in-tiles="features=sm_80" -mp-verify-kernels=scheduled | FileCheck %s --check-prefixes=KERNELS,GPU

// Statistics of what a convolution makes come out of its kernel: all rows are one block until its schedule is known.
// CHECK-LABEL: @of_a_convolution
// KERNELS-LABEL: @of_a_convolution
func.func @of_a_convolution(%x: tensor<16x32x32x16xbf16>, %w: tensor<16x3x3x16xbf16>, %scale: tensor<16xf32>, %offset: tensor<16xf32>, %old: tensor<16xf32>)
    -> (tensor<16x32x32x16xbf16>, tensor<16xf32>) {
  // CHECK: %[[Z:.*]] = mp.conv
  // CHECK: %[[S:.*]], %[[F:.*]], %[[D:.*]], %[[Q:.*]] = mp.row_block_moments %[[Z]] block 16384 : tensor<16x32x32x16xbf16>
  // CHECK: %[[SUM:.*]] = mp.reduce_sum %[[S]] dimensions [0] : tensor<1x16xf32> -> tensor<16xf32>
  // CHECK: %[[MEAN:.*]] = mp.div %[[SUM]], %{{.*}} : tensor<16xf32>, tensor<f32>
  // CHECK: %[[R:.*]] = mp.recenter_squares %[[F]], %[[D]], %[[Q]], %[[MEAN]] rows 16384 block 16384 : tensor<1x16xf32>, tensor<16xf32>
  // CHECK: mp.reduce_sum %[[R]] dimensions [0] : tensor<1x16xf32> -> tensor<16xf32>
  // CHECK-NOT: mp.reduce_sum
  // CPU: mp.kernel "conv_0" {{.*}} schedule(#mp.contraction<block_m = [[M:[0-9]+]],
  // GPU: mp.kernel "conv_0" {{.*}} schedule(#mp.mma<block_m = [[M:[0-9]+]],
  // KERNELS-NEXT: %[[Z:.*]] = mp.conv
  // KERNELS-NEXT: %[[S:.*]], %[[F:.*]], %[[D:.*]], %[[Q:.*]] = mp.row_block_moments %[[Z]] block [[M]] : tensor<16x32x32x16xbf16>
  // KERNELS-NEXT: mp.yield %[[Z]], %[[S]], %[[F]], %[[D]], %[[Q]] : tensor<16x32x32x16xbf16>, tensor<[[P:[0-9]+]]x16xf32>,
  // KERNELS: mp.kernel "reduce_sum_1" {{.*}} schedule(#mp.column<
  // KERNELS-NEXT: mp.reduce_sum %{{.*}} dimensions [0] : tensor<[[P]]x16xf32> -> tensor<16xf32>
  // KERNELS: mp.kernel "reduce_sum_2" {{.*}} schedule(#mp.column<
  // KERNELS-NEXT: %[[R:.*]] = mp.recenter_squares %{{.*}} rows 16384 block [[M]] : tensor<[[P]]x16xf32>, tensor<16xf32>
  // KERNELS-NEXT: mp.reduce_sum %[[R]] dimensions [0]
  // KERNELS-NOT: mp.reduce_sum
  %z = mp.conv %x, %w acc f32 {padding = same} : tensor<16x32x32x16xbf16>, tensor<16x3x3x16xbf16> -> tensor<16x32x32x16xbf16>
  %y, %mean, %variance, %count = mp.batch_norm %z, %scale, %offset : tensor<16x32x32x16xbf16>, tensor<16xf32>
  %next = mp.update_running %old, %mean, %count {momentum = 0.1 : f64} : tensor<16xf32>
  return %y, %next : tensor<16x32x32x16xbf16>, tensor<16xf32>
}

// Groups are products beside each other, weights count images, what a relu makes is no sum of the product, and a matrix
// product may be cut along k: these are read again.
// CHECK-LABEL: @others_are_summed
// KERNELS-LABEL: @others_are_summed
// CHECK-NOT: mp.row_block_moments
func.func @others_are_summed(%x: tensor<2x5x5x4xf32>, %w: tensor<6x3x3x2xf32>, %v: tensor<6x3x3x4xf32>, %m: tensor<10x12xf32>, %k: tensor<12x6xf32>, %weights: tensor<2xf32>, %c: tensor<6xf32>)
    -> (tensor<2x3x3x6xf32>, tensor<2x3x3x6xf32>, tensor<2x3x3x6xf32>, tensor<10x6xf32>) {
  %grouped = mp.conv %x, %w acc f32 {groups = 2} : tensor<2x5x5x4xf32>, tensor<6x3x3x2xf32> -> tensor<2x3x3x6xf32>
  %0, %m0, %v0, %c0 = mp.batch_norm %grouped, %c, %c : tensor<2x3x3x6xf32>, tensor<6xf32>
  %z = mp.conv %x, %v acc f32 : tensor<2x5x5x4xf32>, tensor<6x3x3x4xf32> -> tensor<2x3x3x6xf32>
  %1, %m1, %v1, %c1 = mp.batch_norm %z, %c, %c weights %weights : tensor<2xf32> : tensor<2x3x3x6xf32>, tensor<6xf32>
  %r = mp.relu %z : tensor<2x3x3x6xf32>
  %2, %m2, %v2, %c2 = mp.batch_norm %r, %c, %c : tensor<2x3x3x6xf32>, tensor<6xf32>
  %p = mp.matmul %m, %k acc f32 : tensor<10x12xf32>, tensor<12x6xf32> -> tensor<10x6xf32>
  %3, %m3, %v3, %c3 = mp.batch_norm %p, %c, %c : tensor<10x6xf32>, tensor<6xf32>
  return %0, %1, %2, %3 : tensor<2x3x3x6xf32>, tensor<2x3x3x6xf32>, tensor<2x3x3x6xf32>, tensor<10x6xf32>
}

// A convolution over no channels is zeros, of no kernel that would know their rows; one of single channels is a map.
// CHECK-LABEL: @no_products
// CHECK-NOT: mp.row_block_moments
func.func @no_products(%x: tensor<2x5x5x0xf32>, %w: tensor<6x3x3x0xf32>, %y: tensor<2x5x5x2xf32>, %v: tensor<2x3x3x1xf32>, %c: tensor<6xf32>, %two: tensor<2xf32>)
    -> (tensor<2x3x3x6xf32>, tensor<2x3x3x2xf32>) {
  %z = mp.conv %x, %w acc f32 : tensor<2x5x5x0xf32>, tensor<6x3x3x0xf32> -> tensor<2x3x3x6xf32>
  %0, %m0, %v0, %c0 = mp.batch_norm %z, %c, %c : tensor<2x3x3x6xf32>, tensor<6xf32>
  %d = mp.conv %y, %v acc f32 {groups = 2} : tensor<2x5x5x2xf32>, tensor<2x3x3x1xf32> -> tensor<2x3x3x2xf32>
  %1, %m1, %v1, %c1 = mp.batch_norm %d, %two, %two : tensor<2x3x3x2xf32>, tensor<2xf32>
  return %0, %1 : tensor<2x3x3x6xf32>, tensor<2x3x3x2xf32>
}
