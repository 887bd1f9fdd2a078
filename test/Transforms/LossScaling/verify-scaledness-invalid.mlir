// RUN: mp-opt %s -pass-pipeline="builtin.module(func.func(mp-verify-scaledness))" -split-input-file -verify-diagnostics -o /dev/null

func.func @not_unscaled(%w: tensor<f32>, %scale: tensor<f32>, %lr: tensor<f32>) -> tensor<f32> {
  %one = mp.gradient_seed : tensor<f32>
  // expected-note@+1 {{made here}}
  %g = mp.scale_loss %one, %scale
  // expected-error@+1 {{'mp.sgd' op updates a parameter by a gradient that still carries the loss scale}}
  %w1 = mp.sgd %w, %g, %lr : tensor<f32>
  return %w1 : tensor<f32>
}

// -----

func.func @unscaled_twice(%w: tensor<f32>, %scale: tensor<f32>, %lr: tensor<f32>) -> tensor<f32> {
  %one = mp.gradient_seed : tensor<f32>
  %g = mp.scale_loss %one, %scale
  %u, %bad = mp.unscale %g by %scale {names = ["w"]} : tensor<f32>
  // expected-note@+1 {{made here}}
  %v, %bad1 = mp.unscale %u by %scale {names = ["w"]} : tensor<f32>
  // expected-error@+1 {{updates a parameter by a gradient that is unscaled more often than it is scaled}}
  %w1 = mp.sgd %w, %v, %lr : tensor<f32>
  return %w1 : tensor<f32>
}

// -----

func.func @clipped_before_unscaling(%scale: tensor<f32>) -> tensor<f32> {
  %one = mp.gradient_seed : tensor<f32>
  // expected-note@+1 {{made here}}
  %g = mp.scale_loss %one, %scale
  // expected-error@+1 {{'mp.clip_by_global_norm' op comes before unscaling: its gradient still carries the loss scale}}
  %c, %n = mp.clip_by_global_norm %g {max_norm = 1.0 : f32} : tensor<f32>
  %u, %bad = mp.unscale %c by %scale {names = ["w"]} : tensor<f32>
  return %u : tensor<f32>
}

// -----

func.func @clipped_each_before_unscaling(%scale: tensor<f32>) -> tensor<f32> {
  %one = mp.gradient_seed : tensor<f32>
  // expected-note@+1 {{made here}}
  %g = mp.scale_loss %one, %scale
  // expected-error@+1 {{'mp.clip_by_norm' op comes before unscaling: its gradient still carries the loss scale}}
  %c = mp.clip_by_norm %g {max_norm = 1.0 : f32} : tensor<f32>
  %u, %bad = mp.unscale %c by %scale {names = ["w"]} : tensor<f32>
  return %u : tensor<f32>
}

// -----

func.func @clipped_by_value_before_unscaling(%scale: tensor<f32>) -> tensor<f32> {
  %one = mp.gradient_seed : tensor<f32>
  // expected-note@+1 {{made here}}
  %g = mp.scale_loss %one, %scale
  // expected-error@+1 {{'mp.clip_by_value' op comes before unscaling: its gradient still carries the loss scale}}
  %c = mp.clip_by_value %g {limit = 1.0 : f32} : tensor<f32>
  %u, %bad = mp.unscale %c by %scale {names = ["w"]} : tensor<f32>
  return %u : tensor<f32>
}

// -----

func.func @measured_before_unscaling(%g0: tensor<f32>, %scale: tensor<f32>) -> tensor<f32> {
  %one = mp.gradient_seed : tensor<f32>
  // expected-note@+1 {{made here}}
  %g = mp.scale_loss %one, %scale
  // expected-error@+1 {{'mp.global_norm' op comes before unscaling: its gradient #1 still carries the loss scale}}
  %n = mp.global_norm %g0, %g : tensor<f32>, tensor<f32>
  return %n : tensor<f32>
}

// -----

func.func @unscaled_by_the_next_scale(%w: tensor<f32>, %scale: tensor<f32>, %t: tensor<i32>, %h: tensor<i32>, %lr: tensor<f32>) -> tensor<f32> {
  %one = mp.gradient_seed : tensor<f32>
  %g = mp.scale_loss %one, %scale
  %bad = mp.check_finite %g {names = ["w"]} : tensor<f32>
  %next, %t1, %h1 = mp.update_loss_scale %scale, %t, %h, %bad
      {growth_factor = 2.0 : f32, growth_interval = 2000 : i32, backoff_factor = 0.5 : f32, hysteresis = 1 : i32, floor = 1.0 : f32, ceiling = 3.0e+38 : f32}
  // expected-note@+1 {{made here}}
  %u, %bad1 = mp.unscale %g by %next {names = ["w"]} : tensor<f32>
  // expected-error@+1 {{updates a parameter by a gradient that depends on the loss scale in another way than by a factor}}
  %w1 = mp.sgd %w, %u, %lr : tensor<f32>
  return %w1 : tensor<f32>
}

