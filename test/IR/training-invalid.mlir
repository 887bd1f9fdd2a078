// RUN: mp-opt %s -split-input-file -verify-diagnostics

// mp.gradient_seed (C1)
func.func @seed() {
  // expected-error @+1 {{result has type 'tensor<f16>', expected tensor<f32> or tensor<f64>}}
  %0 = mp.gradient_seed : tensor<f16>
  return
}
// -----
// mp.unscale (C2)
func.func @names(%g: tensor<2xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{has 1 gradients and 2 names, expected one for each}}
  %u, %bad = mp.unscale %g by %s {names = ["a", "b"]} : tensor<2xf32>
  return
}
// -----
// mp.check_finite (C1)
func.func @check_names(%g: tensor<2xf32>) {
  // expected-error @+1 {{has 1 gradients and 0 names, expected one for each}}
  %bad = mp.check_finite %g {names = []} : tensor<2xf32>
  return
}
// -----
// mp.update_loss_scale (C1)
func.func @growth_factor(%s: tensor<f32>, %t: tensor<i32>) {
  // expected-error @+1 {{growth_factor is 5.000000e-01, expected at least 1}}
  %a, %b, %c = mp.update_loss_scale %s, %t, %t, %t {growth_factor = 0.5 : f32, growth_interval = 1 : i32, backoff_factor = 0.5 : f32, hysteresis = 1 : i32, floor = 1.0 : f32, ceiling = 2.0 : f32}
  return
}
// -----
// mp.update_loss_scale (C1)
func.func @backoff(%s: tensor<f32>, %t: tensor<i32>) {
  // expected-error @+1 {{backoff_factor is 0.000000e+00, expected greater than 0 and at most 1}}
  %a, %b, %c = mp.update_loss_scale %s, %t, %t, %t {growth_factor = 2.0 : f32, growth_interval = 1 : i32, backoff_factor = 0.0 : f32, hysteresis = 1 : i32, floor = 1.0 : f32, ceiling = 2.0 : f32}
  return
}
// -----
// mp.update_loss_scale (C1)
func.func @interval(%s: tensor<f32>, %t: tensor<i32>) {
  // expected-error @+1 {{growth_interval is 0, expected at least 1}}
  %a, %b, %c = mp.update_loss_scale %s, %t, %t, %t {growth_factor = 2.0 : f32, growth_interval = 0 : i32, backoff_factor = 0.5 : f32, hysteresis = 1 : i32, floor = 1.0 : f32, ceiling = 2.0 : f32}
  return
}
// -----
// mp.update_loss_scale (C1)
func.func @hysteresis(%s: tensor<f32>, %t: tensor<i32>) {
  // expected-error @+1 {{hysteresis is 0, expected at least 1}}
  %a, %b, %c = mp.update_loss_scale %s, %t, %t, %t {growth_factor = 2.0 : f32, growth_interval = 1 : i32, backoff_factor = 0.5 : f32, hysteresis = 0 : i32, floor = 1.0 : f32, ceiling = 2.0 : f32}
  return
}
// -----
// mp.update_loss_scale (C2)
func.func @floor(%s: tensor<f32>, %t: tensor<i32>) {
  // expected-error @+1 {{floor and ceiling are 4.000000e+00 and 2.000000e+00, expected 0 <= floor <= ceiling}}
  %a, %b, %c = mp.update_loss_scale %s, %t, %t, %t {growth_factor = 2.0 : f32, growth_interval = 1 : i32, backoff_factor = 0.5 : f32, hysteresis = 1 : i32, floor = 4.0 : f32, ceiling = 2.0 : f32}
  return
}
// -----
// mp.advance (C1)
func.func @advance(%t: tensor<2x2xi64>) {
  // expected-error @+1 {{operand is 'tensor<2x2xi64>', expected rank 0, or rank 1 and an element}}
  %0 = mp.advance %t : tensor<2x2xi64>
  return
}
// -----
// mp.clip_by_global_norm (C1)
func.func @max_norm(%g: tensor<2xf32>) {
  // expected-error @+1 {{max_norm is 0.000000e+00, expected greater than 0}}
  %c, %n = mp.clip_by_global_norm %g {max_norm = 0.0 : f32} : tensor<2xf32>
  return
}
// -----
// mp.sgd (C2)
func.func @velocity(%w: tensor<2xf32>, %lr: tensor<f32>) {
  // expected-error @+1 {{has velocity if and only if momentum is not 0}}
  %0 = mp.sgd %w, %w, %lr {momentum = 0.9 : f32} : tensor<2xf32>
  return
}
// -----
// mp.sgd (C2)
func.func @nesterov(%w: tensor<2xf32>, %lr: tensor<f32>) {
  // expected-error @+1 {{nesterov needs momentum}}
  %0 = mp.sgd %w, %w, %lr {nesterov} : tensor<2xf32>
  return
}
// -----
// mp.adam (C2)
func.func @beta(%w: tensor<2xf32>, %lr: tensor<f32>, %t: tensor<i64>) {
  // expected-error @+1 {{beta1 and beta2 are 1.000000e+00 and 9.990000e-01, expected at least 0 and less than 1}}
  %0, %1, %2 = mp.adam %w, %w, %w, %w, %lr, %t {beta1 = 1.0 : f64} : tensor<2xf32>
  return
}
// -----
// mp.adamw (C2)
func.func @epsilon(%w: tensor<2xf32>, %lr: tensor<f32>, %t: tensor<i64>) {
  // expected-error @+1 {{epsilon and weight_decay are -1.000000e+00}}
  %0, %1, %2 = mp.adamw %w, %w, %w, %w, %lr, %t {epsilon = -1.0 : f64} : tensor<2xf32>
  return
}
// -----
// mp.unscale (C1)
func.func @unscaled_shape(%g: tensor<2xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{has results of types 'tensor<3xf32>', 'tensor<i32>', expected 'tensor<2xf32>', 'tensor<i32>'}}
  %u:2 = "mp.unscale"(%g, %s) {names = ["a"]} : (tensor<2xf32>, tensor<f32>) -> (tensor<3xf32>, tensor<i32>)
  return
}
// -----
// mp.clip_by_global_norm (C2)
func.func @clipped_results(%g: tensor<2xf32>) {
  // expected-error @+1 {{has results of types 'tensor<f32>', expected 'tensor<2xf32>', 'tensor<f32>'}}
  %n = "mp.clip_by_global_norm"(%g) {max_norm = 1.0 : f32} : (tensor<2xf32>) -> tensor<f32>
  return
}
// -----
// mp.sgd (C1)
func.func @velocity_type(%w: tensor<2xf32>, %v: tensor<3xf32>, %lr: tensor<f32>) {
  // expected-error @+1 {{operand has type 'tensor<3xf32>', parameter has 'tensor<2xf32>'}}
  %0:2 = "mp.sgd"(%w, %w, %lr, %v) {momentum = 0.9 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}
      : (tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<3xf32>) -> (tensor<2xf32>, tensor<3xf32>)
  return
}
// -----
// mp.adam (C1)
func.func @moment_type(%w: tensor<2xf32>, %m: tensor<3xf32>, %lr: tensor<f32>, %t: tensor<i64>) {
  // expected-error @+1 {{failed to verify that all of {parameter, gradient, m, v, new_parameter, new_m, new_v} have same type}}
  %0:3 = "mp.adam"(%w, %w, %m, %w, %lr, %t) : (tensor<2xf32>, tensor<2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<f32>, tensor<i64>)
      -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}
