// RUN: mp-opt %s -mp-optimizer | FileCheck %s --check-prefixes=CHECK,ADAM
// RUN: mp-opt %s -mp-optimizer="kind=adamw weight-decay=0.125 beta1=0.75 beta2=0.5 epsilon=0.25 learning-rate=0.5" | FileCheck %s --check-prefixes=CHECK,ADAMW
// RUN: mp-opt %s -mp-optimizer="kind=sgd" | FileCheck %s --check-prefixes=CHECK,SGD
// RUN: mp-opt %s -mp-optimizer="kind=sgd momentum=0.5 nesterov weight-decay=0.25" | FileCheck %s --check-prefixes=CHECK,MOMENTUM
// RUN: mp-opt %s -mp-optimizer="clip-norm=2" | FileCheck %s --check-prefixes=CHECK,CLIP
// RUN: mp-opt %s -mp-optimizer="clip-parameter-norm=2" | FileCheck %s --check-prefixes=CHECK,EACH
// RUN: mp-opt %s -mp-optimizer="clip-value=2 log-gradient-norm" | FileCheck %s --check-prefixes=CHECK,MEASURED,VALUE
// RUN: mp-opt %s -mp-optimizer="log-gradient-norm" | FileCheck %s --check-prefixes=CHECK,MEASURED

// CHECK-LABEL: func.func @checked(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2xf32> {mp.input = "x"}
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<2xf32> {{{.*}}mp.parameter = "w"}
// CHECK-SAME: %[[MEAN:[a-z0-9]+]]: tensor<2xf32> {{{.*}}mp.state = "mean"}
// CHECK-SAME: %[[RNG:[a-z0-9]+]]: tensor<2xi64> {mp.state = "rng"}

// The host sets the learning rate; the option is what it starts with.
// ADAM-SAME: %[[LR:[a-z0-9]+]]: tensor<f32> {mp.initializer = #mp.constant<1.000000e-03 : f64>, mp.state = "learning_rate", mp.training}
// ADAM-SAME: %[[STEP:[a-z0-9]+]]: tensor<i64> {mp.initializer = #mp.zeros, mp.state = "adam.step", mp.training}
// ADAM-SAME: %[[M:[a-z0-9]+]]: tensor<2xf32> {mp.initializer = #mp.zeros, mp.state = "w/adam.m", mp.training = "w"}
// ADAM-SAME: %[[V:[a-z0-9]+]]: tensor<2xf32> {mp.initializer = #mp.zeros, mp.state = "w/adam.v", mp.training = "w"}
// ADAMW-SAME: #mp.constant<5.000000e-01 : f64>, mp.state = "learning_rate"
// ADAMW-SAME: mp.state = "adamw.step"
// ADAMW-SAME: mp.state = "w/adamw.m"
// ADAMW-SAME: mp.state = "w/adamw.v"
// SGD-NOT: mp.state = "w/
// MOMENTUM-SAME: tensor<2xf32> {mp.initializer = #mp.zeros, mp.state = "w/sgd.momentum", mp.training = "w"}

// No gradient is left, and each next value stands for what was an argument.
// CHECK-NOT: mp.gradient =
// CHECK-SAME: tensor<2xf32> {mp.next = "mean"}
// CLIP-SAME: tensor<f32> {mp.log = "gradient_norm"}
// MEASURED-SAME: tensor<f32> {mp.log = "gradient_norm"}
// CHECK-SAME: tensor<2xf32> {mp.next = "w"}
// ADAM-SAME: tensor<2xf32> {mp.next = "w/adam.m"}, tensor<2xf32> {mp.next = "w/adam.v"}
// MOMENTUM-SAME: tensor<2xf32> {mp.next = "w/sgd.momentum"}
// ADAM-SAME: tensor<i64> {mp.next = "adam.step"}
// CHECK-SAME: tensor<2xi64> {mp.next = "rng"}

