// RUN: mp-opt %s -mp-form-kernels -mp-split-contractions="features=avx512" -mp-schedule-kernels="features=avx512" | FileCheck %s
// RUN: mp-opt %s -mp-form-kernels -mp-split-contractions="features=sse2" -mp-schedule-kernels="features=sse2" | FileCheck %s

// One row: rhs is read whole rows at a time, in parts of k; what followed the product follows their sum.
// CHECK-LABEL: func.func @row
// CHECK: mp.kernel "matmul_0.parts" {{.*}}block_n = 4096, block_k = 8, {{.*}}stream_rhs = true
// CHECK-NEXT: mp.matmul_parts {{.*}} depth 512 acc f32 : {{.*}} -> tensor<8x1x4096xf32>
// CHECK: mp.kernel "matmul_0" {{.*}}#mp.column
// CHECK-NEXT: mp.reduce_sum {{.*}} dimensions [0] : tensor<8x1x4096xf32> -> tensor<1x4096xf32>
// CHECK-NEXT: mp.add
// CHECK-NEXT: mp.relu
func.func @row(%x: tensor<1x4096xf32>, %w: tensor<4096x4096xf32>, %b: tensor<4096xf32>) -> tensor<1x4096xf32> {
  %0 = mp.matmul %x, %w bias %b : tensor<4096xf32> acc f32 : tensor<1x4096xf32>, tensor<4096x4096xf32> -> tensor<1x4096xf32>
  %1 = mp.relu %0 : tensor<1x4096xf32>
  return %1 : tensor<1x4096xf32>
}

// The last part is shorter; parts are multiples of 32 of k.
// CHECK-LABEL: func.func @uneven
// CHECK: mp.matmul_parts {{.*}} depth 512 acc f32 : {{.*}} -> tensor<8x3x4096xf32>
func.func @uneven(%x: tensor<3x4000xbf16>, %w: tensor<4000x4096xbf16>) -> tensor<3x4096xf32> {
  %0 = mp.matmul %x, %w acc f32 : tensor<3x4000xbf16>, tensor<4000x4096xbf16> -> tensor<3x4096xf32>
  return %0 : tensor<3x4096xf32>
}

// Whole stay: sums that are rounded to f16, many rows, what is small, and rhs whose rows are of k.
// CHECK-LABEL: func.func @whole
// CHECK-NOT: mp.matmul_parts
func.func @whole(%x: tensor<1x4096xf16>, %w: tensor<4096x4096xf16>, %m: tensor<512x4096xf16>, %s: tensor<1x64xf16>,
                 %v: tensor<64x64xf16>)
    -> (tensor<1x4096xf16>, tensor<512x4096xf16>, tensor<1x64xf16>, tensor<1x4096xf16>) {
  %0 = mp.matmul %x, %w acc f16 : tensor<1x4096xf16>, tensor<4096x4096xf16> -> tensor<1x4096xf16>
  %1 = mp.matmul %m, %w acc f32 : tensor<512x4096xf16>, tensor<4096x4096xf16> -> tensor<512x4096xf16>
  %2 = mp.matmul %s, %v acc f32 : tensor<1x64xf16>, tensor<64x64xf16> -> tensor<1x64xf16>
  %3 = mp.matmul %x, %w transpose_rhs acc f32 : tensor<1x4096xf16>, tensor<4096x4096xf16> -> tensor<1x4096xf16>
  return %0, %1, %2, %3 : tensor<1x4096xf16>, tensor<512x4096xf16>, tensor<1x64xf16>, tensor<1x4096xf16>
}

// The gradient of a filter is small beside its images: parts are of images, so that the threads have blocks of the whole width,
// which read no image again.
// CHECK-LABEL: func.func @filter
// CHECK: mp.kernel "conv_filter_grad_0.parts"
// CHECK-NEXT: mp.conv_filter_grad_parts {{.*}} depth 14400 acc f32 {{.*}} -> tensor<8x32x3x3x32xf32>
// CHECK: mp.kernel "conv_filter_grad_0" {{.*}}#mp.column
// CHECK-NEXT: mp.reduce_sum {{.*}} dimensions [0] : tensor<8x32x3x3x32xf32> -> tensor<32x3x3x32xf32>
func.func @filter(%x: tensor<128x32x32x32xf32>, %g: tensor<128x30x30x32xf32>) -> tensor<32x3x3x32xf32> {
  %0 = mp.conv_filter_grad %x, %g acc f32 : tensor<128x32x32x32xf32>, tensor<128x30x30x32xf32> -> tensor<32x3x3x32xf32>
  return %0 : tensor<32x3x3x32xf32>
}
