// RUN: mp-opt %s -mp-optimizer -split-input-file -verify-diagnostics -o /dev/null

// expected-error@+1 {{has no gradients to update parameters by; run mp-autodiff and mp-loss-scaling before mp-optimizer}}
func.func @model(%w: tensor<f32> {mp.parameter = "w", mp.initializer = #mp.ones}) -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  return %w : tensor<f32>
}

// -----

// expected-error@+1 {{has gradients that nothing has unscaled or checked; run mp-loss-scaling before mp-optimizer}}
func.func @unscaled(%w: tensor<f32> {mp.parameter = "w", mp.initializer = #mp.ones}) -> (tensor<f32> {mp.gradient = "w"})
    attributes {mp.program = "train_step"} {
  return %w : tensor<f32>
}

// -----

// expected-error@+1 {{parameter "w" has type 'tensor<f16>'; an optimizer updates f32 parameters}}
func.func @half_parameter(%w: tensor<f16> {mp.parameter = "w", mp.initializer = #mp.ones}) -> (tensor<f16> {mp.gradient = "w"})
    attributes {mp.program = "train_step", mp.loss_scaling = "none"} {
  return %w : tensor<f16>
}
