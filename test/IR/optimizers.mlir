// RUN: mp-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: @clipping
func.func @clipping(%g: tensor<8x2xf32>, %h: tensor<2xf32>)
    -> (tensor<8x2xf32>, tensor<2xf32>, tensor<f32>, tensor<f32>, tensor<8x2xf32>, tensor<2xf32>, tensor<8x2xf32>, tensor<2xf32>) {
  // CHECK: mp.clip_by_global_norm %{{.*}}, %{{.*}} {max_norm = 1.000000e+00 : f32} : tensor<8x2xf32>, tensor<2xf32>
  %c:2, %norm = mp.clip_by_global_norm %g, %h {max_norm = 1.0 : f32} : tensor<8x2xf32>, tensor<2xf32>
  // CHECK: mp.global_norm
  %norm2 = mp.global_norm %g : tensor<8x2xf32>
  // CHECK: %{{.*}}:2 = mp.clip_by_norm %{{.*}}, %{{.*}} {max_norm = 5.000000e-01 : f32} : tensor<8x2xf32>, tensor<2xf32>
  %n:2 = mp.clip_by_norm %g, %h {max_norm = 0.5 : f32} : tensor<8x2xf32>, tensor<2xf32>
  // CHECK: %{{.*}}:2 = mp.clip_by_value %{{.*}}, %{{.*}} {limit = 2.500000e-01 : f32} : tensor<8x2xf32>, tensor<2xf32>
  %v:2 = mp.clip_by_value %g, %h {limit = 0.25 : f32} : tensor<8x2xf32>, tensor<2xf32>
  return %c#0, %c#1, %norm, %norm2, %n#0, %n#1, %v#0, %v#1
      : tensor<8x2xf32>, tensor<2xf32>, tensor<f32>, tensor<f32>, tensor<8x2xf32>, tensor<2xf32>, tensor<8x2xf32>, tensor<2xf32>
}

// CHECK-LABEL: @sgd
func.func @sgd(%w: tensor<8x2xf32>, %g: tensor<8x2xf32>, %v: tensor<8x2xf32>, %lr: tensor<f32>, %bad: tensor<i32>)
    -> (tensor<8x2xf32>, tensor<8x2xf32>) {
  // CHECK: mp.sgd %{{.*}}, %{{.*}}, %{{.*}} velocity %{{.*}} guard %{{.*}} {momentum = 0.899999976 : f32, nesterov} : tensor<8x2xf32>
  %w1, %v1 = mp.sgd %w, %g, %lr velocity %v guard %bad {momentum = 0.9 : f32, nesterov} : tensor<8x2xf32>
  // CHECK: mp.sgd %{{.*}}, %{{.*}}, %{{[a-z0-9]+}} : tensor<8x2xf32>
  %w2 = mp.sgd %w1, %g, %lr : tensor<8x2xf32>
  return %w2, %v1 : tensor<8x2xf32>, tensor<8x2xf32>
}

// Slots follow in the order of their keywords, each where it is given.
// CHECK-LABEL: @rmsprop
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<8x2xf32>, %[[G:[a-z0-9]+]]: tensor<8x2xf32>, %[[V:[a-z0-9]+]]: tensor<8x2xf32>, %[[M:[a-z0-9]+]]: tensor<8x2xf32>
// CHECK-SAME: %[[B:[a-z0-9]+]]: tensor<8x2xf32>, %[[LR:[a-z0-9]+]]: tensor<f32>, %[[BAD:[a-z0-9]+]]: tensor<i32>
func.func @rmsprop(%w: tensor<8x2xf32>, %g: tensor<8x2xf32>, %v: tensor<8x2xf32>, %m: tensor<8x2xf32>, %b: tensor<8x2xf32>, %lr: tensor<f32>, %bad: tensor<i32>)
    -> (tensor<8x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>) {
  // CHECK: %[[W1:.*]], %[[V1:.*]] = mp.rmsprop %[[W]], %[[G]], %[[V]], %[[LR]] guard %[[BAD]] : tensor<8x2xf32>
  %w1, %v1 = mp.rmsprop %w, %g, %v, %lr guard %bad {alpha = 0.99 : f64} : tensor<8x2xf32>
  // CHECK: %[[W2:.*]], %[[V2:.*]], %[[M2:.*]] = mp.rmsprop %[[W1]], %[[G]], %[[V1]], %[[LR]] mean %[[M]] {alpha = 9.000000e-01 : f64, epsilon = 1.000000e-03 : f64} : tensor<8x2xf32>
  %w2, %v2, %m2 = mp.rmsprop %w1, %g, %v1, %lr mean %m {alpha = 0.9 : f64, epsilon = 1.0e-3 : f64} : tensor<8x2xf32>
  // CHECK: %[[W3:.*]], %[[V3:.*]], %[[B3:.*]] = mp.rmsprop %[[W2]], %[[G]], %[[V2]], %[[LR]] velocity %[[B]] {momentum = 9.000000e-01 : f64} : tensor<8x2xf32>
  %w3, %v3, %b3 = mp.rmsprop %w2, %g, %v2, %lr velocity %b {momentum = 0.9 : f64} : tensor<8x2xf32>
  // CHECK: %{{.*}}, %{{.*}}, %[[S:.*]]:2 = mp.rmsprop %[[W3]], %[[G]], %[[V3]], %[[LR]] mean %[[M2]] velocity %[[B3]] guard %[[BAD]] {momentum = 5.000000e-01 : f64, weight_decay = 1.000000e-01 : f64} : tensor<8x2xf32>
  %w4, %v4, %m4, %b4 = mp.rmsprop %w3, %g, %v3, %lr mean %m2 velocity %b3 guard %bad {momentum = 0.5 : f64, weight_decay = 0.1 : f64} : tensor<8x2xf32>
  // CHECK: return %{{.*}}, %{{.*}}, %[[S]]#0, %[[S]]#1
  return %w4, %v4, %m4, %b4 : tensor<8x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>
}

