// A value of rank 0 that is no constant (an argument, a computed scale) widens the f16 tensors that it meets, but not under
// policy=pytorch, nor where a policy file says that zero-dimensional values follow.
// RUN: mp-opt %s -mp-autocast | FileCheck %s --check-prefixes=CHECK,WIDEST
// RUN: mp-opt %s -mp-autocast=policy=pytorch | FileCheck %s --check-prefixes=CHECK,FOLLOW
// RUN: mp-opt %s -mp-autocast=policy=%S/Inputs/scalars-follow.policy | FileCheck %s --check-prefixes=CHECK,FOLLOW
// RUN: mp-opt %s -mp-autocast=policy=pytorch | mp-opt -mp-autocast=policy=pytorch -o %t.twice
// RUN: mp-opt %s -mp-autocast=policy=pytorch | diff - %t.twice
// RUN: mp-opt %s -mp-autocast=policy=pytorch -remarks-filter=mp-autocast -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: Narrowed {{.*}}f16: promote (policy pytorch), follows mp.matmul; mp.matmul: allow

// CHECK-LABEL: @argument
// WIDEST: mp.mul {{.*}} : tensor<4x4xf32>, tensor<f32> -> tensor<4x4xf32>
// FOLLOW: mp.mul {{.*}} : tensor<4x4xf16>, tensor<f16> -> tensor<4x4xf16>
func.func @argument(%x: tensor<4x4xf32>, %s: tensor<f32>) -> tensor<4x4xf32> {
  %0 = mp.matmul %x, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = mp.mul %0, %s : tensor<4x4xf32>, tensor<f32> -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// CHECK-LABEL: @computed
// CHECK: mp.reduce_sum {{.*}} -> tensor<f32>
// WIDEST: mp.div {{.*}} : tensor<f32>, tensor<4x4xf32> -> tensor<4x4xf32>
// FOLLOW: mp.div {{.*}} : tensor<f16>, tensor<4x4xf16> -> tensor<4x4xf16>
func.func @computed(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = mp.matmul %x, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %s = mp.reduce_sum %x dimensions [0, 1] : tensor<4x4xf32> -> tensor<f32>
  %1 = mp.div %s, %0 : tensor<f32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// Scalars have their say among themselves, and over a constant.
// CHECK-LABEL: @scalars
// CHECK: mp.add {{.*}} : tensor<f32>, tensor<f32> -> tensor<f32>
// CHECK: mp.mul {{.*}} : tensor<f32>, tensor<f32> -> tensor<f32>
func.func @scalars(%s: tensor<f32>, %h: tensor<f16>) -> tensor<f32> {
  %w = mp.cast %h : tensor<f16> -> tensor<f32>
  %0 = mp.add %s, %w : tensor<f32>, tensor<f32> -> tensor<f32>
  %c = mp.constant dense<2.0> : tensor<f32>
  %1 = mp.mul %0, %c : tensor<f32>, tensor<f32> -> tensor<f32>
  return %1 : tensor<f32>
}

// A tensor of one element has dimensions.
// CHECK-LABEL: @one_element
// CHECK: mp.mul {{.*}} : tensor<4x4xf32>, tensor<1xf32> -> tensor<4x4xf32>
func.func @one_element(%x: tensor<4x4xf32>, %s: tensor<1xf32>) -> tensor<4x4xf32> {
  %0 = mp.matmul %x, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = mp.mul %0, %s : tensor<4x4xf32>, tensor<1xf32> -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
