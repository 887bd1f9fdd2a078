// RUN: mp-opt %s -mp-loss-scaling="mode=dynamic" -split-input-file -verify-diagnostics -o /dev/null

// expected-error@+1 {{has no gradients to scale; run mp-autodiff before mp-loss-scaling}}
func.func @model(%w: tensor<f32> {mp.parameter = "w", mp.initializer = #mp.ones}) -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  return %w : tensor<f32>
}

// -----

// expected-error@+1 {{has loss scaling of mode "none" already, asked for "dynamic"}}
func.func @twice(%w: tensor<f32> {mp.parameter = "w", mp.initializer = #mp.ones}) -> (tensor<f32> {mp.loss}, tensor<f32> {mp.gradient = "w"})
    attributes {mp.program = "train_step", mp.loss_scaling = "none"} {
  %one = mp.gradient_seed : tensor<f32>
  return %w, %one : tensor<f32>, tensor<f32>
}

// -----

func.func @double_loss(%w: tensor<f64> {mp.parameter = "w", mp.initializer = #mp.ones}) -> (tensor<f64> {mp.loss}, tensor<f64> {mp.gradient = "w"})
    attributes {mp.program = "train_step"} {
  // expected-error@+1 {{'mp.gradient_seed' op seeds a loss of type 'tensor<f64>'; loss scaling takes an f32 loss, or mode=none}}
  %one = mp.gradient_seed : tensor<f64>
  return %w, %one : tensor<f64>, tensor<f64>
}

// -----

// expected-error@+1 {{parameter "w" has type 'tensor<f16>'; loss scaling takes f32 parameters, or mode=none}}
func.func @half_parameter(%w: tensor<f16> {mp.parameter = "w", mp.initializer = #mp.ones}) -> (tensor<f16> {mp.gradient = "w"})
    attributes {mp.program = "train_step"} {
  %one = mp.gradient_seed : tensor<f32>
  %g = mp.cast %one : tensor<f32> -> tensor<f16>
  return %g : tensor<f16>
}

// -----

func.func @name_of_training(%w: tensor<f32> {mp.parameter = "w", mp.initializer = #mp.ones},
    // expected-error@+1 {{state "growth_tracker": training has a state of this name; call this one something else}}
    %s: tensor<f32> {mp.state = "growth_tracker", mp.initializer = #mp.ones})
    -> (tensor<f32> {mp.loss}, tensor<f32> {mp.gradient = "w"}) attributes {mp.program = "train_step"} {
  %one = mp.gradient_seed : tensor<f32>
  return %w, %one : tensor<f32>, tensor<f32>
}

// -----

func.func @name_of_training(%w: tensor<f32> {mp.parameter = "w", mp.initializer = #mp.ones},
    // expected-error@+1 {{state "learning_rate": training has a state of this name; call this one something else}}
    %s: tensor<f32> {mp.state = "learning_rate", mp.initializer = #mp.ones})
    -> (tensor<f32> {mp.loss}, tensor<f32> {mp.gradient = "w"}) attributes {mp.program = "train_step"} {
  %one = mp.gradient_seed : tensor<f32>
  return %w, %one : tensor<f32>, tensor<f32>
}

// -----

func.func @name_of_training(%w: tensor<f32> {mp.parameter = "w", mp.initializer = #mp.ones},
    // expected-error@+1 {{parameter "loss_scale": training has a state of this name; call this one something else}}
    %s: tensor<f32> {mp.parameter = "loss_scale", mp.initializer = #mp.ones})
    -> (tensor<f32> {mp.loss}, tensor<f32> {mp.gradient = "w"}) attributes {mp.program = "train_step"} {
  %one = mp.gradient_seed : tensor<f32>
  return %w, %one : tensor<f32>, tensor<f32>
}

// -----

func.func @name_of_training(%w: tensor<f32> {mp.parameter = "w", mp.initializer = #mp.ones},
    // expected-error@+1 {{parameter "rng": training has a state of this name; call this one something else}}
    %s: tensor<f32> {mp.parameter = "rng", mp.initializer = #mp.ones})
    -> (tensor<f32> {mp.loss}, tensor<f32> {mp.gradient = "w"}) attributes {mp.program = "train_step"} {
  %one = mp.gradient_seed : tensor<f32>
  return %w, %one : tensor<f32>, tensor<f32>
}
