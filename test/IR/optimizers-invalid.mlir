// RUN: mp-opt %s -split-input-file -verify-diagnostics

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
  // expected-error @+1 {{beta1 is 1.000000e+00, expected at least 0 and less than 1}}
  %0, %1, %2 = mp.adam %w, %w, %w, %w, %lr, %t {beta1 = 1.0 : f64} : tensor<2xf32>
  return
}
// -----
// mp.adamw (C2)
func.func @epsilon(%w: tensor<2xf32>, %lr: tensor<f32>, %t: tensor<i64>) {
  // expected-error @+1 {{epsilon is -1.000000e+00, expected at least 0}}
  %0, %1, %2 = mp.adamw %w, %w, %w, %w, %lr, %t {epsilon = -1.0 : f64} : tensor<2xf32>
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
// -----
// mp.clip_by_norm (C1)
func.func @max_norm_of_each(%g: tensor<2xf32>) {
  // expected-error @+1 {{max_norm is -1.000000e+00, expected greater than 0}}
  %c = mp.clip_by_norm %g {max_norm = -1.0 : f32} : tensor<2xf32>
  return
}
// -----
// mp.clip_by_norm (C2)
func.func @clipped_by_norm(%g: tensor<2xf32>) {
  // expected-error @+1 {{has results of types 'tensor<3xf32>', expected 'tensor<2xf32>'}}
  %c = "mp.clip_by_norm"(%g) {max_norm = 1.0 : f32} : (tensor<2xf32>) -> tensor<3xf32>
  return
}
// -----
// mp.clip_by_value (C1)
func.func @limit(%g: tensor<2xf32>) {
  // expected-error @+1 {{limit is 0.000000e+00, expected greater than 0}}
  %c = mp.clip_by_value %g {limit = 0.0 : f32} : tensor<2xf32>
  return
}
// -----
// mp.clip_by_value (C2)
func.func @clipped_by_value(%g: tensor<2xf32>) {
  // expected-error @+1 {{has results of types 'tensor<3xf32>', expected 'tensor<2xf32>'}}
  %c = "mp.clip_by_value"(%g) {limit = 1.0 : f32} : (tensor<2xf32>) -> tensor<3xf32>
  return
}
// -----
// mp.rmsprop (C1)
func.func @mean_type(%w: tensor<2xf32>, %m: tensor<3xf32>, %lr: tensor<f32>) {
  // expected-error @+1 {{operand has type 'tensor<3xf32>', parameter has 'tensor<2xf32>'}}
  %0:3 = "mp.rmsprop"(%w, %w, %w, %lr, %m) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0>}
      : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<3xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<3xf32>)
  return
}
// -----
// mp.rmsprop (C1)
func.func @too_few_results(%w: tensor<2xf32>, %lr: tensor<f32>) {
  // expected-error @+1 {{has results of types 'tensor<2xf32>', 'tensor<2xf32>', expected 'tensor<2xf32>', 'tensor<2xf32>', 'tensor<2xf32>'}}
  %0:2 = "mp.rmsprop"(%w, %w, %w, %lr, %w) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0>}
      : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}
