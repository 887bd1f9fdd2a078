// RUN: mp-opt %s -mp-loss-scaling="mode=dynamic" | FileCheck %s --check-prefixes=CHECK,DYNAMIC
// RUN: mp-opt %s -mp-loss-scaling="mode=static init-scale=1024" | FileCheck %s --check-prefixes=CHECK,STATIC
// RUN: mp-opt %s -mp-loss-scaling="mode=none" | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: mp-opt %s -mp-loss-scaling="mode=none no-finite-check" | FileCheck %s --check-prefixes=CHECK,UNCHECKED
// RUN: mp-opt %s -mp-loss-scaling="mode=static no-finite-check" | FileCheck %s --check-prefixes=CHECK,BLIND
// RUN: mp-opt %s -mp-loss-scaling="mode=dynamic init-scale=16777216 growth-factor=4 growth-interval=200 backoff-factor=0.25 hysteresis=2 hysteresis-kind=cumulative floor=2 ceiling=inf raise-error-at-min-scale skip-limit=7" | FileCheck %s --check-prefix=NUMBERS

// CHECK-LABEL: func.func @train_step(

// The signature: what is added, and with what it starts.
// DYNAMIC-SAME: tensor<f32> {mp.initializer = #mp.constant<6.553600e+04 : f64>, mp.state = "loss_scale", mp.training}
// DYNAMIC-SAME: tensor<i32> {mp.initializer = #mp.constant<0.000000e+00 : f64>, mp.state = "growth_tracker", mp.training}
// DYNAMIC-SAME: tensor<i32> {mp.initializer = #mp.constant<1.000000e+00 : f64>, mp.state = "hysteresis_tracker", mp.training}
// DYNAMIC-SAME: tensor<i64> {{.*}}mp.state = "skipped_steps", mp.training}
// DYNAMIC-SAME: tensor<i32> {{.*}}mp.state = "consecutive_skips", mp.training}
// DYNAMIC-SAME: tensor<f32> {mp.next = "loss_scale"}, tensor<i32> {mp.next = "growth_tracker"}, tensor<i32> {mp.next = "hysteresis_tracker"}
// DYNAMIC-SAME: tensor<i64> {mp.next = "skipped_steps"}, tensor<i32> {mp.next = "consecutive_skips"}
// DYNAMIC-SAME: tensor<i32> {mp.log = "bad", mp.log_names = ["w", "b"]}, tensor<f32> {mp.log = "loss_scale"}
// DYNAMIC-NOT: hysteresis_tracker
// DYNAMIC-SAME: mp.loss_scaling = "dynamic"
// DYNAMIC-SAME: mp.skip_limit = 50 : i64

// The scale of `static` is state that nothing writes.
// STATIC-SAME: tensor<f32> {mp.initializer = #mp.constant<1.024000e+03 : f64>, mp.state = "loss_scale", mp.training}
// STATIC-NOT: tracker
// STATIC-NOT: mp.next = "loss_scale"
// STATIC-SAME: mp.loss_scaling = "static"

// NONE-NOT: loss_scale"
// NONE-SAME: mp.log = "bad", mp.log_names = ["w", "b"]
// NONE-SAME: mp.loss_scaling = "none"
// NONE-SAME: mp.skip_limit

// UNCHECKED-NOT: mp.state
// UNCHECKED-NOT: mp.log =
// UNCHECKED-NOT: mp.skip_limit
// BLIND-NOT: mp.log = "bad"
// BLIND-NOT: mp.skip_limit

// The seed is scaled; what used it uses the scaled one.
// CHECK: %[[ONE:.*]] = mp.gradient_seed
// DYNAMIC: %[[SEED:.*]] = mp.scale_loss %[[ONE]], %[[SCALE:.*]]
// DYNAMIC: mp.softmax_cross_entropy_grad %{{.*}}, %{{.*}}, %[[SEED]]
// NONE-NOT: mp.scale_loss
// UNCHECKED-NOT: mp.scale_loss