// CHECK: %[[BAD:.*]] = mp.check_finite
// What the model itself keeps is guarded, too.
// CHECK: %[[ZERO:.*]] = mp.constant dense<0> : tensor<i32>
// CHECK: %[[SKIP:.*]] = mp.compare ge %[[BAD]], %[[ZERO]]
// CHECK: %[[NEXT:.*]] = mp.select %[[SKIP]], %[[MEAN]], %[[X]]
// CLIP: %[[CLIPPED:.*]], %[[LENGTH:.*]] = mp.clip_by_global_norm %{{.*}} {max_norm = 2.000000e+00 : f32}
// EACH: %[[CLIPPED:.*]] = mp.clip_by_norm %{{.*}} {max_norm = 2.000000e+00 : f32}
// MEASURED: mp.global_norm
// VALUE: %[[CLIPPED:.*]] = mp.clip_by_value %{{.*}} {limit = 2.000000e+00 : f32}
// ADAM: mp.adam %[[W]], %{{.*}}, %[[M]], %[[V]], %[[LR]], %[[STEP]] guard %[[BAD]] : tensor<2xf32>
// ADAM: mp.advance %[[STEP]] guard %[[BAD]] : tensor<i64>
// ADAMW: mp.adamw {{.*}} guard %[[BAD]] {beta1 = 7.500000e-01 : f64, beta2 = 5.000000e-01 : f64, epsilon = 2.500000e-01 : f64, weight_decay = 1.250000e-01 : f64}
// SGD: mp.sgd %[[W]], %{{.*}}, %{{.*}} guard %[[BAD]] : tensor<2xf32>
// MOMENTUM: mp.sgd %[[W]], %{{.*}}, %{{.*}} velocity %{{.*}} guard %[[BAD]] {momentum = 5.000000e-01 : f32, nesterov, weight_decay = 2.500000e-01 : f32}
// CLIP: mp.adam %[[W]], %[[CLIPPED]]
// EACH: mp.adam %[[W]], %[[CLIPPED]]
// VALUE: mp.adam %[[W]], %[[CLIPPED]]
// CHECK: mp.advance %[[RNG]] guard %[[BAD]] : tensor<2xi64>
func.func @checked(%x: tensor<2xf32> {mp.input = "x"}, %w: tensor<2xf32> {mp.parameter = "w", mp.initializer = #mp.ones},
    %mean: tensor<2xf32> {mp.state = "mean", mp.initializer = #mp.zeros}, %rng: tensor<2xi64> {mp.state = "rng"})
    -> (tensor<2xf32> {mp.next = "mean"}, tensor<2xf32> {mp.gradient = "w"}, tensor<i32> {mp.log = "bad", mp.log_names = ["w"]})
    attributes {mp.program = "train_step", mp.loss_scaling = "none"} {
  %g = mp.dropout %w, %rng {rate = 0.5, stream = 1} : tensor<2xf32>
  %bad = mp.check_finite %g {names = ["w"]} : tensor<2xf32>
  return %x, %g, %bad : tensor<2xf32>, tensor<2xf32>, tensor<i32>
}

// Without a check nothing is guarded.
// CHECK-LABEL: func.func @unchecked(
// CHECK-NOT: guard
// ADAM: mp.adam
// ADAM: mp.advance
// CHECK: return
func.func @unchecked(%w: tensor<2xf32> {mp.parameter = "w", mp.initializer = #mp.ones}) -> (tensor<2xf32> {mp.gradient = "w"})
    attributes {mp.program = "train_step", mp.loss_scaling = "none"} {
  return %w : tensor<2xf32>
}

// A step without gradients is finished.
// CHECK-LABEL: func.func @finished(
// CHECK-NOT: learning_rate
// CHECK: return
func.func @finished(%w: tensor<2xf32> {mp.parameter = "w", mp.initializer = #mp.ones}) -> (tensor<2xf32> {mp.next = "w"})
    attributes {mp.program = "train_step"} {
  return %w : tensor<2xf32>
}