// -----
// mp.rmsprop (C2)
func.func @rmsprop_velocity(%w: tensor<2xf32>, %lr: tensor<f32>) {
  // expected-error @+1 {{has velocity if and only if momentum is not 0, found momentum 0.000000e+00}}
  %0, %1, %2 = mp.rmsprop %w, %w, %w, %lr velocity %w : tensor<2xf32>
  return
}
// -----
// mp.rmsprop (C3)
func.func @alpha(%w: tensor<2xf32>, %lr: tensor<f32>) {
  // expected-error @+1 {{alpha is 1.000000e+00, expected at least 0 and less than 1}}
  %0, %1 = mp.rmsprop %w, %w, %w, %lr {alpha = 1.0 : f64} : tensor<2xf32>
  return
}
// -----
// mp.rmsprop (C3)
func.func @rmsprop_decay(%w: tensor<2xf32>, %lr: tensor<f32>) {
  // expected-error @+1 {{weight_decay is -1.000000e+00, expected at least 0}}
  %0, %1 = mp.rmsprop %w, %w, %w, %lr {weight_decay = -1.0 : f64} : tensor<2xf32>
  return
}
// -----
// mp.adagrad (C1)
func.func @sum_type(%w: tensor<2xf32>, %s: tensor<3xf32>, %lr: tensor<f32>, %t: tensor<i64>) {
  // expected-error @+1 {{failed to verify that all of {parameter, gradient, sum, new_parameter, new_sum} have same type}}
  %0:2 = "mp.adagrad"(%w, %w, %s, %lr, %t) : (tensor<2xf32>, tensor<2xf32>, tensor<3xf32>, tensor<f32>, tensor<i64>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}
// -----
// mp.adagrad (C2)
func.func @learning_rate_decay(%w: tensor<2xf32>, %lr: tensor<f32>, %t: tensor<i64>) {
  // expected-error @+1 {{learning_rate_decay is -1.000000e+00, expected at least 0}}
  %0, %1 = mp.adagrad %w, %w, %w, %lr, %t {learning_rate_decay = -1.0 : f64} : tensor<2xf32>
  return
}
// -----
// mp.lion (C1)
func.func @lion_type(%w: tensor<2xf32>, %m: tensor<3xf32>, %lr: tensor<f32>) {
  // expected-error @+1 {{failed to verify that all of {parameter, gradient, m, new_parameter, new_m} have same type}}
  %0:2 = "mp.lion"(%w, %w, %m, %lr) : (tensor<2xf32>, tensor<2xf32>, tensor<3xf32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}
// -----
// mp.lion (C2)
func.func @lion_beta(%w: tensor<2xf32>, %lr: tensor<f32>) {
  // expected-error @+1 {{beta2 is 1.000000e+00, expected at least 0 and less than 1}}
  %0, %1 = mp.lion %w, %w, %w, %lr {beta2 = 1.0 : f64} : tensor<2xf32>
  return
}
// -----
// mp.momentum_product (C1)
func.func @product_beta(%q: tensor<f32>, %t: tensor<i64>) {
  // expected-error @+1 {{beta1 is -1.000000e+00, expected at least 0 and less than 1}}
  %0 = mp.momentum_product %q, %t {beta1 = -1.0 : f64}
  return
}
// -----
// mp.momentum_product (C1)
func.func @product_decay(%q: tensor<f32>, %t: tensor<i64>) {
  // expected-error @+1 {{momentum_decay is -1.000000e+00, expected at least 0}}
  %0 = mp.momentum_product %q, %t {momentum_decay = -1.0 : f64}
  return
}
// -----
// mp.nadam (C1)
func.func @nadam_type(%w: tensor<2xf32>, %m: tensor<3xf32>, %lr: tensor<f32>, %t: tensor<i64>) {
  // expected-error @+1 {{failed to verify that all of {parameter, gradient, m, v, new_parameter, new_m, new_v} have same type}}
  %0:3 = "mp.nadam"(%w, %w, %m, %w, %lr, %t, %lr) : (tensor<2xf32>, tensor<2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<f32>, tensor<i64>, tensor<f32>)
      -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}
// -----
// mp.nadam (C2)
func.func @nadam_decay(%w: tensor<2xf32>, %lr: tensor<f32>, %t: tensor<i64>) {
  // expected-error @+1 {{momentum_decay is -1.000000e+00, expected at least 0}}
  %0, %1, %2 = mp.nadam %w, %w, %w, %w, %lr, %t, %lr {momentum_decay = -1.0 : f64} : tensor<2xf32>
  return
}
// -----
// mp.adam (C2)
func.func @lamb_epsilon(%w: tensor<2xf32>, %lr: tensor<f32>, %t: tensor<i64>) {
  // expected-error @+1 {{epsilon is -1.000000e+00, expected at least 0}}
  %0, %1, %2 = mp.lamb %w, %w, %w, %w, %lr, %t {epsilon = -1.0 : f64} : tensor<2xf32>
  return
}
