// RUN: mp-opt %s -pass-pipeline="builtin.module(func.func(mp-verify-scaledness))" -verify-diagnostics -o /dev/null

// Through every op that gradients meet, the scale stays a factor and unscaling takes it out.
func.func @unscaled_once(%x: tensor<4x8xf16>, %y: tensor<4xui8>, %w: tensor<8x2xf32>, %rng: tensor<2xi64>, %scale: tensor<f32>, %lr: tensor<f32>) -> tensor<8x2xf32> {
  %wh = mp.cast %w {autocast} : tensor<8x2xf32> -> tensor<8x2xf16>
  %z = mp.matmul %x, %wh acc f32 : tensor<4x8xf16>, tensor<8x2xf16> -> tensor<4x2xf16>
  %r = mp.relu %z : tensor<4x2xf16>
  %one = mp.gradient_seed : tensor<f32>
  %seed = mp.scale_loss %one, %scale
  %gz = mp.softmax_cross_entropy_grad %r, %y, %seed : tensor<4x2xf16>, tensor<4xui8>, tensor<f32>
  %gd = mp.dropout %gz, %rng {rate = 0.5, stream = 1} : tensor<4x2xf16>
  %gr = mp.relu_grad %r, %gd : tensor<4x2xf16>
  %zero = mp.constant dense<0.0> : tensor<f16>
  %c = mp.compare gt %gr, %zero : tensor<4x2xf16>, tensor<f16> -> tensor<4x2xi1>
  %gs = mp.select %c, %gr, %zero : tensor<4x2xi1>, tensor<4x2xf16>, tensor<f16> -> tensor<4x2xf16>
  %ga = mp.add %gs, %gr : tensor<4x2xf16>, tensor<4x2xf16> -> tensor<4x2xf16>
  %gh = mp.matmul %x, %ga transpose_lhs acc f32 : tensor<4x8xf16>, tensor<4x2xf16> -> tensor<8x2xf16>
  %gw = mp.cast %gh {autocast} : tensor<8x2xf16> -> tensor<8x2xf32>
  %u, %bad = mp.unscale %gw by %scale {names = ["w"]} : tensor<8x2xf32>
  %k, %n = mp.clip_by_global_norm %u {max_norm = 1.0 : f32} : tensor<8x2xf32>
  %w1 = mp.sgd %w, %k, %lr guard %bad : tensor<8x2xf32>
  return %w1 : tensor<8x2xf32>
}

// Without elements there is nothing that a scale would change.
func.func @without_elements(%w: tensor<0xf32>, %scale: tensor<f32>, %lr: tensor<f32>) -> tensor<0xf32> {
  %g = mp.constant dense<> : tensor<0xf32>
  %u, %bad = mp.unscale %g by %scale {names = ["w"]} : tensor<0xf32>
  %w1 = mp.sgd %w, %u, %lr guard %bad : tensor<0xf32>
  return %w1 : tensor<0xf32>
}

// Two gradients multiplied carry the scale twice, and unscaled twice none.
func.func @product_unscaled_twice(%w: tensor<f32>, %scale: tensor<f32>, %lr: tensor<f32>) -> tensor<f32> {
  %one = mp.gradient_seed : tensor<f32>
  %g = mp.scale_loss %one, %scale
  %h = mp.mul %g, %g : tensor<f32>, tensor<f32> -> tensor<f32>
  %u, %bad = mp.unscale %h by %scale {names = ["w"]} : tensor<f32>
  %v, %bad1 = mp.unscale %u by %scale {names = ["w"]} : tensor<f32>
  %w1 = mp.sgd %w, %v, %lr : tensor<f32>
  return %w1 : tensor<f32>
}

// Without a scale nothing has to be taken out.
func.func @never_scaled(%w: tensor<f32>, %lr: tensor<f32>) -> tensor<f32> {
  %one = mp.gradient_seed : tensor<f32>
  %w1 = mp.sgd %w, %one, %lr : tensor<f32>
  return %w1 : tensor<f32>
}

// Sums of scaled gradients stay scaled from one micro-batch to the next.
func.func @sum_stays_scaled(%s: tensor<f32> {mp.state = "w/gradient_sum", mp.initializer = #mp.zeros, mp.scaled}, %scale: tensor<f32> {mp.state = "loss_scale", mp.initializer = #mp.ones})
    -> (tensor<f32> {mp.next = "w/gradient_sum"}) attributes {mp.program = "accumulate"} {
  %one = mp.gradient_seed : tensor<f32>
  %g = mp.scale_loss %one, %scale
  %n = mp.add %s, %g : tensor<f32>, tensor<f32> -> tensor<f32>
  return %n : tensor<f32>
}
