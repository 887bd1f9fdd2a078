// RUN: mp-opt %s -mp-autodiff -split-input-file | FileCheck %s

// Pieces side by side are put together, in their type; nothing is padded or added.
// CHECK-LABEL: func.func @train_step(
// CHECK-NOT: mp.pad
// CHECK-NOT: mp.add
// CHECK: %[[G:.*]] = mp.concat {{.*}} dimension 1 : tensor<2x1x4xbf16>, tensor<2x1x4xbf16>, tensor<2x3x4xbf16> -> tensor<2x5x4xbf16>
// CHECK: mp.cast %[[G]] : tensor<2x5x4xbf16> -> tensor<2x5x4xf32>
func.func @side_by_side(%w: tensor<2x5x4xf32> {mp.parameter = "w", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %x = mp.cast %w : tensor<2x5x4xf32> -> tensor<2x5x4xbf16>
  %0 = mp.slice %x [:, 0:1, :] : tensor<2x5x4xbf16> -> tensor<2x1x4xbf16>
  %1 = mp.slice %x [:, 1:2, :] : tensor<2x5x4xbf16> -> tensor<2x1x4xbf16>
  %2 = mp.slice %x [:, 2:, :] : tensor<2x5x4xbf16> -> tensor<2x3x4xbf16>
  %p = mp.mul %0, %1 : tensor<2x1x4xbf16>, tensor<2x1x4xbf16> -> tensor<2x1x4xbf16>
  %q = mp.mul %p, %2 : tensor<2x1x4xbf16>, tensor<2x3x4xbf16> -> tensor<2x3x4xbf16>
  %f = mp.cast %q : tensor<2x3x4xbf16> -> tensor<2x3x4xf32>
  %l = mp.reduce_sum %f dimensions [0, 1, 2] : tensor<2x3x4xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// Those that are cast one by one are cast before they are put together.
// CHECK-LABEL: func.func @train_step(
// CHECK-NOT: mp.pad
// CHECK: %[[G:.*]] = mp.concat {{.*}} dimension 0 : tensor<2xf32>, tensor<6xf32> -> tensor<8xf32>
// CHECK-NOT: mp.cast
// CHECK: return %{{.*}}, %[[G]]
func.func @cast_each(%w: tensor<8xf32> {mp.parameter = "w", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %x = mp.cast %w : tensor<8xf32> -> tensor<8xf16>
  %y = mp.cast %w : tensor<8xf32> -> tensor<8xf16>
  %0 = mp.slice %x [:2] : tensor<8xf16> -> tensor<2xf16>
  %1 = mp.slice %y [2:] : tensor<8xf16> -> tensor<6xf16>
  %s = mp.concat %1, %0 dimension 0 : tensor<6xf16>, tensor<2xf16> -> tensor<8xf16>
  %e = mp.exp %s : tensor<8xf16>
  %f = mp.cast %e : tensor<8xf16> -> tensor<8xf32>
  %l = mp.reduce_sum %f dimensions [0] : tensor<8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// A few with room between them stay padded.
// CHECK-LABEL: func.func @train_step(
// CHECK-COUNT-2: mp.pad
// CHECK: mp.add {{.*}} : tensor<100xf32>, tensor<100xf32> -> tensor<100xf32>
// CHECK-NOT: mp.concat
// CHECK: return
func.func @apart(%w: tensor<100xf32> {mp.parameter = "w", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %0 = mp.slice %w [3:4] : tensor<100xf32> -> tensor<1xf32>
  %1 = mp.slice %w [70:71] : tensor<100xf32> -> tensor<1xf32>
  %p = mp.mul %0, %1 : tensor<1xf32>, tensor<1xf32> -> tensor<1xf32>
  %l = mp.reduce_sum %p dimensions [0] : tensor<1xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// Even and odd ones are columns of one tensor.
// CHECK-LABEL: func.func @train_step(
// CHECK: %[[C:.*]] = mp.concat {{.*}} dimension 1 : tensor<4x1xf32>, tensor<4x1xf32> -> tensor<4x2xf32>
// CHECK: %[[R:.*]] = mp.reshape %[[C]] : tensor<4x2xf32> -> tensor<8xf32>
// CHECK: return %{{.*}}, %[[R]]
func.func @every_other(%w: tensor<8xf32> {mp.parameter = "w", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %0 = mp.slice %w [::2] : tensor<8xf32> -> tensor<4xf32>
  %1 = mp.slice %w [1::2] : tensor<8xf32> -> tensor<4xf32>
  %p = mp.mul %0, %1 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %l = mp.reduce_sum %p dimensions [0] : tensor<4xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// Evenly spaced constants are a slice; rows by indices of data are added by one op.
// CHECK-LABEL: func.func @train_step(
// CHECK: %[[F:.*]] = mp.flip {{.*}} dimensions [0]
// CHECK: mp.pad %[[F]] low [1, 0] high [0, 0] interior [1, 0] : tensor<3x4xf32> -> tensor<6x4xf32>
// CHECK: mp.scatter_add {{.*}} : tensor<6x4xf32>, tensor<5xi32>, tensor<5x4xf32> -> tensor<6x4xf32>
// CHECK-NOT: mp.scatter_add
// CHECK: return
func.func @by_indices(%w: tensor<6x4xf32> {mp.parameter = "w", mp.initializer = #mp.zeros}, %i: tensor<2xi32> {mp.input = "i"}, %j: tensor<3xi32> {mp.input = "j"})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %c = mp.constant dense<[5, 3, 1]> : tensor<3xi32>
  %0 = mp.gather %w, %c dimension 0 : tensor<6x4xf32>, tensor<3xi32> -> tensor<3x4xf32>
  %1 = mp.gather %w, %i dimension 0 : tensor<6x4xf32>, tensor<2xi32> -> tensor<2x4xf32>
  %2 = mp.gather %w, %j dimension 0 : tensor<6x4xf32>, tensor<3xi32> -> tensor<3x4xf32>
  %s = mp.concat %0, %1, %2 dimension 0 : tensor<3x4xf32>, tensor<2x4xf32>, tensor<3x4xf32> -> tensor<8x4xf32>
  %e = mp.exp %s : tensor<8x4xf32>
  %l = mp.reduce_sum %e dimensions [0, 1] : tensor<8x4xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// A weight of every position gets one product, rounded once.
// CHECK-LABEL: func.func @train_step(
// CHECK: %[[H:.*]] = mp.concat {{.*}} dimension 0 : tensor<2x8xf16>, tensor<2x8xf16> -> tensor<4x8xf16>
// CHECK: %[[Z:.*]] = mp.concat {{.*}} dimension 0 : tensor<2x8xf16>, tensor<2x8xf16> -> tensor<4x8xf16>
// CHECK: %[[W:.*]] = mp.matmul %[[H]], %[[Z]] transpose_lhs acc f32 : tensor<4x8xf16>, tensor<4x8xf16> -> tensor<8x8xf16>
// CHECK: return %{{.*}}, %[[W]]
func.func @positions(%h: tensor<2x8xf16> {mp.input = "h"}, %w: tensor<8x8xf16> {mp.parameter = "w", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %a = mp.matmul %h, %w acc f32 : tensor<2x8xf16>, tensor<8x8xf16> -> tensor<2x8xf16>
  %b = mp.matmul %a, %w acc f32 : tensor<2x8xf16>, tensor<8x8xf16> -> tensor<2x8xf16>
  %f = mp.cast %b : tensor<2x8xf16> -> tensor<2x8xf32>
  %l = mp.reduce_sum %f dimensions [0, 1] : tensor<2x8xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// Of two products one has its gradient first and the other last, with the same attributes: each is one of its own, or a
// factor would have the loss scale in part.
// CHECK-LABEL: func.func @train_step(
// CHECK-NOT: mp.concat
// CHECK: mp.add {{.*}} : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
func.func @either_factor(%w: tensor<8x8xf32> {mp.parameter = "w", mp.initializer = #mp.zeros}, %u: tensor<2x8xf32> {mp.input = "u"}, %v: tensor<8x2xf32> {mp.input = "v"})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %a = mp.matmul %w, %u transpose_rhs acc f32 : tensor<8x8xf32>, tensor<2x8xf32> -> tensor<8x2xf32>
  %b = mp.matmul %v, %w transpose_lhs acc f32 : tensor<8x2xf32>, tensor<8x8xf32> -> tensor<2x8xf32>
  %s = mp.reduce_sum %a dimensions [0, 1] : tensor<8x2xf32> -> tensor<f32>
  %t = mp.reduce_sum %b dimensions [0, 1] : tensor<2x8xf32> -> tensor<f32>
  %l = mp.add %s, %t : tensor<f32>, tensor<f32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// Slices taken off in turn are slices of one value, whose gradient is put together once.
// CHECK-LABEL: func.func @train_step(
// CHECK-COUNT-5: mp.slice %arg0 {{.*}} : tensor<5x3xf32> -> tensor<1x3xf32>
// CHECK-NOT: mp.pad
// CHECK: %[[W:.*]] = mp.concat {{.*}} dimension 0 : tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32> -> tensor<5x3xf32>
// CHECK-NEXT: return %{{.*}}, %[[W]]
func.func @taken_off(%w: tensor<5x3xf32> {mp.parameter = "w", mp.initializer = #mp.zeros}) -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %a, %r = mp.split %w sizes [1, 4] dimension 0 : tensor<5x3xf32> -> tensor<1x3xf32>, tensor<4x3xf32>
  %b = mp.slice %r [:1, :] : tensor<4x3xf32> -> tensor<1x3xf32>
  %s = mp.slice %r [1:, :] : tensor<4x3xf32> -> tensor<3x3xf32>
  %c, %t = mp.split %s sizes [1, 2] dimension 0 : tensor<3x3xf32> -> tensor<1x3xf32>, tensor<2x3xf32>
  %d, %e = mp.split %t sizes [1, 1] dimension 0 : tensor<2x3xf32> -> tensor<1x3xf32>, tensor<1x3xf32>
  %ab = mp.mul %a, %b : tensor<1x3xf32>, tensor<1x3xf32> -> tensor<1x3xf32>
  %cd = mp.mul %c, %d : tensor<1x3xf32>, tensor<1x3xf32> -> tensor<1x3xf32>
  %abcd = mp.mul %ab, %cd : tensor<1x3xf32>, tensor<1x3xf32> -> tensor<1x3xf32>
  %all = mp.mul %abcd, %e : tensor<1x3xf32>, tensor<1x3xf32> -> tensor<1x3xf32>
  %l = mp.reduce_sum %all dimensions [0, 1] : tensor<1x3xf32> -> tensor<f32>
  return %l : tensor<f32>
}
