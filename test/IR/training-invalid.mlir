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
// mp.unscale (C1)
func.func @unscaled_shape(%g: tensor<2xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{has results of types 'tensor<3xf32>', 'tensor<i32>', expected 'tensor<2xf32>', 'tensor<i32>'}}
  %u:2 = "mp.unscale"(%g, %s) {names = ["a"]} : (tensor<2xf32>, tensor<f32>) -> (tensor<3xf32>, tensor<i32>)
  return
}
