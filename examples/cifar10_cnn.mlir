// A convolutional network for CIFAR-10: four convolutions, two poolings, two dense layers; 1,250,858 parameters.
//
//   mp-run train examples/cifar10_cnn.mlir --data=cifar-10-batches-bin --policy=mixed_bfloat16 --batch-size=128 --optimizer=adam --epochs=5
//
// 32x32x3, conv 32 same, conv 32, pool, dropout 0.25: 15x15x32; conv 64 same, conv 64, pool, dropout 0.25: 6x6x64;
// dense 512, dropout 0.5, dense 10. Images are [rows, height, width, channels], filters [filters, height, width, channels].
func.func @cifar10_cnn(
    %x: tensor<?x32x32x3xui8> {mp.input = "x"}, %y: tensor<?xui8> {mp.input = "y"},
    %w1: tensor<32x3x3x3xf32> {mp.parameter = "conv1.kernel", mp.initializer = #mp.glorot_uniform<seed = 1>},
    %b1: tensor<32xf32> {mp.parameter = "conv1.bias", mp.initializer = #mp.zeros},
    %w2: tensor<32x3x3x32xf32> {mp.parameter = "conv2.kernel", mp.initializer = #mp.glorot_uniform<seed = 2>},
    %b2: tensor<32xf32> {mp.parameter = "conv2.bias", mp.initializer = #mp.zeros},
    %w3: tensor<64x3x3x32xf32> {mp.parameter = "conv3.kernel", mp.initializer = #mp.glorot_uniform<seed = 3>},
    %b3: tensor<64xf32> {mp.parameter = "conv3.bias", mp.initializer = #mp.zeros},
    %w4: tensor<64x3x3x64xf32> {mp.parameter = "conv4.kernel", mp.initializer = #mp.glorot_uniform<seed = 4>},
    %b4: tensor<64xf32> {mp.parameter = "conv4.bias", mp.initializer = #mp.zeros},
    %w5: tensor<2304x512xf32> {mp.parameter = "dense1.kernel", mp.initializer = #mp.glorot_uniform<seed = 5>},
    %b5: tensor<512xf32> {mp.parameter = "dense1.bias", mp.initializer = #mp.zeros},
    %w6: tensor<512x10xf32> {mp.parameter = "dense2.kernel", mp.initializer = #mp.glorot_uniform<seed = 6>},
    %b6: tensor<10xf32> {mp.parameter = "dense2.bias", mp.initializer = #mp.zeros},
    %rng: tensor<2xi64> {mp.state = "rng"})
    -> (tensor<f32> {mp.loss}, tensor<?x10xf32> {mp.output = "logits"}, tensor<?xf32> {mp.metric = "accuracy"})
    attributes {mp.program = "model"} {
  // Pixels 0..255 become 0..1.
  %pixels = mp.cast %x : tensor<?x32x32x3xui8> -> tensor<?x32x32x3xf32>
  %scale = mp.constant dense<0.00392156886> : tensor<f32>
  %image = mp.mul %pixels, %scale : tensor<?x32x32x3xf32>, tensor<f32> -> tensor<?x32x32x3xf32>

  %z1 = mp.conv %image, %w1 bias %b1 : tensor<32xf32> acc f32 {padding = same} : tensor<?x32x32x3xf32>, tensor<32x3x3x3xf32> -> tensor<?x32x32x32xf32>
  %h1 = mp.relu %z1 : tensor<?x32x32x32xf32>
  %z2 = mp.conv %h1, %w2 bias %b2 : tensor<32xf32> acc f32 : tensor<?x32x32x32xf32>, tensor<32x3x3x32xf32> -> tensor<?x30x30x32xf32>
  %h2 = mp.relu %z2 : tensor<?x30x30x32xf32>
  %p2 = mp.max_pool %h2 {window = [2, 2]} : tensor<?x30x30x32xf32> -> tensor<?x15x15x32xf32>
  %d2 = mp.dropout %p2, %rng {rate = 0.25, stream = 1} : tensor<?x15x15x32xf32>

  %z3 = mp.conv %d2, %w3 bias %b3 : tensor<64xf32> acc f32 {padding = same} : tensor<?x15x15x32xf32>, tensor<64x3x3x32xf32> -> tensor<?x15x15x64xf32>
  %h3 = mp.relu %z3 : tensor<?x15x15x64xf32>
  %z4 = mp.conv %h3, %w4 bias %b4 : tensor<64xf32> acc f32 : tensor<?x15x15x64xf32>, tensor<64x3x3x64xf32> -> tensor<?x13x13x64xf32>
  %h4 = mp.relu %z4 : tensor<?x13x13x64xf32>
  %p4 = mp.max_pool %h4 {window = [2, 2]} : tensor<?x13x13x64xf32> -> tensor<?x6x6x64xf32>
  %d4 = mp.dropout %p4, %rng {rate = 0.25, stream = 2} : tensor<?x6x6x64xf32>

  %flat = mp.reshape %d4 : tensor<?x6x6x64xf32> -> tensor<?x2304xf32>
  %z5 = mp.matmul %flat, %w5 bias %b5 : tensor<512xf32> acc f32 : tensor<?x2304xf32>, tensor<2304x512xf32> -> tensor<?x512xf32>
  %h5 = mp.relu %z5 : tensor<?x512xf32>
  %d5 = mp.dropout %h5, %rng {rate = 0.5, stream = 3} : tensor<?x512xf32>
  %logits = mp.matmul %d5, %w6 bias %b6 : tensor<10xf32> acc f32 : tensor<?x512xf32>, tensor<512x10xf32> -> tensor<?x10xf32>
  %loss = mp.softmax_cross_entropy %logits, %y : tensor<?x10xf32>, tensor<?xui8> -> tensor<f32>

  // The accuracy of a row is 1 where the largest logit is the label's.
  %guess = mp.argmax %logits dimension 1 : tensor<?x10xf32> -> tensor<?xi32>
  %label = mp.cast %y : tensor<?xui8> -> tensor<?xi32>
  %hit = mp.compare eq %guess, %label : tensor<?xi32>, tensor<?xi32> -> tensor<?xi1>
  %accuracy = mp.cast %hit : tensor<?xi1> -> tensor<?xf32>
  return %loss, %logits, %accuracy : tensor<f32>, tensor<?x10xf32>, tensor<?xf32>
}
