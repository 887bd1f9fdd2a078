// A training step in ops, as a loop of PyTorch is in calls: a perceptron for Fashion-MNIST in float16 with a scaled loss.
//
//   mp-run train examples/step_by_hand.mlir --data=/usr/share/datasets/fashion-mnist --steps=500
//
// The compiler makes such a step from a model; here it is written out, and taken as it stands: no pass adds a cast, a
// gradient or an update. mp-verify-scaledness checks the order (scale, unscale, clip, update) as it checks its own.
// docs/loss-scaling.md and docs/optimizer.md say what each op does, docs/IR.md what arguments and results are.
func.func @train_step(
    %x: tensor<64x784xui8> {mp.input = "x", mp.batched}, %y: tensor<64xui8> {mp.input = "y", mp.batched, mp.classes = 10 : i64},
    // Masters are f32.
    %w1: tensor<784x32xf32> {mp.parameter = "w1", mp.initializer = #mp.glorot_uniform<seed = 1>},
    %b1: tensor<32xf32> {mp.parameter = "b1", mp.initializer = #mp.zeros},
    %w2: tensor<32x10xf32> {mp.parameter = "w2", mp.initializer = #mp.glorot_uniform<seed = 2>},
    // The loss scaler's state. 2^24 is too much at first, so that the first steps are skipped.
    %scale: tensor<f32> {mp.state = "loss_scale", mp.training, mp.initializer = #mp.constant<16777216.0 : f64>},
    %tracker: tensor<i32> {mp.state = "growth_tracker", mp.training, mp.initializer = #mp.constant<0.0 : f64>},
    %left: tensor<i32> {mp.state = "hysteresis_tracker", mp.training, mp.initializer = #mp.constant<1.0 : f64>},
    %skipped: tensor<i64> {mp.state = "skipped_steps", mp.training, mp.initializer = #mp.constant<0.0 : f64>},
    %in_a_row: tensor<i32> {mp.state = "consecutive_skips", mp.training, mp.initializer = #mp.constant<0.0 : f64>},
    // The optimizer's. The host sets the learning rate.
    %rate: tensor<f32> {mp.state = "learning_rate", mp.training, mp.initializer = #mp.constant<0.1 : f64>},
    %v1: tensor<784x32xf32> {mp.state = "w1/sgd.momentum", mp.training = "w1", mp.initializer = #mp.zeros},
    %u1: tensor<32xf32> {mp.state = "b1/sgd.momentum", mp.training = "b1", mp.initializer = #mp.zeros},
    %v2: tensor<32x10xf32> {mp.state = "w2/sgd.momentum", mp.training = "w2", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss},
        tensor<f32> {mp.next = "loss_scale"}, tensor<i32> {mp.next = "growth_tracker"}, tensor<i32> {mp.next = "hysteresis_tracker"},
        tensor<i64> {mp.next = "skipped_steps"}, tensor<i32> {mp.next = "consecutive_skips"},
        tensor<i32> {mp.log = "bad", mp.log_names = ["w1", "b1", "w2"]}, tensor<f32> {mp.log = "loss_scale"}, tensor<f32> {mp.log = "gradient_norm"},
        tensor<784x32xf32> {mp.next = "w1"}, tensor<784x32xf32> {mp.next = "w1/sgd.momentum"},
        tensor<32xf32> {mp.next = "b1"}, tensor<32xf32> {mp.next = "b1/sgd.momentum"},
        tensor<32x10xf32> {mp.next = "w2"}, tensor<32x10xf32> {mp.next = "w2/sgd.momentum"})
    attributes {mp.program = "train_step", mp.batch = 64 : i64, mp.loss_scaling = "dynamic", mp.skip_limit = 50 : i64} {
  // Forward: what products read is f16, the loss f32. with torch.autocast(dtype=torch.float16): ...
  %pixels = mp.cast %x : tensor<64x784xui8> -> tensor<64x784xf32>
  %part = mp.constant dense<0.00392156886> : tensor<f32>
  %image = mp.mul %pixels, %part : tensor<64x784xf32>, tensor<f32> -> tensor<64x784xf32>
  %h0 = mp.cast %image : tensor<64x784xf32> -> tensor<64x784xf16>
  %k1 = mp.cast %w1 : tensor<784x32xf32> -> tensor<784x32xf16>
  %c1 = mp.cast %b1 : tensor<32xf32> -> tensor<32xf16>
  %z1 = mp.matmul %h0, %k1 bias %c1 : tensor<32xf16> acc f32 : tensor<64x784xf16>, tensor<784x32xf16> -> tensor<64x32xf16>
  %h1 = mp.relu %z1 : tensor<64x32xf16>
  %k2 = mp.cast %w2 : tensor<32x10xf32> -> tensor<32x10xf16>
  %z2 = mp.matmul %h1, %k2 acc f32 : tensor<64x32xf16>, tensor<32x10xf16> -> tensor<64x10xf16>
  %logits = mp.cast %z2 : tensor<64x10xf16> -> tensor<64x10xf32>
  %loss = mp.softmax_cross_entropy %logits, %y : tensor<64x10xf32>, tensor<64xui8> -> tensor<f32>

  // Backward, from a seed that is the scale: scaler.scale(loss).backward().
  %one = mp.gradient_seed : tensor<f32>
  %seed = mp.scale_loss %one, %scale
  %gz2 = mp.softmax_cross_entropy_grad %logits, %y, %seed : tensor<64x10xf32>, tensor<64xui8>, tensor<f32>
  %d2 = mp.cast %gz2 : tensor<64x10xf32> -> tensor<64x10xf16>
  %gk2 = mp.matmul %h1, %d2 transpose_lhs acc f32 : tensor<64x32xf16>, tensor<64x10xf16> -> tensor<32x10xf16>
  %gh1 = mp.matmul %d2, %k2 transpose_rhs acc f32 : tensor<64x10xf16>, tensor<32x10xf16> -> tensor<64x32xf16>
  %d1 = mp.relu_grad %h1, %gh1 : tensor<64x32xf16>
  %gk1 = mp.matmul %h0, %d1 transpose_lhs acc f32 : tensor<64x784xf16>, tensor<64x32xf16> -> tensor<784x32xf16>
  %gc1 = mp.reduce_sum %d1 dimensions [0] : tensor<64x32xf16> -> tensor<32xf16>
  %gw1 = mp.cast %gk1 : tensor<784x32xf16> -> tensor<784x32xf32>
  %gb1 = mp.cast %gc1 : tensor<32xf16> -> tensor<32xf32>
  %gw2 = mp.cast %gk2 : tensor<32x10xf16> -> tensor<32x10xf32>

  // scaler.unscale_(optimizer), in f32: %bad is -1, or which gradient is not finite.
  %g:3, %bad = mp.unscale %gw1, %gb1, %gw2 by %scale {names = ["w1", "b1", "w2"]} : tensor<784x32xf32>, tensor<32xf32>, tensor<32x10xf32>
  // torch.nn.utils.clip_grad_norm_(parameters, 1.0)
  %c:3, %norm = mp.clip_by_global_norm %g#0, %g#1, %g#2 {max_norm = 1.0 : f32} : tensor<784x32xf32>, tensor<32xf32>, tensor<32x10xf32>
  // scaler.step(optimizer): where %bad says so, the next value is the old one.
  %w1n, %v1n = mp.sgd %w1, %c#0, %rate velocity %v1 guard %bad {momentum = 0.9 : f32} : tensor<784x32xf32>
  %b1n, %u1n = mp.sgd %b1, %c#1, %rate velocity %u1 guard %bad {momentum = 0.9 : f32} : tensor<32xf32>
  %w2n, %v2n = mp.sgd %w2, %c#2, %rate velocity %v2 guard %bad {momentum = 0.9 : f32} : tensor<32x10xf32>
  // scaler.update()
  %scale1, %tracker1, %left1 = mp.update_loss_scale %scale, %tracker, %left, %bad {growth_factor = 2.0 : f32, growth_interval = 100 : i32, backoff_factor = 0.5 : f32, hysteresis = 1 : i32, floor = 1.0 : f32, ceiling = 3.40282347E+38 : f32}
  %skipped1, %in_a_row1 = mp.count_skips %skipped, %in_a_row, %bad
  return %loss, %scale1, %tracker1, %left1, %skipped1, %in_a_row1, %bad, %scale, %norm, %w1n, %v1n, %b1n, %u1n, %w2n, %v2n
      : tensor<f32>, tensor<f32>, tensor<i32>, tensor<i32>, tensor<i64>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>,
        tensor<784x32xf32>, tensor<784x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x10xf32>, tensor<32x10xf32>
}
