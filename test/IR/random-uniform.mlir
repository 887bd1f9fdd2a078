// RUN: mp-opt %s -canonicalize | FileCheck %s
// RUN: mp-opt %s -mp-specialize=batch=4 -mp-inference | FileCheck %s --check-prefix=RUNS

// CHECK-LABEL: @forms
func.func @forms(%rng: tensor<2xi64>, %x: tensor<?x8xf16>) -> (tensor<3xf32>, tensor<?x8xf32>) {
  // CHECK: mp.random_uniform %{{.*}} {stream = 1 : i64} -> tensor<3xf32>
  %0 = mp.random_uniform %rng {stream = 1} -> tensor<3xf32>
  // CHECK: mp.random_uniform %{{.*}} like %{{.*}} : tensor<?x8xf16> {stream = 2 : i64} -> tensor<?x8xf32>
  %1 = mp.random_uniform %rng like %x : tensor<?x8xf16> {stream = 2} -> tensor<?x8xf32>
  return %0, %1 : tensor<3xf32>, tensor<?x8xf32>
}

// What is evaluated or used draws numbers, too, and others in its next run.
// RUNS-LABEL: func.func @eval(
// RUNS-SAME: tensor<2xi64> {mp.next = "rng"}
// RUNS: mp.advance
// RUNS-LABEL: func.func @infer(
// RUNS-SAME: %[[RNG:[a-z0-9]+]]: tensor<2xi64> {mp.state = "rng"}
// RUNS-SAME: tensor<2xi64> {mp.next = "rng"}
// RUNS: mp.random_uniform %[[RNG]] like %{{.*}} : tensor<4x8xf32> {stream = 1 : i64} -> tensor<4x8xf32>
// RUNS: %[[NEXT:.*]] = mp.advance %[[RNG]] : tensor<2xi64>
// RUNS: return %{{.*}}, %[[NEXT]]
func.func @model(%x: tensor<?x8xf32> {mp.input = "x"}, %rng: tensor<2xi64> {mp.state = "rng"})
    -> (tensor<?x8xf32> {mp.output = "y"}, tensor<?xf32> {mp.metric = "first"}) attributes {mp.program = "model"} {
  %u = mp.random_uniform %rng like %x : tensor<?x8xf32> {stream = 1} -> tensor<?x8xf32>
  %y = mp.add %x, %u : tensor<?x8xf32>, tensor<?x8xf32> -> tensor<?x8xf32>
  %f = mp.reduce_sum %x dimensions [1] : tensor<?x8xf32> -> tensor<?xf32>
  return %y, %f : tensor<?x8xf32>, tensor<?xf32>
}
