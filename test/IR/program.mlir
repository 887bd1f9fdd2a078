// RUN: mp-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: @model
func.func @model(%x: tensor<?x784xui8> {mp.input = "x"}, %y: tensor<?xui8> {mp.input = "y"},
    %w: tensor<784x10xf32> {mp.parameter = "dense.kernel", mp.initializer = #mp.glorot_uniform<seed = 1>},
    %b: tensor<10xf32> {mp.parameter = "dense.bias", mp.initializer = #mp.zeros},
    %rng: tensor<2xi64> {mp.state = "rng"})
    -> (tensor<f32> {mp.loss}, tensor<?x10xf32> {mp.output = "logits"}) attributes {mp.program = "model"} {
  // CHECK: mp.cast
  %xf = mp.cast %x : tensor<?x784xui8> -> tensor<?x784xf32>
  %h = mp.dropout %xf, %rng {rate = 0.2, stream = 1} : tensor<?x784xf32>
  %z = mp.matmul %h, %w bias %b : tensor<10xf32> acc f32 : tensor<?x784xf32>, tensor<784x10xf32> -> tensor<?x10xf32>
  %l = mp.softmax_cross_entropy %z, %y : tensor<?x10xf32>, tensor<?xui8> -> tensor<f32>
  return %l, %z : tensor<f32>, tensor<?x10xf32>
}
// CHECK-LABEL: @initializers
// CHECK-SAME: #mp.constant<5.000000e-01 : f64>
// CHECK-SAME: #mp.normal<mean = 0.000000e+00 : f64, stddev = 2.000000e-02 : f64, seed = 7>
// CHECK-SAME: #mp.uniform<low = -1.000000e+00 : f64, high = 1.000000e+00 : f64>
// CHECK-SAME: #mp.he_normal
func.func @initializers(%a: tensor<4xf32> {mp.parameter = "a", mp.initializer = #mp.constant<0.5 : f64>},
    %b: tensor<4xf32> {mp.parameter = "b", mp.initializer = #mp.normal<mean = 0.0 : f64, stddev = 0.02 : f64, seed = 7>},
    %c: tensor<4xf32> {mp.parameter = "c", mp.initializer = #mp.uniform<low = -1.0 : f64, high = 1.0 : f64>},
    %d: tensor<4xf32> {mp.parameter = "d", mp.initializer = #mp.he_normal}) -> (tensor<4xf32> {mp.next = "a"}) attributes {mp.program = "train_step"} {
  return %b : tensor<4xf32>
}