// CHECK-LABEL: @one_moment
func.func @one_moment(%w: tensor<8x2xf32>, %g: tensor<8x2xf32>, %s: tensor<8x2xf32>, %m: tensor<8x2xf32>, %lr: tensor<f32>, %t: tensor<i64>, %bad: tensor<i32>)
    -> (tensor<8x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>) {
  // CHECK: mp.adagrad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} guard %{{.*}} {learning_rate_decay = 5.000000e-01 : f64} : tensor<8x2xf32>
  %w1, %s1 = mp.adagrad %w, %g, %s, %lr, %t guard %bad {learning_rate_decay = 0.5 : f64, epsilon = 1.0e-10 : f64} : tensor<8x2xf32>
  // CHECK: mp.lion %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} guard %{{[a-z0-9]+}} : tensor<8x2xf32>
  %w2, %m2 = mp.lion %w1, %g, %m, %lr guard %bad {beta2 = 0.99 : f64} : tensor<8x2xf32>
  return %w2, %s1, %m2 : tensor<8x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>
}

// CHECK-LABEL: @adam_and_kin
func.func @adam_and_kin(%w: tensor<8x2xf32>, %g: tensor<8x2xf32>, %m: tensor<8x2xf32>, %v: tensor<8x2xf32>, %lr: tensor<f32>, %t: tensor<i64>, %q: tensor<f32>, %bad: tensor<i32>)
    -> (tensor<8x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>) {
  // CHECK: mp.adam %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} guard %{{[a-z0-9]+}} : tensor<8x2xf32>
  %w1, %m1, %v1 = mp.adam %w, %g, %m, %v, %lr, %t guard %bad : tensor<8x2xf32>
  // CHECK: mp.adamw %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{[a-z0-9]+}} {weight_decay = 1.000000e-02 : f64} : tensor<8x2xf32>
  %w2, %m2, %v2 = mp.adamw %w1, %g, %m1, %v1, %lr, %t {weight_decay = 1.0e-2 : f64} : tensor<8x2xf32>
  // CHECK: %[[Q:.*]] = mp.momentum_product %{{.*}}, %{{.*}} guard %{{[a-z0-9]+}}{{$}}
  %q1 = mp.momentum_product %q, %t guard %bad {momentum_decay = 0.004 : f64}
  // CHECK: mp.nadam %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[Q]] guard %{{[a-z0-9]+}} : tensor<8x2xf32>
  %w3, %m3, %v3 = mp.nadam %w2, %g, %m2, %v2, %lr, %t, %q1 guard %bad : tensor<8x2xf32>
  // CHECK: mp.lamb %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} guard %{{[a-z0-9]+}} : tensor<8x2xf32>
  %w4, %m4, %v4 = mp.lamb %w3, %g, %m3, %v3, %lr, %t guard %bad {epsilon = 1.0e-6 : f64} : tensor<8x2xf32>
  return %w4, %m4, %v4 : tensor<8x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>
}
