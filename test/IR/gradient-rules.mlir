// RUN: mp-opt %s | FileCheck %s
// RUN: mp-opt %s -mp-specialize=batch=4 -mp-autocast -mp-inference -mp-autodiff | FileCheck %s --check-prefix=STEP

// CHECK-LABEL: @forms
func.func @forms(%x: tensor<?x8xf16>, %n: tensor<3xi1>, %y: tensor<bf16>) -> (tensor<?x8xf16>, tensor<3xi1>, tensor<bf16>) {
  // CHECK: mp.stop_gradient %{{.*}} : tensor<?x8xf16>
  %0 = mp.stop_gradient %x : tensor<?x8xf16>
  // CHECK: mp.stop_gradient %{{.*}} : tensor<3xi1>
  %1 = mp.stop_gradient %n : tensor<3xi1>
  // CHECK: mp.straight_through %{{.*}}, %{{.*}} : tensor<?x8xf16>
  %2 = mp.straight_through %0, %x : tensor<?x8xf16>
  // CHECK: mp.reverse_gradient %{{.*}} : tensor<?x8xf16>
  %3 = mp.reverse_gradient %2 : tensor<?x8xf16>
  // CHECK: mp.reverse_gradient %{{.*}} {scale = 2.500000e-01 : f64} : tensor<bf16>
  %4 = mp.reverse_gradient %y {scale = 0.25 : f64} : tensor<bf16>
  return %3, %1, %4 : tensor<?x8xf16>, tensor<3xi1>, tensor<bf16>
}

// What stands behind mp.stop_gradient alone gets no gradient, what is taken for a value all of that value's; none of the ops is left.
// STEP-LABEL: func.func @train_step(
// STEP-SAME: mp.gradient = "w"
// STEP-NOT: mp.gradient = "frozen"
func.func @model(%x: tensor<?x8xf32> {mp.input = "x"}, %w: tensor<8xf32> {mp.parameter = "w", mp.initializer = #mp.zeros},
                 %frozen: tensor<8xf32> {mp.parameter = "frozen", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}, tensor<?x8xf32> {mp.output = "y"}) attributes {mp.program = "model"} {
  %f = mp.stop_gradient %frozen : tensor<8xf32>
  // STEP: %[[Z:.*]] = mp.mul
  %z = mp.mul %x, %w : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
  // STEP: %[[Q:.*]] = mp.round %[[Z]]
  %q = mp.round %z : tensor<?x8xf32>
  %s = mp.straight_through %q, %z : tensor<?x8xf32>
  // STEP: mp.add %[[Q]], %{{.*}}
  %y = mp.add %s, %f : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
  %r = mp.reverse_gradient %y {scale = 0.25 : f64} : tensor<?x8xf32>
  %l = mp.reduce_mean %r dimensions [0, 1] : tensor<?x8xf32> -> tensor<f32>
  // STEP: mp.gradient_seed
  // STEP: mp.constant dense<-2.500000e-01> : tensor<f32>
  // STEP-NOT: mp.{{round|stop_gradient|straight_through|reverse_gradient}}
  // STEP-LABEL: func.func @eval(
  // STEP-NOT: mp.{{stop_gradient|straight_through|reverse_gradient}}
  return %l, %y : tensor<f32>, tensor<?x8xf32>
}
