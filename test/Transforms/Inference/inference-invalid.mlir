// RUN: mp-opt %s -mp-inference -split-input-file -verify-diagnostics -o /dev/null

// expected-error@+1 {{has an open size; run mp-specialize before mp-inference}}
func.func @open_batch(%x: tensor<?xf32> {mp.input = "x"}) -> (tensor<?xf32> {mp.output = "x"}) attributes {mp.program = "model"} {
  return %x : tensor<?xf32>
}

// -----

// expected-warning@+1 {{is differentiated already and has no model to take eval and infer from; mp-inference runs before mp-autodiff}}
func.func @too_late(%w: tensor<f32> {mp.parameter = "w", mp.initializer = #mp.zeros}) -> (tensor<f32> {mp.loss}, tensor<f32> {mp.gradient = "w"})
    attributes {mp.program = "train_step"} {
  %one = mp.gradient_seed : tensor<f32>
  return %w, %one : tensor<f32>, tensor<f32>
}

// -----

func.func @half_kept(%x: tensor<4x8xf32> {mp.input = "x", mp.batched}, %c: tensor<8xf32> {mp.parameter = "c", mp.initializer = #mp.ones},
    %m: tensor<8xf32> {mp.state = "mean", mp.initializer = #mp.zeros}) -> (tensor<4x8xf32> {mp.output = "y"}, tensor<8xf32> {mp.next = "mean"})
    attributes {mp.program = "model", mp.batch = 4} {
  // expected-error@+1 {{has a running mean and no running variance, so that nothing says what eval and infer normalize by; keep both by mp.update_running, or neither}}
  %y, %mean, %variance, %count = mp.batch_norm %x, %c, %c {mp.combines_rows} : tensor<4x8xf32>, tensor<8xf32>
  %next = mp.update_running %m, %mean, %count : tensor<8xf32>
  return %y, %next : tensor<4x8xf32>, tensor<8xf32>
}
