// RUN: mp-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: @reduce
func.func @reduce(%x: tensor<?x8x3xf32>) -> (tensor<?x3xf32>, tensor<?x1x1xf32>, tensor<8x3xf32>, tensor<f32>) {
  // CHECK: mp.reduce_sum %{{.*}} dimensions [1] : tensor<?x8x3xf32> -> tensor<?x3xf32>
  %0 = mp.reduce_sum %x dimensions [1] : tensor<?x8x3xf32> -> tensor<?x3xf32>
  // CHECK: mp.reduce_mean %{{.*}} dimensions [1, 2] keep_dims : tensor<?x8x3xf32> -> tensor<?x1x1xf32>
  %1 = mp.reduce_mean %x dimensions [1, 2] keep_dims : tensor<?x8x3xf32> -> tensor<?x1x1xf32>
  // CHECK: mp.reduce_max %{{.*}} dimensions [0]
  %2 = mp.reduce_max %x dimensions [0] : tensor<?x8x3xf32> -> tensor<8x3xf32>
  // CHECK: mp.reduce_sum %{{.*}} dimensions [0, 1, 2]
  %3 = mp.reduce_sum %x dimensions [0, 1, 2] : tensor<?x8x3xf32> -> tensor<f32>
  return %0, %1, %2, %3 : tensor<?x3xf32>, tensor<?x1x1xf32>, tensor<8x3xf32>, tensor<f32>
}
// CHECK-LABEL: @rows
func.func @rows(%z: tensor<?x10xf16>, %y: tensor<?xui8>, %w: tensor<?xf32>) -> (tensor<?xi32>, tensor<?x10xf16>, tensor<?x10xf16>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<?x10xf16>) {
  // CHECK: mp.argmax %{{.*}} dimension 1 : tensor<?x10xf16> -> tensor<?xi32>
  %0 = mp.argmax %z dimension 1 : tensor<?x10xf16> -> tensor<?xi32>
  // CHECK: mp.softmax %{{.*}} : tensor<?x10xf16>
  %1 = mp.softmax %z : tensor<?x10xf16>
  // CHECK: mp.log_softmax %{{.*}} : tensor<?x10xf16>
  %log = mp.log_softmax %z : tensor<?x10xf16>
  // CHECK: mp.softmax_grad %{{.*}}, %{{.*}} : tensor<?x10xf16>
  %2 = mp.softmax_grad %1, %log : tensor<?x10xf16>
  // CHECK: mp.softmax_cross_entropy %{{.*}}, %{{.*}} : tensor<?x10xf16>, tensor<?xui8> -> tensor<f32>
  %3 = mp.softmax_cross_entropy %z, %y : tensor<?x10xf16>, tensor<?xui8> -> tensor<f32>
  // CHECK: mp.softmax_cross_entropy %{{.*}}, %{{.*}} weights %{{.*}} : tensor<?xf32> : tensor<?x10xf16>, tensor<?xui8> -> tensor<f32>
  %4 = mp.softmax_cross_entropy %z, %y weights %w : tensor<?xf32> : tensor<?x10xf16>, tensor<?xui8> -> tensor<f32>
  // CHECK: mp.softmax_cross_entropy %{{.*}}, %{{.*}} {ignore_label = 255 : i64, label_smoothing = 1.000000e-01 : f64} : tensor<?x10xf16>, tensor<?xui8> -> tensor<f32>
  %smooth = mp.softmax_cross_entropy %z, %y {ignore_label = 255 : i64, label_smoothing = 0.1 : f64} : tensor<?x10xf16>, tensor<?xui8> -> tensor<f32>
  // CHECK: mp.softmax_cross_entropy_grad %{{.*}}, %{{.*}}, %{{.*}} weights %{{.*}} : tensor<?xf32> : tensor<?x10xf16>, tensor<?xui8>, tensor<f32>
  %5 = mp.softmax_cross_entropy_grad %z, %y, %4 weights %w : tensor<?xf32> : tensor<?x10xf16>, tensor<?xui8>, tensor<f32>
  return %0, %1, %2, %3, %4, %smooth, %5 : tensor<?xi32>, tensor<?x10xf16>, tensor<?x10xf16>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<?x10xf16>
}

// CHECK-LABEL: @products_and_places
func.func @products_and_places(%x: tensor<?x8xf16>, %n: tensor<?x3xui8>) -> (tensor<?xf16>, tensor<?xi32>, tensor<?xi64>, tensor<?x8xf16>, tensor<?x1xf16>) {
  // CHECK: mp.reduce_prod %{{.*}} dimensions [1] : tensor<?x8xf16> -> tensor<?xf16>
  %p = mp.reduce_prod %x dimensions [1] : tensor<?x8xf16> -> tensor<?xf16>
  // CHECK: mp.argmin %{{.*}} dimension 1 : tensor<?x8xf16> -> tensor<?xi32>
  %i = mp.argmin %x dimension 1 : tensor<?x8xf16> -> tensor<?xi32>
  // CHECK: mp.argmin %{{.*}} dimension 1 : tensor<?x3xui8> -> tensor<?xi64>
  %j = mp.argmin %n dimension 1 : tensor<?x3xui8> -> tensor<?xi64>
  // CHECK: mp.l2_norm %{{.*}} dimensions [1] keep_dims : tensor<?x8xf16> -> tensor<?x1xf16>
  %length = mp.l2_norm %x dimensions [1] keep_dims : tensor<?x8xf16> -> tensor<?x1xf16>
  // CHECK: mp.l2_normalize %{{.*}} {epsilon = 1.000000e-03 : f64} : tensor<?x8xf16>
  %u = mp.l2_normalize %x {epsilon = 1.0e-3 : f64} : tensor<?x8xf16>
  return %p, %i, %j, %u, %length : tensor<?xf16>, tensor<?xi32>, tensor<?xi64>, tensor<?x8xf16>, tensor<?x1xf16>
}

// CHECK-LABEL: @norm_of_an_open_batch
func.func @norm_of_an_open_batch(%x: tensor<?x8xf64>, %scale: tensor<8xf64>, %offset: tensor<8xf64>) -> (tensor<?x8xf64>, tensor<?x1xf64>) {
  // CHECK: mp.layer_norm %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x8xf64>, tensor<8xf64>
  %y = mp.layer_norm %x, %scale, %offset : tensor<?x8xf64>, tensor<8xf64>
  // CHECK: mp.layer_norm_statistics %{{.*}} : tensor<?x8xf64> -> tensor<?x1xf64>, tensor<?x1xf64>
  %mean, %inv = mp.layer_norm_statistics %x : tensor<?x8xf64> -> tensor<?x1xf64>, tensor<?x1xf64>
  return %y, %inv : tensor<?x8xf64>, tensor<?x1xf64>
}
