// By cost a convolution of few channels gains nothing from a low type: elements are gathered one by one.

// RUN: mp-opt %s -mp-autocast="policy=auto features=avx512bf16" | FileCheck %s
// RUN: mp-opt %s -mp-autocast="policy=auto features=avx512bf16 training=false" | FileCheck %s
// RUN: mp-opt %s -mp-autocast="policy=mixed_bfloat16 rule=cost features=avx512bf16" | FileCheck %s
// By the lists alone it is low.
// RUN: mp-opt %s -mp-autocast="policy=mixed_bfloat16" | FileCheck %s --check-prefix=LISTS

// CHECK-LABEL: @clip_of_1
// CHECK: mp.conv {{.*}} -> tensor<16x6x6x6x8xf32>
// LISTS-LABEL: @clip_of_1
// LISTS: mp.conv {{.*}} -> tensor<16x6x6x6x8xbf16>
func.func @clip_of_1(%x: tensor<16x8x8x8x1xf32>, %w: tensor<8x3x3x3x1xf32> {mp.parameter = "w", mp.initializer = #mp.zeros}) -> tensor<16x6x6x6x8xf32> {
  %0 = mp.conv %x, %w acc f32 : tensor<16x8x8x8x1xf32>, tensor<8x3x3x3x1xf32> -> tensor<16x6x6x6x8xf32>
  return %0 : tensor<16x6x6x6x8xf32>
}

// CHECK-LABEL: @clip_of_16
// CHECK: mp.conv {{.*}} -> tensor<16x6x6x6x32xbf16>
// LISTS-LABEL: @clip_of_16
// LISTS: mp.conv {{.*}} -> tensor<16x6x6x6x32xbf16>
func.func @clip_of_16(%x: tensor<16x8x8x8x16xf32>, %w: tensor<32x3x3x3x16xf32> {mp.parameter = "w", mp.initializer = #mp.zeros}) -> tensor<16x6x6x6x32xf32> {
  %0 = mp.conv %x, %w acc f32 : tensor<16x8x8x8x16xf32>, tensor<32x3x3x3x16xf32> -> tensor<16x6x6x6x32xf32>
  return %0 : tensor<16x6x6x6x32xf32>
}

// CHECK-LABEL: @image_of_3
// CHECK: mp.conv {{.*}} -> tensor<32x30x30x32xf32>
// LISTS-LABEL: @image_of_3
// LISTS: mp.conv {{.*}} -> tensor<32x30x30x32xbf16>
func.func @image_of_3(%x: tensor<32x32x32x3xf32>, %w: tensor<32x3x3x3xf32> {mp.parameter = "w", mp.initializer = #mp.zeros}) -> tensor<32x30x30x32xf32> {
  %0 = mp.conv %x, %w acc f32 : tensor<32x32x32x3xf32>, tensor<32x3x3x3xf32> -> tensor<32x30x30x32xf32>
  return %0 : tensor<32x30x30x32xf32>
}

// CHECK-LABEL: @image_of_4
// CHECK: mp.conv {{.*}} -> tensor<32x30x30x32xf32>
// LISTS-LABEL: @image_of_4
// LISTS: mp.conv {{.*}} -> tensor<32x30x30x32xbf16>
func.func @image_of_4(%x: tensor<32x32x32x4xf32>, %w: tensor<32x3x3x4xf32> {mp.parameter = "w", mp.initializer = #mp.zeros}) -> tensor<32x30x30x32xf32> {
  %0 = mp.conv %x, %w acc f32 : tensor<32x32x32x4xf32>, tensor<32x3x3x4xf32> -> tensor<32x30x30x32xf32>
  return %0 : tensor<32x30x30x32xf32>
}

// CHECK-LABEL: @image_of_32
// CHECK: mp.conv {{.*}} -> tensor<32x30x30x32xbf16>
// LISTS-LABEL: @image_of_32
// LISTS: mp.conv {{.*}} -> tensor<32x30x30x32xbf16>
func.func @image_of_32(%x: tensor<32x32x32x32xf32>, %w: tensor<32x3x3x32xf32> {mp.parameter = "w", mp.initializer = #mp.zeros}) -> tensor<32x30x30x32xf32> {
  %0 = mp.conv %x, %w acc f32 : tensor<32x32x32x32xf32>, tensor<32x3x3x32xf32> -> tensor<32x30x30x32xf32>
  return %0 : tensor<32x30x30x32xf32>
}

// CHECK-LABEL: @groups_of_4
// CHECK: mp.conv {{.*}} -> tensor<32x30x30x32xf32>
// LISTS-LABEL: @groups_of_4
// LISTS: mp.conv {{.*}} -> tensor<32x30x30x32xbf16>
func.func @groups_of_4(%x: tensor<32x32x32x32xf32>, %w: tensor<32x3x3x4xf32> {mp.parameter = "w", mp.initializer = #mp.zeros}) -> tensor<32x30x30x32xf32> {
  %0 = mp.conv %x, %w acc f32 {groups = 8} : tensor<32x32x32x32xf32>, tensor<32x3x3x4xf32> -> tensor<32x30x30x32xf32>
  return %0 : tensor<32x30x30x32xf32>
}

// CHECK-LABEL: @line_of_8
// CHECK: mp.conv {{.*}} -> tensor<32x510x64xf32>
// LISTS-LABEL: @line_of_8
// LISTS: mp.conv {{.*}} -> tensor<32x510x64xbf16>
func.func @line_of_8(%x: tensor<32x512x8xf32>, %w: tensor<64x3x8xf32> {mp.parameter = "w", mp.initializer = #mp.zeros}) -> tensor<32x510x64xf32> {
  %0 = mp.conv %x, %w acc f32 : tensor<32x512x8xf32>, tensor<64x3x8xf32> -> tensor<32x510x64xf32>
  return %0 : tensor<32x510x64xf32>
}

// CHECK-LABEL: @line_of_64
// CHECK: mp.conv {{.*}} -> tensor<32x510x64xbf16>
// LISTS-LABEL: @line_of_64
// LISTS: mp.conv {{.*}} -> tensor<32x510x64xbf16>
func.func @line_of_64(%x: tensor<32x512x64xf32>, %w: tensor<64x3x64xf32> {mp.parameter = "w", mp.initializer = #mp.zeros}) -> tensor<32x510x64xf32> {
  %0 = mp.conv %x, %w acc f32 : tensor<32x512x64xf32>, tensor<64x3x64xf32> -> tensor<32x510x64xf32>
  return %0 : tensor<32x510x64xf32>
}