// One op takes the scale out of all gradients.
// DYNAMIC: %[[GW:.*]] = mp.matmul
// DYNAMIC: %[[GB:.*]] = mp.reduce_sum
// DYNAMIC: %[[U:.*]]:2, %[[BAD:.*]] = mp.unscale %[[GW]], %[[GB]] by %[[SCALE]] {names = ["w", "b"]}
// DYNAMIC-NOT: mp.unscale
// DYNAMIC: %[[S:.*]], %[[T:.*]], %[[H:.*]] = mp.update_loss_scale %[[SCALE]], %{{.*}}, %{{.*}}, %[[BAD]]
// DYNAMIC-SAME: backoff_factor = 5.000000e-01 : f32, ceiling = 3.40282347E+38 : f32, floor = 1.000000e+00 : f32, growth_factor = 2.000000e+00 : f32, growth_interval = 2000 : i32, hysteresis = 1 : i32}
// DYNAMIC: %[[N:.*]], %[[C:.*]] = mp.count_skips %{{.*}}, %{{.*}}, %[[BAD]]
// DYNAMIC: return %{{.*}}, %[[U]]#0, %[[U]]#1, %[[S]], %[[T]], %[[H]], %[[N]], %[[C]], %[[BAD]], %[[SCALE]]

// STATIC: mp.unscale
// STATIC-NOT: mp.update_loss_scale
// STATIC: mp.count_skips

// NONE: %[[BAD:.*]] = mp.check_finite %{{.*}}, %{{.*}} {names = ["w", "b"]}
// NONE: mp.count_skips %{{.*}}, %{{.*}}, %[[BAD]]

// UNCHECKED-NOT: mp.check_finite
// BLIND: mp.unscale
// BLIND-NOT: mp.count_skips

// NUMBERS: #mp.constant<0x4170000000000000 : f64>, mp.state = "loss_scale"
// NUMBERS-SAME: #mp.constant<2.000000e+00 : f64>, mp.state = "hysteresis_tracker"
// NUMBERS-SAME: tensor<i32> {mp.log = "hysteresis_tracker"}
// NUMBERS-SAME: mp.raise_error_at_min_scale = 2.000000e+00 : f32
// NUMBERS-SAME: mp.skip_limit = 7 : i64
// NUMBERS: mp.update_loss_scale {{.*}} {backoff_factor = 2.500000e-01 : f32, ceiling = 0x7F800000 : f32, floor = 2.000000e+00 : f32, growth_factor = 4.000000e+00 : f32, growth_interval = 200 : i32, hysteresis = 2 : i32, hysteresis_kind = #mp<hysteresis_kind cumulative>}
func.func @train_step(%x: tensor<4x8xf32> {mp.input = "x"}, %y: tensor<4xui8> {mp.input = "y"},
    %w: tensor<8x2xf32> {mp.parameter = "w", mp.initializer = #mp.zeros}, %b: tensor<2xf32> {mp.parameter = "b", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}, tensor<8x2xf32> {mp.gradient = "w"}, tensor<2xf32> {mp.gradient = "b"}) attributes {mp.program = "train_step"} {
  %z = mp.matmul %x, %w bias %b : tensor<2xf32> acc f32 : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  %l = mp.softmax_cross_entropy %z, %y : tensor<4x2xf32>, tensor<4xui8> -> tensor<f32>
  %one = mp.gradient_seed : tensor<f32>
  %gz = mp.softmax_cross_entropy_grad %z, %y, %one : tensor<4x2xf32>, tensor<4xui8>, tensor<f32>
  %gw = mp.matmul %x, %gz transpose_lhs acc f32 : tensor<4x8xf32>, tensor<4x2xf32> -> tensor<8x2xf32>
  %gb = mp.reduce_sum %gz dimensions [0] : tensor<4x2xf32> -> tensor<2xf32>
  return %l, %gw, %gb : tensor<f32>, tensor<8x2xf32>, tensor<2xf32>
}