// -----

// Weight decay added to a gradient that is still scaled.
func.func @plain_added_to_scaled(%w: tensor<f32>, %m: tensor<f32>, %v: tensor<f32>, %scale: tensor<f32>, %lr: tensor<f32>, %t: tensor<i64>) -> tensor<f32> {
  %one = mp.gradient_seed : tensor<f32>
  %g = mp.scale_loss %one, %scale
  %d = mp.add %g, %w : tensor<f32>, tensor<f32> -> tensor<f32>
  // expected-note@+1 {{made here}}
  %u, %bad = mp.unscale %d by %scale {names = ["w"]} : tensor<f32>
  // expected-error@+1 {{'mp.adam' op updates a parameter by a gradient that depends on the loss scale in another way than by a factor}}
  %w1, %m1, %v1 = mp.adam %w, %u, %m, %v, %lr, %t guard %bad : tensor<f32>
  return %w1 : tensor<f32>
}

// -----

func.func @scaled_twice(%w: tensor<f32>, %scale: tensor<f32>, %lr: tensor<f32>) -> tensor<f32> {
  %one = mp.gradient_seed : tensor<f32>
  %g = mp.scale_loss %one, %scale
  // expected-note@+1 {{made here}}
  %h = mp.mul %g, %g : tensor<f32>, tensor<f32> -> tensor<f32>
  // expected-error@+1 {{carries the loss scale 2 times}}
  %w1 = mp.sgd %w, %h, %lr : tensor<f32>
  return %w1 : tensor<f32>
}

// -----

func.func @through_a_region(%w: tensor<f32>, %scale: tensor<f32>, %lr: tensor<f32>) -> tensor<f32> {
  %one = mp.gradient_seed : tensor<f32>
  // expected-note@+1 {{made here}}
  %g = mp.autocast type = f16 -> (tensor<f32>) {
    %s = mp.scale_loss %one, %scale
    mp.yield %s : tensor<f32>
  }
  // expected-error@+1 {{still carries the loss scale}}
  %w1 = mp.sgd %w, %g, %lr : tensor<f32>
  return %w1 : tensor<f32>
}

// -----

func.func @gradient_result(%w: tensor<f32> {mp.parameter = "w", mp.initializer = #mp.ones}, %scale: tensor<f32> {mp.state = "loss_scale", mp.initializer = #mp.ones})
    -> (tensor<f32> {mp.loss}, tensor<f32> {mp.gradient = "w"}) attributes {mp.program = "train_step"} {
  %one = mp.gradient_seed : tensor<f32>
  // expected-error@+1 {{gradient of "w" still carries the loss scale}}
  %g = mp.scale_loss %one, %scale
  return %w, %g : tensor<f32>, tensor<f32>
}

// -----

// A scale multiplied in by hand is a scale, too.
func.func @next_value(%w: tensor<f32> {mp.parameter = "w", mp.initializer = #mp.ones}, %scale: tensor<f32> {mp.state = "loss_scale", mp.initializer = #mp.ones})
    -> (tensor<f32> {mp.next = "w"}) attributes {mp.program = "train_step"} {
  // expected-error@+1 {{next value of "w" still carries the loss scale}}
  %n = mp.mul %w, %scale : tensor<f32>, tensor<f32> -> tensor<f32>
  return %n : tensor<f32>
}

// -----

func.func @sum_of_unscaled(%s: tensor<f32> {mp.state = "w/gradient_sum", mp.initializer = #mp.zeros, mp.scaled}, %scale: tensor<f32> {mp.state = "loss_scale", mp.initializer = #mp.ones})
    -> (tensor<f32> {mp.next = "w/gradient_sum"}) attributes {mp.program = "accumulate"} {
  // expected-error@+1 {{next value of "w/gradient_sum" is not scaled as the sum that it is added to}}
  %u, %bad = mp.unscale %s by %scale {names = ["w"]} : tensor<f32>
  return %u : tensor<f32>
}
