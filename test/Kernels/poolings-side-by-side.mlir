// RUN: mp-opt %s -mp-form-kernels -mp-verify-kernels | FileCheck %s --check-prefix=FORMED
// RUN: mp-opt %s -mp-form-kernels -mp-schedule-kernels=features=sm_80 -mp-pool-in-blocks -mp-verify-kernels=scheduled | FileCheck %s

// Poolings of one depth are not one map: each becomes part of the product before it, which stores what was pooled alone.
// FORMED-LABEL: @of_two_products
// FORMED-COUNT-2: mp.kernel "conv_
// FORMED: mp.kernel "max_pool_2" {{.*}} -> tensor<64x16x16x16xbf16> {
// FORMED-NEXT: mp.max_pool
// FORMED-NEXT: mp.yield
// FORMED: mp.kernel "max_pool_3" {{.*}} -> tensor<64x8x8x16xbf16> {
// FORMED-NEXT: mp.max_pool
// FORMED-NEXT: mp.yield
// CHECK-LABEL: @of_two_products
// CHECK-NEXT: mp.kernel "conv_{{.*}} -> tensor<64x16x16x16xbf16> {
// CHECK-NEXT: mp.conv
// CHECK-NEXT: mp.relu
// CHECK-NEXT: mp.max_pool
// CHECK-NEXT: mp.yield
// CHECK: mp.kernel "conv_{{.*}} -> tensor<64x8x8x16xbf16> {
// CHECK-NEXT: mp.conv
// CHECK-NEXT: mp.max_pool
// CHECK-NEXT: mp.yield
// CHECK-NOT: mp.kernel
// CHECK: return
func.func @of_two_products(%x: tensor<64x34x34x16xbf16>, %v: tensor<16x3x3x16xbf16>, %y: tensor<64x18x18x16xbf16>, %w: tensor<16x3x3x16xbf16>) -> (tensor<64x16x16x16xbf16>, tensor<64x8x8x16xbf16>) {
  %0 = mp.conv %x, %v acc f32 : tensor<64x34x34x16xbf16>, tensor<16x3x3x16xbf16> -> tensor<64x32x32x16xbf16>
  %1 = mp.conv %y, %w acc f32 : tensor<64x18x18x16xbf16>, tensor<16x3x3x16xbf16> -> tensor<64x16x16x16xbf16>
  %2 = mp.relu %0 : tensor<64x32x32x16xbf16>
  %3 = mp.max_pool %2 {window = [2, 2]} : tensor<64x32x32x16xbf16> -> tensor<64x16x16x16xbf16>
  %4 = mp.max_pool %1 {window = [2, 2]} : tensor<64x16x16x16xbf16> -> tensor<64x8x8x16xbf16>
  return %3, %4 : tensor<64x16x16x16xbf16>, tensor<64x8x8x16xbf16>
}

// A map of that depth, which no product would take, keeps none of them from its own.
// FORMED-LABEL: @beside_a_map
// FORMED: mp.kernel "max_pool_{{.*}} -> tensor<64x16x16x16xbf16> {
// FORMED-LABEL: @of_what_others_read
// CHECK-LABEL: @beside_a_map
// CHECK: mp.kernel "matmul
// CHECK: mp.kernel "transpose
// CHECK-NOT: mp.max_pool
// CHECK: mp.kernel "conv_{{.*}} -> tensor<64x16x16x16xbf16> {
// CHECK-NEXT: mp.conv
// CHECK-NEXT: mp.max_pool
// CHECK-NOT: mp.kernel
// CHECK: return
func.func @beside_a_map(%x: tensor<64x34x34x16xbf16>, %v: tensor<16x3x3x16xbf16>, %a: tensor<8x8xbf16>) -> (tensor<64x16x16x16xbf16>, tensor<8x8xbf16>) {
  %0 = mp.conv %x, %v acc f32 : tensor<64x34x34x16xbf16>, tensor<16x3x3x16xbf16> -> tensor<64x32x32x16xbf16>
  %1 = mp.matmul %a, %a acc f32 : tensor<8x8xbf16>, tensor<8x8xbf16> -> tensor<8x8xbf16>
  %2 = mp.transpose %1 permutation [1, 0] : tensor<8x8xbf16> -> tensor<8x8xbf16>
  %3 = mp.max_pool %0 {window = [2, 2]} : tensor<64x32x32x16xbf16> -> tensor<64x16x16x16xbf16>
  return %3, %2 : tensor<64x16x16x16xbf16>, tensor<8x8xbf16>
}

