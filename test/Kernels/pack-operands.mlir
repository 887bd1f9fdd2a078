// RUN: mp-opt %s -mp-decompose -cse -mp-form-kernels -mp-schedule-kernels=features=avx512 -mp-pack-operands -mp-plan-buffers -mp-verify-kernels="scheduled planned" | FileCheck %s
// RUN: mp-opt %s -mp-decompose -cse -mp-form-kernels -mp-schedule-kernels=features=avx512bf16 -mp-pack-operands | FileCheck %s --check-prefix=DOT
// RUN: mp-opt %s -mp-decompose -cse -mp-form-kernels -mp-schedule-kernels=features=avx512 -mp-pack-operands -mp-pack-operands | FileCheck %s

// The operand that eight blocks read is packed once, with what computes it; the other, which each block reads a part of, there.
// CHECK-LABEL: @layer
// CHECK: %[[PACKED:.*]] = mp.kernel "matmul_0.lhs" (%[[PIXELS:.*]] = %arg0) schedule(#mp.pack<panels = {{[0-9]+}}, vector = 16>)
// CHECK-NEXT: %[[CAST:.*]] = mp.cast %[[PIXELS]] : tensor<128x784xui8> -> tensor<128x784xbf16>
// CHECK-NEXT: mp.pack %[[CAST]] batches 1 panels <rows = 13, depth = 262, unit = 1, depth_inner = true> : tensor<128x784xbf16> -> tensor<1x3x10x3406xf32>
// CHECK: mp.kernel "matmul_0" (%[[ARGUMENT:.*]] = %[[PACKED]], %[[W:.*]] = %arg1) schedule(#mp.contraction<{{.*}}tile_m = 13, tile_n = 32, vector = 16, pack_lhs = true>)
// CHECK-NEXT: %[[LHS:.*]] = mp.unpack %[[ARGUMENT]] batches 1 panels <rows = 13, depth = 262, unit = 1, depth_inner = true> : tensor<1x3x10x3406xf32> -> tensor<128x784xbf16>
// CHECK-NEXT: mp.matmul %[[LHS]], %[[W]]
// Dot products take pairs.
// DOT-LABEL: @layer
// DOT: mp.pack %{{.*}} batches 1 panels <rows = 13, depth = 262, unit = 2, depth_inner = true> : tensor<128x784xbf16> -> tensor<1x3x10x3406xbf16>
// DOT: instruction = dot, pack_lhs = true>
func.func @layer(%x: tensor<128x784xui8>, %w: tensor<784x512xbf16>) -> tensor<128x512xbf16> {
  %c = mp.cast %x : tensor<128x784xui8> -> tensor<128x784xbf16>
  %y = mp.matmul %c, %w acc f32 : tensor<128x784xbf16>, tensor<784x512xbf16> -> tensor<128x512xbf16>
  return %y : tensor<128x512xbf16>
}

// What the epilogue reads, too, stays where both read it.
// CHECK-LABEL: @residual
// CHECK-NOT: mp.pack
// CHECK: mp.kernel "matmul
// CHECK-NOT: pack_lhs
// CHECK: return
func.func @residual(%x: tensor<512x512xf32>, %w: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %y = mp.matmul %x, %w acc f32 : tensor<512x512xf32>, tensor<512x512xf32> -> tensor<512x512xf32>
  %r = mp.add %y, %x : tensor<512x512xf32>, tensor<512x512xf32> -> tensor<512x512xf32>
  %s = mp.add %r, %w : tensor<512x512xf32>, tensor<512x512xf32> -> tensor<512x512xf32>
  return %s : tensor<512x512xf32>
}

// One row streams its weights.
// CHECK-LABEL: @one_row
// CHECK: mp.kernel "matmul_0" (%{{.*}} = %arg0, %{{.*}} = %arg1) schedule(#mp.contraction<block_m = 1, {{.*}}tile_m = 1, tile_n = {{[0-9]+}}, vector = 16, stream_rhs = true>)
// DOT-LABEL: @one_row
// DOT: tile_m = 1, tile_n = {{[0-9]+}}, vector = 16, instruction = dot, stream_rhs = true>
func.func @one_row(%x: tensor<1x784xbf16>, %w: tensor<784x512xbf16>) -> tensor<1x512xbf16> {
  %y = mp.matmul %x, %w acc f32 : tensor<1x784xbf16>, tensor<784x512xbf16> -> tensor<1x512xbf16>
  return %y : tensor<1x512xbf16>
}

// Filters that several blocks read are packed once, in the order of the convolution, and of its data gradient.
// CHECK-LABEL: @filters
// CHECK: mp.kernel "conv_0.rhs"
// CHECK-NEXT: mp.pack %{{.*}} batches 1 filters panels <rows = 32, {{.*}}depth_inner = false> : tensor<256x3x3x256xf32> -> tensor<1x{{.*}}xf32>
// CHECK: mp.kernel "conv_0"
// CHECK-NEXT: %[[FILTERS:.*]] = mp.unpack %{{.*}} batches 1 filters panels <rows = 32
// CHECK-NEXT: mp.conv %{{.*}}, %[[FILTERS]]
// CHECK: mp.pack %{{.*}} batches 1 filters transposed panels
// CHECK: mp.unpack %{{.*}} batches 1 filters transposed panels
// CHECK-NEXT: mp.conv_transpose
func.func @filters(%x: tensor<16x14x14x256xf32>, %g: tensor<16x14x14x256xf32>, %w: tensor<256x3x3x256xf32>) -> (tensor<16x14x14x256xf32>, tensor<16x14x14x256xf32>) {
  %y = mp.conv %x, %w acc f32 {padding = same} : tensor<16x14x14x256xf32>, tensor<256x3x3x256xf32> -> tensor<16x14x14x256xf32>
  %dx = mp.conv_transpose %g, %w acc f32 {padding = same} : tensor<16x14x14x256xf32>, tensor<256x3x3x256xf32> -> tensor<16x14x14x256xf32>
  return %y, %dx : tensor<16x14x14x256xf32>, tensor<16x14x14x256xf32>
}

// Groups of filters, and those of a stride's classes, are packed by their blocks.
// CHECK-LABEL: @groups_and_classes
// CHECK-NOT: mp.pack
// CHECK: return
func.func @groups_and_classes(%x: tensor<16x14x14x256xf32>, %g: tensor<16x14x14x256xf32>, %v: tensor<256x3x3x128xf32>, %w: tensor<256x3x3x256xf32>) -> (tensor<16x14x14x256xf32>, tensor<16x28x28x256xf32>) {
  %y = mp.conv %x, %v acc f32 {padding = same, groups = 2} : tensor<16x14x14x256xf32>, tensor<256x3x3x128xf32> -> tensor<16x14x14x256xf32>
  %dx = mp.conv_transpose %g, %w acc f32 {strides = [2, 2], padding = [0, 1, 0, 1]} : tensor<16x14x14x256xf32>, tensor<256x3x3x256xf32> -> tensor<16x28x28x256xf32>
  return %y, %dx : tensor<16x14x14x256xf32>, tensor<16x28x28x256xf32>
}
