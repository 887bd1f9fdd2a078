// RUN: mp-opt %s -mp-specialize=batch=4 -mp-autodiff -mp-decompose -mp-form-kernels | FileCheck %s

// What a pooling reads whole lies in memory: neither relu nor a gradient that is one number is made again in its kernel,
// however cheap it is elsewhere.
// CHECK-LABEL: func.func @train_step(
func.func @cheap(%x: tensor<?x4x4x1xf32> {mp.input = "x"}, %w: tensor<4x4x1xf32> {mp.parameter = "w", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  // CHECK: %[[MADE:.*]]:2 = mp.kernel
  // CHECK-NEXT: mp.add
  // CHECK-NEXT: mp.relu
  // CHECK-NEXT: mp.broadcast
  // CHECK: mp.kernel "avg_pool_{{.*}}" (%{{.*}} = %[[MADE]]#0)
  // CHECK-NEXT: mp.avg_pool
  // CHECK-NEXT: mp.yield
  // CHECK: mp.kernel "reduce_sum_{{.*}}" (%[[GRADIENT:.*]] = %[[MADE]]#1, %{{.*}} = %[[MADE]]#0)
  // CHECK-NEXT: mp.avg_pool_grad %[[GRADIENT]]
  // CHECK-NEXT: mp.relu_grad
  %s = mp.add %x, %w : tensor<?x4x4x1xf32>, tensor<4x4x1xf32> -> tensor<?x4x4x1xf32>
  %r = mp.relu %s : tensor<?x4x4x1xf32>
  %a = mp.avg_pool %r {window = [2, 2]} : tensor<?x4x4x1xf32> -> tensor<?x2x2x1xf32>
  %l = mp.reduce_sum %a dimensions [0, 1, 2, 3] : tensor<?x2x2x1xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// CHECK-LABEL: func.func @infer(
func.func @infer(%x: tensor<1x1x1xf32> {mp.input = "x"}) -> (tensor<1x1x1xf32> {mp.output = "y"}) attributes {mp.program = "infer"} {
  // CHECK: mp.relu
  // CHECK: mp.kernel "max_pool_
  // CHECK-NEXT: mp.max_pool
  %r = mp.relu %x : tensor<1x1x1xf32>
  %y = mp.max_pool %r {window = [3], strides = [1], padding = same} : tensor<1x1x1xf32> -> tensor<1x1x1xf32>
  return %y : tensor<1x1x1xf32>
}
