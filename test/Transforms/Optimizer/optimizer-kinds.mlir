// RUN: mp-opt %s -mp-optimizer="kind=rmsprop" | FileCheck %s --check-prefixes=CHECK,RMSPROP
// RUN: mp-opt %s -mp-optimizer="kind=rmsprop centered momentum=0.5 alpha=0.75 epsilon=0.25 weight-decay=0.125" | FileCheck %s --check-prefixes=CHECK,CENTERED
// RUN: mp-opt %s -mp-optimizer="kind=adagrad initial-accumulator-value=0.5 learning-rate-decay=0.25" | FileCheck %s --check-prefixes=CHECK,ADAGRAD
// RUN: mp-opt %s -mp-optimizer="kind=nadam momentum-decay=0.5 beta1=0.75" | FileCheck %s --check-prefixes=CHECK,NADAM
// RUN: mp-opt %s -mp-optimizer="kind=lamb weight-decay=0.125" | FileCheck %s --check-prefixes=CHECK,LAMB
// RUN: mp-opt %s -mp-optimizer="kind=lion weight-decay=0.125" | FileCheck %s --check-prefixes=CHECK,LION

// What each kind of optimizer keeps, from which value on, and that all of it is guarded. What is not said is the kind's own: printed
// ops do not name it.

// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<2xf32> {{{.*}}mp.parameter = "w"}
// CHECK-SAME: %[[LR:[a-z0-9]+]]: tensor<f32> {mp.initializer = #mp.constant<1.000000e-03 : f64>, mp.state = "learning_rate", mp.training}
// RMSPROP-SAME: %[[V:[a-z0-9]+]]: tensor<2xf32> {mp.initializer = #mp.zeros, mp.state = "w/rmsprop.v", mp.training = "w"})
// RMSPROP-SAME: tensor<2xf32> {mp.next = "w"}, tensor<2xf32> {mp.next = "w/rmsprop.v"})
// CENTERED-SAME: %[[V:[a-z0-9]+]]: tensor<2xf32> {mp.initializer = #mp.zeros, mp.state = "w/rmsprop.v", mp.training = "w"}
// CENTERED-SAME: %[[M:[a-z0-9]+]]: tensor<2xf32> {mp.initializer = #mp.zeros, mp.state = "w/rmsprop.mean", mp.training = "w"}
// CENTERED-SAME: %[[B:[a-z0-9]+]]: tensor<2xf32> {mp.initializer = #mp.zeros, mp.state = "w/rmsprop.momentum", mp.training = "w"})
// CENTERED-SAME: {mp.next = "w"}, tensor<2xf32> {mp.next = "w/rmsprop.v"}, tensor<2xf32> {mp.next = "w/rmsprop.mean"}, tensor<2xf32> {mp.next = "w/rmsprop.momentum"})
// ADAGRAD-SAME: %[[T:[a-z0-9]+]]: tensor<i64> {mp.initializer = #mp.zeros, mp.state = "adagrad.step", mp.training}
// ADAGRAD-SAME: %[[S:[a-z0-9]+]]: tensor<2xf32> {mp.initializer = #mp.constant<5.000000e-01 : f64>, mp.state = "w/adagrad.sum", mp.training = "w"})
// ADAGRAD-SAME: {mp.next = "w"}, tensor<2xf32> {mp.next = "w/adagrad.sum"}, tensor<i64> {mp.next = "adagrad.step"})
// NADAM-SAME: %[[T:[a-z0-9]+]]: tensor<i64> {mp.initializer = #mp.zeros, mp.state = "nadam.step", mp.training}
// NADAM-SAME: %[[Q:[a-z0-9]+]]: tensor<f32> {mp.initializer = #mp.constant<1.000000e+00 : f64>, mp.state = "nadam.momentum_product", mp.training}
// NADAM-SAME: %[[M:[a-z0-9]+]]: tensor<2xf32> {mp.initializer = #mp.zeros, mp.state = "w/nadam.m", mp.training = "w"}
// NADAM-SAME: %[[V:[a-z0-9]+]]: tensor<2xf32> {mp.initializer = #mp.zeros, mp.state = "w/nadam.v", mp.training = "w"})
// NADAM-SAME: {mp.next = "w/nadam.v"}, tensor<f32> {mp.next = "nadam.momentum_product"}, tensor<i64> {mp.next = "nadam.step"})
// LAMB-SAME: %[[T:[a-z0-9]+]]: tensor<i64> {mp.initializer = #mp.zeros, mp.state = "lamb.step", mp.training}
// LAMB-SAME: mp.state = "w/lamb.m", mp.training = "w"}
// LAMB-SAME: mp.state = "w/lamb.v", mp.training = "w"})
// LAMB-SAME: {mp.next = "w/lamb.m"}, tensor<2xf32> {mp.next = "w/lamb.v"}, tensor<i64> {mp.next = "lamb.step"})
// LION-SAME: %[[M:[a-z0-9]+]]: tensor<2xf32> {mp.initializer = #mp.zeros, mp.state = "w/lion.m", mp.training = "w"})
// LION-SAME: {mp.next = "w"}, tensor<2xf32> {mp.next = "w/lion.m"})

// CHECK: %[[BAD:.*]] = mp.check_finite
// RMSPROP: mp.rmsprop %[[W]], %[[W]], %[[V]], %[[LR]] guard %[[BAD]] : tensor<2xf32>
// CENTERED: mp.rmsprop %[[W]], %[[W]], %[[V]], %[[LR]] mean %[[M]] velocity %[[B]] guard %[[BAD]] {alpha = 7.500000e-01 : f64, epsilon = 2.500000e-01 : f64, momentum = 5.000000e-01 : f64, weight_decay = 1.250000e-01 : f64}
// ADAGRAD: mp.adagrad %[[W]], %[[W]], %[[S]], %[[LR]], %[[T]] guard %[[BAD]] {learning_rate_decay = 2.500000e-01 : f64} : tensor<2xf32>
// ADAGRAD: mp.advance %[[T]] guard %[[BAD]]
// NADAM: %[[Q1:.*]] = mp.momentum_product %[[Q]], %[[T]] guard %[[BAD]] {beta1 = 7.500000e-01 : f64, momentum_decay = 5.000000e-01 : f64}
// NADAM: mp.nadam %[[W]], %[[W]], %[[M]], %[[V]], %[[LR]], %[[T]], %[[Q1]] guard %[[BAD]] {beta1 = 7.500000e-01 : f64, momentum_decay = 5.000000e-01 : f64} : tensor<2xf32>
// LAMB: mp.lamb %[[W]], %[[W]], {{.*}} guard %[[BAD]] {weight_decay = 1.250000e-01 : f64} : tensor<2xf32>
// LION: mp.lion %[[W]], %[[W]], %[[M]], %[[LR]] guard %[[BAD]] {weight_decay = 1.250000e-01 : f64} : tensor<2xf32>
func.func @step(%w: tensor<2xf32> {mp.parameter = "w", mp.initializer = #mp.ones})
    -> (tensor<2xf32> {mp.gradient = "w"}, tensor<i32> {mp.log = "bad", mp.log_names = ["w"]})
    attributes {mp.program = "train_step", mp.loss_scaling = "none"} {
  %bad = mp.check_finite %w {names = ["w"]} : tensor<2xf32>
  return %w, %bad : tensor<2xf32>, tensor<i32>
}
