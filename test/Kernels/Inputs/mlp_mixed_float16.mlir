// A training step in mixed_float16 with dynamic loss scaling, as the training passes write it.
func.func @train_step(
    %x: tensor<128x784xui8> {mp.input = "x", mp.batched},
    %y: tensor<128xui8> {mp.input = "y", mp.batched},
    %w1: tensor<784x512xf32> {mp.parameter = "dense1.kernel", mp.initializer = #mp.glorot_uniform<seed = 1>},
    %b1: tensor<512xf32> {mp.parameter = "dense1.bias", mp.initializer = #mp.zeros},
    %w2: tensor<512x512xf32> {mp.parameter = "dense2.kernel", mp.initializer = #mp.glorot_uniform<seed = 2>},
    %b2: tensor<512xf32> {mp.parameter = "dense2.bias", mp.initializer = #mp.zeros},
    %w3: tensor<512x10xf32> {mp.parameter = "dense3.kernel", mp.initializer = #mp.glorot_uniform<seed = 3>},
    %b3: tensor<10xf32> {mp.parameter = "dense3.bias", mp.initializer = #mp.zeros},
    %w1m: tensor<784x512xf32> {mp.state = "dense1.kernel/adam.m", mp.initializer = #mp.zeros},
    %w1v: tensor<784x512xf32> {mp.state = "dense1.kernel/adam.v", mp.initializer = #mp.zeros},
    %b1m: tensor<512xf32> {mp.state = "dense1.bias/adam.m", mp.initializer = #mp.zeros},
    %b1v: tensor<512xf32> {mp.state = "dense1.bias/adam.v", mp.initializer = #mp.zeros},
    %w2m: tensor<512x512xf32> {mp.state = "dense2.kernel/adam.m", mp.initializer = #mp.zeros},
    %w2v: tensor<512x512xf32> {mp.state = "dense2.kernel/adam.v", mp.initializer = #mp.zeros},
    %b2m: tensor<512xf32> {mp.state = "dense2.bias/adam.m", mp.initializer = #mp.zeros},
    %b2v: tensor<512xf32> {mp.state = "dense2.bias/adam.v", mp.initializer = #mp.zeros},
    %w3m: tensor<512x10xf32> {mp.state = "dense3.kernel/adam.m", mp.initializer = #mp.zeros},
    %w3v: tensor<512x10xf32> {mp.state = "dense3.kernel/adam.v", mp.initializer = #mp.zeros},
    %b3m: tensor<10xf32> {mp.state = "dense3.bias/adam.m", mp.initializer = #mp.zeros},
    %b3v: tensor<10xf32> {mp.state = "dense3.bias/adam.v", mp.initializer = #mp.zeros},
    %rng: tensor<2xi64> {mp.state = "rng"},
    %lr: tensor<f32> {mp.state = "learning_rate", mp.initializer = #mp.zeros},
    %t: tensor<i64> {mp.state = "adam.step", mp.initializer = #mp.zeros},
    %scale: tensor<f32> {mp.state = "loss_scale", mp.initializer = #mp.ones},
    %tracker: tensor<i32> {mp.state = "growth_tracker", mp.initializer = #mp.zeros},
    %hyst: tensor<i32> {mp.state = "hysteresis_tracker", mp.initializer = #mp.ones},
    %skipped: tensor<i64> {mp.state = "skipped_steps", mp.initializer = #mp.zeros},
    %row: tensor<i32> {mp.state = "consecutive_skips", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss},
        tensor<128xf32> {mp.batched, mp.metric = "accuracy"},
        tensor<784x512xf32> {mp.next = "dense1.kernel"},
        tensor<784x512xf32> {mp.next = "dense1.kernel/adam.m"},
        tensor<784x512xf32> {mp.next = "dense1.kernel/adam.v"},
        tensor<512xf32> {mp.next = "dense1.bias"},
        tensor<512xf32> {mp.next = "dense1.bias/adam.m"},
        tensor<512xf32> {mp.next = "dense1.bias/adam.v"},
        tensor<512x512xf32> {mp.next = "dense2.kernel"},
        tensor<512x512xf32> {mp.next = "dense2.kernel/adam.m"},
        tensor<512x512xf32> {mp.next = "dense2.kernel/adam.v"},
        tensor<512xf32> {mp.next = "dense2.bias"},
        tensor<512xf32> {mp.next = "dense2.bias/adam.m"},
        tensor<512xf32> {mp.next = "dense2.bias/adam.v"},
        tensor<512x10xf32> {mp.next = "dense3.kernel"},
        tensor<512x10xf32> {mp.next = "dense3.kernel/adam.m"},
        tensor<512x10xf32> {mp.next = "dense3.kernel/adam.v"},
        tensor<10xf32> {mp.next = "dense3.bias"},
        tensor<10xf32> {mp.next = "dense3.bias/adam.m"},
        tensor<10xf32> {mp.next = "dense3.bias/adam.v"},
        tensor<2xi64> {mp.next = "rng"},
        tensor<i64> {mp.next = "adam.step"},
        tensor<f32> {mp.next = "loss_scale"},
        tensor<i32> {mp.next = "growth_tracker"},
        tensor<i32> {mp.next = "hysteresis_tracker"},
        tensor<i64> {mp.next = "skipped_steps"},
        tensor<i32> {mp.next = "consecutive_skips"},
        tensor<i32> {mp.log = "bad"})
    attributes {mp.batch = 128 : i64, mp.program = "train_step"} {
  %pixels = mp.cast %x : tensor<128x784xui8> -> tensor<128x784xf32>
  %inverse = mp.constant dense<0.00392156886> : tensor<f32>
  %image = mp.mul %pixels, %inverse : tensor<128x784xf32>, tensor<f32> -> tensor<128x784xf32>
  %d0 = mp.cast %image {autocast} : tensor<128x784xf32> -> tensor<128x784xf16>
  %w1h = mp.cast %w1 {autocast} : tensor<784x512xf32> -> tensor<784x512xf16>
  %b1h = mp.cast %b1 {autocast} : tensor<512xf32> -> tensor<512xf16>
  %z1 = mp.matmul %d0, %w1h bias %b1h : tensor<512xf16> acc f32 : tensor<128x784xf16>, tensor<784x512xf16> -> tensor<128x512xf16>
  %h1 = mp.relu %z1 : tensor<128x512xf16>
  %d1 = mp.dropout %h1, %rng {rate = 0.2, stream = 1} : tensor<128x512xf16>
  %w2h = mp.cast %w2 {autocast} : tensor<512x512xf32> -> tensor<512x512xf16>
  %b2h = mp.cast %b2 {autocast} : tensor<512xf32> -> tensor<512xf16>
  %z2 = mp.matmul %d1, %w2h bias %b2h : tensor<512xf16> acc f32 : tensor<128x512xf16>, tensor<512x512xf16> -> tensor<128x512xf16>
  %h2 = mp.relu %z2 : tensor<128x512xf16>
  %d2 = mp.dropout %h2, %rng {rate = 0.2, stream = 2} : tensor<128x512xf16>
  %w3h = mp.cast %w3 {autocast} : tensor<512x10xf32> -> tensor<512x10xf16>
  %b3h = mp.cast %b3 {autocast} : tensor<10xf32> -> tensor<10xf16>
  %z3 = mp.matmul %d2, %w3h bias %b3h : tensor<10xf16> acc f32 : tensor<128x512xf16>, tensor<512x10xf16> -> tensor<128x10xf16>
  %loss = mp.softmax_cross_entropy %z3, %y : tensor<128x10xf16>, tensor<128xui8> -> tensor<f32>
  %guess = mp.argmax %z3 dimension 1 : tensor<128x10xf16> -> tensor<128xi32>
  %label = mp.cast %y : tensor<128xui8> -> tensor<128xi32>
  %hit = mp.compare eq %guess, %label : tensor<128xi32>, tensor<128xi32> -> tensor<128xi1>
  %accuracy = mp.cast %hit : tensor<128xi1> -> tensor<128xf32>
  %one = mp.gradient_seed : tensor<f32>
  %seed = mp.scale_loss %one, %scale
  %gz3 = mp.softmax_cross_entropy_grad %z3, %y, %seed : tensor<128x10xf16>, tensor<128xui8>, tensor<f32>
  %gw3h = mp.matmul %d2, %gz3 transpose_lhs acc f32 : tensor<128x512xf16>, tensor<128x10xf16> -> tensor<512x10xf16>
  %gw3 = mp.cast %gw3h {autocast} : tensor<512x10xf16> -> tensor<512x10xf32>
  %gb3h = mp.reduce_sum %gz3 dimensions [0] : tensor<128x10xf16> -> tensor<10xf16>
  %gb3 = mp.cast %gb3h {autocast} : tensor<10xf16> -> tensor<10xf32>
  %gd2 = mp.matmul %gz3, %w3h transpose_rhs acc f32 : tensor<128x10xf16>, tensor<512x10xf16> -> tensor<128x512xf16>
  %gh2 = mp.dropout %gd2, %rng {rate = 0.2, stream = 2} : tensor<128x512xf16>
  %gz2 = mp.relu_grad %h2, %gh2 : tensor<128x512xf16>
  %gw2h = mp.matmul %d1, %gz2 transpose_lhs acc f32 : tensor<128x512xf16>, tensor<128x512xf16> -> tensor<512x512xf16>
  %gw2 = mp.cast %gw2h {autocast} : tensor<512x512xf16> -> tensor<512x512xf32>
  %gb2h = mp.reduce_sum %gz2 dimensions [0] : tensor<128x512xf16> -> tensor<512xf16>
  %gb2 = mp.cast %gb2h {autocast} : tensor<512xf16> -> tensor<512xf32>
  %gd1 = mp.matmul %gz2, %w2h transpose_rhs acc f32 : tensor<128x512xf16>, tensor<512x512xf16> -> tensor<128x512xf16>
  %gh1 = mp.dropout %gd1, %rng {rate = 0.2, stream = 1} : tensor<128x512xf16>
  %gz1 = mp.relu_grad %h1, %gh1 : tensor<128x512xf16>
  %gw1h = mp.matmul %d0, %gz1 transpose_lhs acc f32 : tensor<128x784xf16>, tensor<128x512xf16> -> tensor<784x512xf16>
  %gw1 = mp.cast %gw1h {autocast} : tensor<784x512xf16> -> tensor<784x512xf32>
  %gb1h = mp.reduce_sum %gz1 dimensions [0] : tensor<128x512xf16> -> tensor<512xf16>
  %gb1 = mp.cast %gb1h {autocast} : tensor<512xf16> -> tensor<512xf32>
  %u:6, %bad = mp.unscale %gw1, %gb1, %gw2, %gb2, %gw3, %gb3 by %scale {names = ["dense1.kernel", "dense1.bias", "dense2.kernel", "dense2.bias", "dense3.kernel", "dense3.bias"]} : tensor<784x512xf32>, tensor<512xf32>, tensor<512x512xf32>, tensor<512xf32>, tensor<512x10xf32>, tensor<10xf32>
  %scale1, %tracker1, %hyst1 = mp.update_loss_scale %scale, %tracker, %hyst, %bad {growth_factor = 2.0 : f32, growth_interval = 2000 : i32, backoff_factor = 0.5 : f32, hysteresis = 1 : i32, floor = 1.0 : f32, ceiling = 3.0e+38 : f32}
  %skipped1, %row1 = mp.count_skips %skipped, %row, %bad
  %w11, %w1m1, %w1v1 = mp.adam %w1, %u#0, %w1m, %w1v, %lr, %t guard %bad : tensor<784x512xf32>
  %b11, %b1m1, %b1v1 = mp.adam %b1, %u#1, %b1m, %b1v, %lr, %t guard %bad : tensor<512xf32>
  %w21, %w2m1, %w2v1 = mp.adam %w2, %u#2, %w2m, %w2v, %lr, %t guard %bad : tensor<512x512xf32>
  %b21, %b2m1, %b2v1 = mp.adam %b2, %u#3, %b2m, %b2v, %lr, %t guard %bad : tensor<512xf32>
  %w31, %w3m1, %w3v1 = mp.adam %w3, %u#4, %w3m, %w3v, %lr, %t guard %bad : tensor<512x10xf32>
  %b31, %b3m1, %b3v1 = mp.adam %b3, %u#5, %b3m, %b3v, %lr, %t guard %bad : tensor<10xf32>
  %t1 = mp.advance %t guard %bad : tensor<i64>
  %rng1 = mp.advance %rng guard %bad : tensor<2xi64>
  return %loss, %accuracy, %w11, %w1m1, %w1v1, %b11, %b1m1, %b1v1, %w21, %w2m1, %w2v1, %b21, %b2m1, %b2v1, %w31, %w3m1, %w3v1, %b31, %b3m1, %b3v1, %rng1, %t1, %scale1, %tracker1, %hyst1, %skipped1, %row1, %bad
      : tensor<f32>, tensor<128xf32>, tensor<784x512xf32>, tensor<784x512xf32>, tensor<784x512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512x512xf32>, tensor<512x512xf32>, tensor<512x512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512x10xf32>, tensor<512x10xf32>, tensor<512x10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<2xi64>, tensor<i64>, tensor<f32>, tensor<i32>, tensor<i32>, tensor<i64>, tensor<i32>, tensor<i32>
}
