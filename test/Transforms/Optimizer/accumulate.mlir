// RUN: mp-opt %s -mp-loss-scaling="mode=dynamic" -mp-optimizer="kind=sgd accumulate=4" | FileCheck %s
// RUN: mp-opt %s -mp-loss-scaling="mode=none" -mp-optimizer="kind=sgd accumulate=4" | FileCheck %s --check-prefix=NONE

// The step itself stays beside the two programs. What it makes of the model's own state does not wait, so that
// micro-batches behind it start there.
// CHECK-LABEL: func.func @train_step(
// CHECK-SAME: tensor<2xf32> {mp.initializer = #mp.ones, mp.state = "mean/pending", mp.training = "mean"}
// CHECK-SAME: mp.next = "mean"
// CHECK-SAME: mp.next = "w"
// CHECK-SAME: mp.next = "mean/pending"
// CHECK: %[[NEXT_MEAN:.*]] = mp.select
// CHECK: return %{{.*}}, %[[NEXT_MEAN]], {{.*}}, %[[NEXT_MEAN]] :

// CHECK-LABEL: func.func @accumulate(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2xf32> {mp.input = "x"}
// CHECK-SAME: %[[RNG:[a-z0-9]+]]: tensor<2xi64> {mp.state = "rng"}
// The model's own state is read and written where it waits.
// CHECK-SAME: %[[PENDING:[a-z0-9]+]]: tensor<2xf32> {mp.initializer = #mp.ones, mp.state = "mean/pending", mp.training = "mean"}
// CHECK-NOT: mp.state = "mean"
// CHECK-SAME: %[[SUM:[a-z0-9]+]]: tensor<2xf32> {mp.initializer = #mp.zeros, mp.scaled, mp.state = "w/gradient_sum", mp.training = "w"}
// CHECK-NOT: mp.state = "growth_tracker"
// CHECK-NOT: mp.log
// CHECK-SAME: (tensor<f32> {mp.loss}, tensor<2xf32> {mp.next = "mean/pending"}, tensor<2xf32> {mp.next = "w/gradient_sum"}, tensor<2xi64> {mp.next = "rng"})
// CHECK-NOT: mp.skip_limit
// CHECK-SAME: mp.micro_batches = 4
// CHECK-SAME: mp.program = "accumulate"
// CHECK: %[[MEAN:.*]] = mp.add %[[PENDING]], %[[X]]
// CHECK: mp.scale_loss
// CHECK-NOT: mp.unscale
// CHECK: %[[NEXT:.*]] = mp.add %[[SUM]], %{{.*}} : tensor<2xf32>
// Each micro-batch has its own masks: the step of the generator is not guarded.
// CHECK: %[[ADVANCED:.*]] = mp.advance %[[RNG]] : tensor<2xi64>
// CHECK: return %{{.*}}, %[[MEAN]], %[[NEXT]], %[[ADVANCED]]

// CHECK-LABEL: func.func @apply(
// CHECK-NOT: mp.input
// CHECK-NOT: mp.state = "rng"
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<2xf32> {mp.initializer = #mp.ones, mp.parameter = "w"}
// CHECK-SAME: %[[OLD:[a-z0-9]+]]: tensor<2xf32> {mp.initializer = #mp.ones, mp.state = "mean"}
// CHECK-SAME: %[[SCALE:[a-z0-9]+]]: tensor<f32> {{{.*}}mp.state = "loss_scale", mp.training}
// CHECK-SAME: %[[PENDING:[a-z0-9]+]]: tensor<2xf32> {mp.initializer = #mp.ones, mp.state = "mean/pending", mp.training = "mean"}
// CHECK-SAME: %[[SUM:[a-z0-9]+]]: tensor<2xf32> {mp.initializer = #mp.zeros, mp.scaled, mp.state = "w/gradient_sum", mp.training = "w"}
// CHECK-NOT: mp.loss}
// CHECK-SAME: mp.skip_limit = 50
// CHECK-NOT: mp.gradient_seed
// CHECK: %[[U:.*]], %[[BAD:.*]] = mp.unscale %[[SUM]] by %[[SCALE]]
// CHECK: mp.update_loss_scale
// What waits is committed under the guard, and is what was committed.
// CHECK: %[[KEPT:.*]] = mp.select %{{.*}}, %[[OLD]], %[[PENDING]]
// CHECK: %[[FOUR:.*]] = mp.constant dense<4.000000e+00> : tensor<f32>
// CHECK: %[[G:.*]] = mp.div %[[U]], %[[FOUR]]
// CHECK: %[[W1:.*]] = mp.sgd %[[W]], %[[G]], %{{.*}} guard %[[BAD]]
// CHECK: %[[ZERO:.*]] = mp.constant dense<0.000000e+00> : tensor<2xf32>
// CHECK: return %[[KEPT]], {{.*}}, %[[W1]], %[[KEPT]], %[[ZERO]]

// Nothing is scaled: the sums are checked as they are.
// NONE-LABEL: func.func @accumulate(
// NONE-NOT: mp.scaled
// NONE-LABEL: func.func @apply(
// NONE-NOT: mp.scaled
// NONE: mp.check_finite %{{.*}} {names = ["w"]}
func.func @train_step(%x: tensor<2xf32> {mp.input = "x"}, %w: tensor<2xf32> {mp.parameter = "w", mp.initializer = #mp.ones},
    %mean: tensor<2xf32> {mp.state = "mean", mp.initializer = #mp.ones}, %rng: tensor<2xi64> {mp.state = "rng"})
    -> (tensor<f32> {mp.loss}, tensor<2xf32> {mp.next = "mean"}, tensor<2xf32> {mp.gradient = "w"}) attributes {mp.program = "train_step"} {
  %m = mp.add %mean, %x : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %d = mp.dropout %w, %rng {rate = 0.5, stream = 1} : tensor<2xf32>
  %l = mp.reduce_sum %d dimensions [0] : tensor<2xf32> -> tensor<f32>
  %one = mp.gradient_seed : tensor<f32>
  %r = mp.reshape %one : tensor<f32> -> tensor<1xf32>
  %gd = mp.broadcast %r : tensor<1xf32> -> tensor<2xf32>
  %g = mp.dropout %gd, %rng {rate = 0.5, stream = 1} : tensor<2xf32>
  return %l, %m, %g : tensor<f32>, tensor<2xf32>, tensor<2xf32>
}
