// A small transformer for Fashion-MNIST (or MNIST): the 28 rows of an image are its tokens, two blocks of attention with 4 heads
// (d 64) and of a dense layer with gelu, layer norm in front of each, the mean of all tokens, softmax cross entropy.
//
//   mp-run train examples/fashion_mnist_transformer.mlir --data=/usr/share/datasets/fashion-mnist --policy=mixed_bfloat16 \
//       --optimizer=adamw --learning-rate=0.001 --epochs=5
//
func.func @fashion_mnist_transformer(
    %x: tensor<?x784xui8> {mp.input = "x"}, %y: tensor<?xui8> {mp.input = "y"},
    %embed_w: tensor<28x64xf32> {mp.parameter = "embed.kernel", mp.initializer = #mp.glorot_uniform<seed = 1>},
    %embed_b: tensor<64xf32> {mp.parameter = "embed.bias", mp.initializer = #mp.zeros},
    %position: tensor<28x64xf32> {mp.parameter = "position", mp.initializer = #mp.normal<mean = 0.0 : f64, stddev = 0.02 : f64, seed = 2>},
    %n1a_s: tensor<64xf32> {mp.parameter = "block1.norm1.scale", mp.initializer = #mp.ones},
    %n1a_o: tensor<64xf32> {mp.parameter = "block1.norm1.offset", mp.initializer = #mp.zeros},
    %q1_w: tensor<64x64xf32> {mp.parameter = "block1.q.kernel", mp.initializer = #mp.glorot_uniform<seed = 3>},
    %q1_b: tensor<64xf32> {mp.parameter = "block1.q.bias", mp.initializer = #mp.zeros},
    %k1_w: tensor<64x64xf32> {mp.parameter = "block1.k.kernel", mp.initializer = #mp.glorot_uniform<seed = 4>},
    %k1_b: tensor<64xf32> {mp.parameter = "block1.k.bias", mp.initializer = #mp.zeros},
    %v1_w: tensor<64x64xf32> {mp.parameter = "block1.v.kernel", mp.initializer = #mp.glorot_uniform<seed = 5>},
    %v1_b: tensor<64xf32> {mp.parameter = "block1.v.bias", mp.initializer = #mp.zeros},
    %o1_w: tensor<64x64xf32> {mp.parameter = "block1.o.kernel", mp.initializer = #mp.glorot_uniform<seed = 6>},
    %o1_b: tensor<64xf32> {mp.parameter = "block1.o.bias", mp.initializer = #mp.zeros},
    %n1b_s: tensor<64xf32> {mp.parameter = "block1.norm2.scale", mp.initializer = #mp.ones},
    %n1b_o: tensor<64xf32> {mp.parameter = "block1.norm2.offset", mp.initializer = #mp.zeros},
    %u1_w: tensor<64x128xf32> {mp.parameter = "block1.up.kernel", mp.initializer = #mp.glorot_uniform<seed = 7>},
    %u1_b: tensor<128xf32> {mp.parameter = "block1.up.bias", mp.initializer = #mp.zeros},
    %d1_w: tensor<128x64xf32> {mp.parameter = "block1.down.kernel", mp.initializer = #mp.glorot_uniform<seed = 8>},
    %d1_b: tensor<64xf32> {mp.parameter = "block1.down.bias", mp.initializer = #mp.zeros},
    %n2a_s: tensor<64xf32> {mp.parameter = "block2.norm1.scale", mp.initializer = #mp.ones},
    %n2a_o: tensor<64xf32> {mp.parameter = "block2.norm1.offset", mp.initializer = #mp.zeros},
    %q2_w: tensor<64x64xf32> {mp.parameter = "block2.q.kernel", mp.initializer = #mp.glorot_uniform<seed = 9>},
    %q2_b: tensor<64xf32> {mp.parameter = "block2.q.bias", mp.initializer = #mp.zeros},
    %k2_w: tensor<64x64xf32> {mp.parameter = "block2.k.kernel", mp.initializer = #mp.glorot_uniform<seed = 10>},
    %k2_b: tensor<64xf32> {mp.parameter = "block2.k.bias", mp.initializer = #mp.zeros},
    %v2_w: tensor<64x64xf32> {mp.parameter = "block2.v.kernel", mp.initializer = #mp.glorot_uniform<seed = 11>},
    %v2_b: tensor<64xf32> {mp.parameter = "block2.v.bias", mp.initializer = #mp.zeros},
    %o2_w: tensor<64x64xf32> {mp.parameter = "block2.o.kernel", mp.initializer = #mp.glorot_uniform<seed = 12>},
    %o2_b: tensor<64xf32> {mp.parameter = "block2.o.bias", mp.initializer = #mp.zeros},
    %n2b_s: tensor<64xf32> {mp.parameter = "block2.norm2.scale", mp.initializer = #mp.ones},
    %n2b_o: tensor<64xf32> {mp.parameter = "block2.norm2.offset", mp.initializer = #mp.zeros},
    %u2_w: tensor<64x128xf32> {mp.parameter = "block2.up.kernel", mp.initializer = #mp.glorot_uniform<seed = 13>},
    %u2_b: tensor<128xf32> {mp.parameter = "block2.up.bias", mp.initializer = #mp.zeros},
    %d2_w: tensor<128x64xf32> {mp.parameter = "block2.down.kernel", mp.initializer = #mp.glorot_uniform<seed = 14>},
    %d2_b: tensor<64xf32> {mp.parameter = "block2.down.bias", mp.initializer = #mp.zeros},
    %n_s: tensor<64xf32> {mp.parameter = "norm.scale", mp.initializer = #mp.ones},
    %n_o: tensor<64xf32> {mp.parameter = "norm.offset", mp.initializer = #mp.zeros},
    %head_w: tensor<64x10xf32> {mp.parameter = "head.kernel", mp.initializer = #mp.glorot_uniform<seed = 15>},
    %head_b: tensor<10xf32> {mp.parameter = "head.bias", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}, tensor<?x10xf32> {mp.output = "logits"}, tensor<?xf32> {mp.metric = "accuracy"})
    attributes {mp.program = "model"} {
  // Each row of 28 pixels, 0..255 as 0..1, is a token; its place in the image is learned.
  %rows = mp.reshape %x : tensor<?x784xui8> -> tensor<?x28x28xui8>
  %pixels = mp.cast %rows : tensor<?x28x28xui8> -> tensor<?x28x28xf32>
  %scale = mp.constant dense<0.00392156886> : tensor<f32>
  %image = mp.mul %pixels, %scale : tensor<?x28x28xf32>, tensor<f32> -> tensor<?x28x28xf32>
  %embedded = mp.matmul %image, %embed_w bias %embed_b : tensor<64xf32> acc f32 : tensor<?x28x28xf32>, tensor<28x64xf32> -> tensor<?x28x64xf32>
  %t0 = mp.add %embedded, %position : tensor<?x28x64xf32>, tensor<28x64xf32> -> tensor<?x28x64xf32>

  // Block 1: attention of 4 heads, then two dense layers, each beside a way around it.
  %a1 = mp.layer_norm %t0, %n1a_s, %n1a_o : tensor<?x28x64xf32>, tensor<64xf32>
  %q1_flat = mp.matmul %a1, %q1_w bias %q1_b : tensor<64xf32> acc f32 : tensor<?x28x64xf32>, tensor<64x64xf32> -> tensor<?x28x64xf32>
  %q1_split = mp.reshape %q1_flat : tensor<?x28x64xf32> -> tensor<?x28x4x16xf32>
  %q1 = mp.transpose %q1_split permutation [0, 2, 1, 3] : tensor<?x28x4x16xf32> -> tensor<?x4x28x16xf32>
  %k1_flat = mp.matmul %a1, %k1_w bias %k1_b : tensor<64xf32> acc f32 : tensor<?x28x64xf32>, tensor<64x64xf32> -> tensor<?x28x64xf32>
  %k1_split = mp.reshape %k1_flat : tensor<?x28x64xf32> -> tensor<?x28x4x16xf32>
  %k1 = mp.transpose %k1_split permutation [0, 2, 1, 3] : tensor<?x28x4x16xf32> -> tensor<?x4x28x16xf32>
  %v1_flat = mp.matmul %a1, %v1_w bias %v1_b : tensor<64xf32> acc f32 : tensor<?x28x64xf32>, tensor<64x64xf32> -> tensor<?x28x64xf32>
  %v1_split = mp.reshape %v1_flat : tensor<?x28x64xf32> -> tensor<?x28x4x16xf32>
  %v1 = mp.transpose %v1_split permutation [0, 2, 1, 3] : tensor<?x28x4x16xf32> -> tensor<?x4x28x16xf32>
  %m1_heads, %lse1 = mp.attention %q1, %k1, %v1 : tensor<?x4x28x16xf32>, tensor<?x4x28x16xf32>, tensor<?x4x28x16xf32>
  %m1_split = mp.transpose %m1_heads permutation [0, 2, 1, 3] : tensor<?x4x28x16xf32> -> tensor<?x28x4x16xf32>
  %m1 = mp.reshape %m1_split : tensor<?x28x4x16xf32> -> tensor<?x28x64xf32>
  %o1 = mp.matmul %m1, %o1_w bias %o1_b : tensor<64xf32> acc f32 : tensor<?x28x64xf32>, tensor<64x64xf32> -> tensor<?x28x64xf32>
  %r1 = mp.add %t0, %o1 : tensor<?x28x64xf32>, tensor<?x28x64xf32> -> tensor<?x28x64xf32>
  %b1 = mp.layer_norm %r1, %n1b_s, %n1b_o : tensor<?x28x64xf32>, tensor<64xf32>
  %u1 = mp.matmul %b1, %u1_w bias %u1_b : tensor<128xf32> acc f32 : tensor<?x28x64xf32>, tensor<64x128xf32> -> tensor<?x28x128xf32>
  %g1 = mp.gelu %u1 : tensor<?x28x128xf32>
  %d1 = mp.matmul %g1, %d1_w bias %d1_b : tensor<64xf32> acc f32 : tensor<?x28x128xf32>, tensor<128x64xf32> -> tensor<?x28x64xf32>
  %t1 = mp.add %r1, %d1 : tensor<?x28x64xf32>, tensor<?x28x64xf32> -> tensor<?x28x64xf32>

  // Block 2: attention of 4 heads, then two dense layers, each beside a way around it.
  %a2 = mp.layer_norm %t1, %n2a_s, %n2a_o : tensor<?x28x64xf32>, tensor<64xf32>
  %q2_flat = mp.matmul %a2, %q2_w bias %q2_b : tensor<64xf32> acc f32 : tensor<?x28x64xf32>, tensor<64x64xf32> -> tensor<?x28x64xf32>
  %q2_split = mp.reshape %q2_flat : tensor<?x28x64xf32> -> tensor<?x28x4x16xf32>
  %q2 = mp.transpose %q2_split permutation [0, 2, 1, 3] : tensor<?x28x4x16xf32> -> tensor<?x4x28x16xf32>
  %k2_flat = mp.matmul %a2, %k2_w bias %k2_b : tensor<64xf32> acc f32 : tensor<?x28x64xf32>, tensor<64x64xf32> -> tensor<?x28x64xf32>
  %k2_split = mp.reshape %k2_flat : tensor<?x28x64xf32> -> tensor<?x28x4x16xf32>
  %k2 = mp.transpose %k2_split permutation [0, 2, 1, 3] : tensor<?x28x4x16xf32> -> tensor<?x4x28x16xf32>
  %v2_flat = mp.matmul %a2, %v2_w bias %v2_b : tensor<64xf32> acc f32 : tensor<?x28x64xf32>, tensor<64x64xf32> -> tensor<?x28x64xf32>
  %v2_split = mp.reshape %v2_flat : tensor<?x28x64xf32> -> tensor<?x28x4x16xf32>
  %v2 = mp.transpose %v2_split permutation [0, 2, 1, 3] : tensor<?x28x4x16xf32> -> tensor<?x4x28x16xf32>
  %m2_heads, %lse2 = mp.attention %q2, %k2, %v2 : tensor<?x4x28x16xf32>, tensor<?x4x28x16xf32>, tensor<?x4x28x16xf32>
  %m2_split = mp.transpose %m2_heads permutation [0, 2, 1, 3] : tensor<?x4x28x16xf32> -> tensor<?x28x4x16xf32>
  %m2 = mp.reshape %m2_split : tensor<?x28x4x16xf32> -> tensor<?x28x64xf32>
  %o2 = mp.matmul %m2, %o2_w bias %o2_b : tensor<64xf32> acc f32 : tensor<?x28x64xf32>, tensor<64x64xf32> -> tensor<?x28x64xf32>
  %r2 = mp.add %t1, %o2 : tensor<?x28x64xf32>, tensor<?x28x64xf32> -> tensor<?x28x64xf32>
  %b2 = mp.layer_norm %r2, %n2b_s, %n2b_o : tensor<?x28x64xf32>, tensor<64xf32>
  %u2 = mp.matmul %b2, %u2_w bias %u2_b : tensor<128xf32> acc f32 : tensor<?x28x64xf32>, tensor<64x128xf32> -> tensor<?x28x128xf32>
  %g2 = mp.gelu %u2 : tensor<?x28x128xf32>
  %d2 = mp.matmul %g2, %d2_w bias %d2_b : tensor<64xf32> acc f32 : tensor<?x28x128xf32>, tensor<128x64xf32> -> tensor<?x28x64xf32>
  %t2 = mp.add %r2, %d2 : tensor<?x28x64xf32>, tensor<?x28x64xf32> -> tensor<?x28x64xf32>

  // The classes by the mean of all tokens.
  %last = mp.layer_norm %t2, %n_s, %n_o : tensor<?x28x64xf32>, tensor<64xf32>
  %mean = mp.reduce_mean %last dimensions [1] : tensor<?x28x64xf32> -> tensor<?x64xf32>
  %logits = mp.matmul %mean, %head_w bias %head_b : tensor<10xf32> acc f32 : tensor<?x64xf32>, tensor<64x10xf32> -> tensor<?x10xf32>
  %loss = mp.softmax_cross_entropy %logits, %y : tensor<?x10xf32>, tensor<?xui8> -> tensor<f32>

  // The accuracy of a row is 1 where the largest logit is the label's.
  %guess = mp.argmax %logits dimension 1 : tensor<?x10xf32> -> tensor<?xi32>
  %label = mp.cast %y : tensor<?xui8> -> tensor<?xi32>
  %hit = mp.compare eq %guess, %label : tensor<?xi32>, tensor<?xi32> -> tensor<?xi1>
  %accuracy = mp.cast %hit : tensor<?xi1> -> tensor<?xf32>
  return %loss, %logits, %accuracy : tensor<f32>, tensor<?x10xf32>, tensor<?xf32>
}