// Where the image is a result, too, or no product's, nothing can move: poolings are one map as before.
// CHECK-LABEL: @of_what_others_read
// CHECK-COUNT-2: mp.kernel "conv_
// CHECK: mp.kernel "max_pool
// CHECK-NEXT: mp.max_pool
// CHECK-NEXT: mp.max_pool
// CHECK-NEXT: mp.yield
// CHECK-NOT: mp.kernel
// CHECK: return
func.func @of_what_others_read(%x: tensor<2x10x10x8xbf16>, %v: tensor<16x3x3x8xbf16>, %u: tensor<16x3x3x8xbf16>) -> (tensor<2x8x8x16xbf16>, tensor<2x8x8x16xbf16>, tensor<2x4x4x16xbf16>, tensor<2x4x4x16xbf16>) {
  %0 = mp.conv %x, %v acc f32 : tensor<2x10x10x8xbf16>, tensor<16x3x3x8xbf16> -> tensor<2x8x8x16xbf16>
  %1 = mp.conv %x, %u acc f32 : tensor<2x10x10x8xbf16>, tensor<16x3x3x8xbf16> -> tensor<2x8x8x16xbf16>
  %2 = mp.max_pool %0 {window = [2, 2]} : tensor<2x8x8x16xbf16> -> tensor<2x4x4x16xbf16>
  %3 = mp.max_pool %1 {window = [2, 2]} : tensor<2x8x8x16xbf16> -> tensor<2x4x4x16xbf16>
  return %0, %1, %2, %3 : tensor<2x8x8x16xbf16>, tensor<2x8x8x16xbf16>, tensor<2x4x4x16xbf16>, tensor<2x4x4x16xbf16>
}

// CHECK-LABEL: @of_inputs
// CHECK-NEXT: mp.kernel "max_pool
// CHECK-NOT: mp.kernel
// CHECK: return
func.func @of_inputs(%x: tensor<2x10x10x8xf32>, %y: tensor<2x8x8x4xf32>) -> (tensor<2x5x5x8xf32>, tensor<2x4x4x4xf32>) {
  %0 = mp.max_pool %x {window = [2, 2]} : tensor<2x10x10x8xf32> -> tensor<2x5x5x8xf32>
  %1 = mp.max_pool %y {window = [2, 2]} : tensor<2x8x8x4xf32> -> tensor<2x4x4x4xf32>
  return %0, %1 : tensor<2x5x5x8xf32>, tensor<2x4x4x4xf32>
}

// Rows of groups are not those of one product, and no block pools them.
// CHECK-LABEL: @of_groups
// CHECK-COUNT-2: mp.kernel "conv_
// CHECK: mp.kernel "max_pool
// CHECK-NOT: mp.kernel
// CHECK: return
func.func @of_groups(%x: tensor<2x10x10x8xbf16>, %v: tensor<16x3x3x4xbf16>, %w: tensor<16x3x3x4xbf16>) -> (tensor<2x4x4x16xbf16>, tensor<2x4x4x16xbf16>) {
  %0 = mp.conv %x, %v acc f32 {groups = 2} : tensor<2x10x10x8xbf16>, tensor<16x3x3x4xbf16> -> tensor<2x8x8x16xbf16>
  %1 = mp.conv %x, %w acc f32 {groups = 2} : tensor<2x10x10x8xbf16>, tensor<16x3x3x4xbf16> -> tensor<2x8x8x16xbf16>
  %2 = mp.max_pool %0 {window = [2, 2]} : tensor<2x8x8x16xbf16> -> tensor<2x4x4x16xbf16>
  %3 = mp.max_pool %1 {window = [2, 2]} : tensor<2x8x8x16xbf16> -> tensor<2x4x4x16xbf16>
  return %2, %3 : tensor<2x4x4x16xbf16>, tensor<2x4x4x16xbf16>
}
