// RUN: mp-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: @forms
func.func @forms(%a: tensor<4x8xf16>, %b: tensor<8x2xf16>, %bt: tensor<2x8xf16>, %at: tensor<8x4xf16>, %c: tensor<2xf16>, %cf: tensor<2xf32>)
    -> (tensor<4x2xf16>, tensor<4x2xf16>, tensor<4x2xf32>, tensor<4x2xf16>) {
  // CHECK: mp.matmul %{{.*}}, %{{.*}} acc f32 : tensor<4x8xf16>, tensor<8x2xf16> -> tensor<4x2xf16>
  %0 = mp.matmul %a, %b acc f32 : tensor<4x8xf16>, tensor<8x2xf16> -> tensor<4x2xf16>
  // CHECK: mp.matmul %{{.*}}, %{{.*}} transpose_rhs bias %{{.*}} : tensor<2xf16> acc f32
  %1 = mp.matmul %a, %bt transpose_rhs bias %c : tensor<2xf16> acc f32 : tensor<4x8xf16>, tensor<2x8xf16> -> tensor<4x2xf16>
  // CHECK: mp.matmul %{{.*}}, %{{.*}} transpose_lhs transpose_rhs bias %{{.*}} : tensor<2xf32> acc f32 : {{.*}} -> tensor<4x2xf32>
  %2 = mp.matmul %at, %bt transpose_lhs transpose_rhs bias %cf : tensor<2xf32> acc f32 : tensor<8x4xf16>, tensor<2x8xf16> -> tensor<4x2xf32>
  // CHECK: acc f16
  %3 = mp.matmul %a, %b acc f16 : tensor<4x8xf16>, tensor<8x2xf16> -> tensor<4x2xf16>
  return %0, %1, %2, %3 : tensor<4x2xf16>, tensor<4x2xf16>, tensor<4x2xf32>, tensor<4x2xf16>
}

// CHECK-LABEL: @batches_and_an_open_size
func.func @batches_and_an_open_size(%a: tensor<?x3x4x8xf32>, %b: tensor<?x3x8x2xf32>, %w: tensor<8x5xf32>) -> (tensor<?x3x4x2xf32>, tensor<?x3x4x5xf32>) {
  // CHECK: mp.matmul {{.*}} -> tensor<?x3x4x2xf32>
  %0 = mp.matmul %a, %b acc f32 : tensor<?x3x4x8xf32>, tensor<?x3x8x2xf32> -> tensor<?x3x4x2xf32>
  // CHECK: mp.matmul {{.*}} -> tensor<?x3x4x5xf32>
  %1 = mp.matmul %a, %w acc f32 : tensor<?x3x4x8xf32>, tensor<8x5xf32> -> tensor<?x3x4x5xf32>
  return %0, %1 : tensor<?x3x4x2xf32>, tensor<?x3x4x5xf32>
}
