// RUN: mp-opt %s | FileCheck %s

// CHECK-LABEL: @forms
func.func @forms(%x: tensor<2x13x14x4xbf16>) -> (tensor<2x6x4x4xbf16>, tensor<2x13x14x4xbf16>) {
  // CHECK: mp.max_pool_with_indices %{{.*}} window [2, 3] : tensor<2x13x14x4xbf16> -> tensor<2x6x4x4xbf16>, tensor<2x6x4x4xui8>
  %p, %i = mp.max_pool_with_indices %x window [2, 3] : tensor<2x13x14x4xbf16> -> tensor<2x6x4x4xbf16>, tensor<2x6x4x4xui8>
  // CHECK: mp.max_unpool %{{.*}}, %{{.*}} window [2, 3] : tensor<2x6x4x4xui8>, tensor<2x6x4x4xbf16> -> tensor<2x13x14x4xbf16>
  %u = mp.max_unpool %i, %p window [2, 3] : tensor<2x6x4x4xui8>, tensor<2x6x4x4xbf16> -> tensor<2x13x14x4xbf16>
  return %p, %u : tensor<2x6x4x4xbf16>, tensor<2x13x14x4xbf16>
}

// CHECK-LABEL: @one_and_three_dimensions
func.func @one_and_three_dimensions(%x: tensor<3x256x4xf32>, %y: tensor<2x4x6x7x1xf64>)
    -> (tensor<3x1x4xui8>, tensor<2x2x2x7x1xf64>) {
  // CHECK: window [256] : tensor<3x256x4xf32> -> tensor<3x1x4xf32>, tensor<3x1x4xui8>
  %p, %i = mp.max_pool_with_indices %x window [256] : tensor<3x256x4xf32> -> tensor<3x1x4xf32>, tensor<3x1x4xui8>
  // CHECK: window [2, 3, 1]
  %q, %j = mp.max_pool_with_indices %y window [2, 3, 1] : tensor<2x4x6x7x1xf64> -> tensor<2x2x2x7x1xf64>, tensor<2x2x2x7x1xui8>
  return %i, %q : tensor<3x1x4xui8>, tensor<2x2x2x7x1xf64>
}
