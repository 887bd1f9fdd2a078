// RUN: mp-opt %s -mp-loss-scaling | FileCheck %s

// A gradient passes through f16.
// CHECK-LABEL: func.func @half(
// CHECK-SAME: mp.loss_scaling = "dynamic"
// CHECK: mp.unscale
func.func @half(%w: tensor<f32> {mp.parameter = "w", mp.initializer = #mp.ones}) -> (tensor<f32> {mp.loss}, tensor<f32> {mp.gradient = "w"})
    attributes {mp.program = "train_step"} {
  %one = mp.gradient_seed : tensor<f32>
  %h = mp.cast %one : tensor<f32> -> tensor<f16>
  %g = mp.cast %h : tensor<f16> -> tensor<f32>
  return %w, %g : tensor<f32>, tensor<f32>
}

// bf16 has the range of f32.
// CHECK-LABEL: func.func @brain(
// CHECK-SAME: mp.loss_scaling = "none"
// CHECK: mp.check_finite
func.func @brain(%w: tensor<f32> {mp.parameter = "w", mp.initializer = #mp.ones}) -> (tensor<f32> {mp.loss}, tensor<f32> {mp.gradient = "w"})
    attributes {mp.program = "train_step"} {
  %one = mp.gradient_seed : tensor<f32>
  %h = mp.cast %one : tensor<f32> -> tensor<bf16>
  %g = mp.cast %h : tensor<bf16> -> tensor<f32>
  return %w, %g : tensor<f32>, tensor<f32>
}

// f16 in the forward direction alone needs no scale.
// CHECK-LABEL: func.func @forward_half(
// CHECK-SAME: mp.loss_scaling = "none"
func.func @forward_half(%x: tensor<f16> {mp.input = "x"}, %w: tensor<f32> {mp.parameter = "w", mp.initializer = #mp.ones})
    -> (tensor<f32> {mp.loss}, tensor<f32> {mp.gradient = "w"}) attributes {mp.program = "train_step"} {
  %h = mp.relu %x : tensor<f16>
  %f = mp.cast %h : tensor<f16> -> tensor<f32>
  %l = mp.mul %f, %w : tensor<f32>, tensor<f32> -> tensor<f32>
  %one = mp.gradient_seed : tensor<f32>
  %g = mp.mul %one, %f : tensor<f32>, tensor<f32> -> tensor<f32>
  return %l, %g : tensor<f32>, tensor<f32>
}

// An f64 loss is checked and not scaled.
// CHECK-LABEL: func.func @double(
// CHECK-SAME: mp.loss_scaling = "none"
// CHECK: mp.check_finite %{{.*}} : tensor<f64>
func.func @double(%w: tensor<f64> {mp.parameter = "w", mp.initializer = #mp.ones}) -> (tensor<f64> {mp.loss}, tensor<f64> {mp.gradient = "w"})
    attributes {mp.program = "train_step"} {
  %one = mp.gradient_seed : tensor<f64>
  return %w, %one : tensor<f64>, tensor<f64>
}

// A step without gradients trains as it is.
// CHECK-LABEL: func.func @finished(
// CHECK-NOT: mp.loss_scaling
// CHECK: return
func.func @finished(%w: tensor<f32> {mp.parameter = "w", mp.initializer = #mp.ones}) -> (tensor<f32> {mp.next = "w"}) attributes {mp.program = "train_step"} {
  return %w : tensor<f32>
}
