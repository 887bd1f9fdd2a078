// RUN: mp-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: @loss_scaling
func.func @loss_scaling(%s: tensor<f32>, %t: tensor<i32>, %h: tensor<i32>, %w: tensor<8x2xf32>, %b: tensor<2xf32>, %n: tensor<i64>)
    -> (tensor<8x2xf32>, tensor<2xf32>, tensor<f32>, tensor<i32>, tensor<i32>, tensor<i64>, tensor<i32>, tensor<f32>, tensor<i32>) {
  // CHECK: mp.gradient_seed : tensor<f32>
  %one = mp.gradient_seed : tensor<f32>
  // CHECK: mp.scale_loss %{{.*}}, %{{.*}}
  %seed = mp.scale_loss %one, %s
  // CHECK: %{{.*}}:2, %{{.*}} = mp.unscale %{{.*}}, %{{.*}} by %{{.*}} {names = ["kernel", "bias"]} : tensor<8x2xf32>, tensor<2xf32>
  %u:2, %bad = mp.unscale %w, %b by %s {names = ["kernel", "bias"]} : tensor<8x2xf32>, tensor<2xf32>
  // CHECK: mp.check_finite %{{.*}} {names = ["kernel"]} : tensor<8x2xf32>
  %bad2 = mp.check_finite %w {names = ["kernel"]} : tensor<8x2xf32>
  // CHECK: mp.update_loss_scale %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {
  %s1, %t1, %h1 = mp.update_loss_scale %s, %t, %h, %bad
      {growth_factor = 2.0 : f32, growth_interval = 2000 : i32, backoff_factor = 0.5 : f32, hysteresis = 1 : i32, floor = 1.0 : f32, ceiling = 3.0e+38 : f32}
  // CHECK: mp.count_skips
  %n1, %c1 = mp.count_skips %n, %t, %bad
  return %u#0, %u#1, %s1, %t1, %h1, %n1, %c1, %seed, %bad2 : tensor<8x2xf32>, tensor<2xf32>, tensor<f32>, tensor<i32>, tensor<i32>, tensor<i64>, tensor<i32>, tensor<f32>, tensor<i32>
}

// CHECK-LABEL: @counts
func.func @counts(%t: tensor<i64>, %rng: tensor<2xi64>, %bad: tensor<i32>) -> (tensor<i64>, tensor<2xi64>) {
  // CHECK: mp.advance %{{.*}} guard %{{.*}} : tensor<i64>
  %t1 = mp.advance %t guard %bad : tensor<i64>
  // CHECK: mp.advance %{{.*}} : tensor<2xi64>
  %rng1 = mp.advance %rng : tensor<2xi64>
  return %t1, %rng1 : tensor<i64>, tensor<2xi64>
}
