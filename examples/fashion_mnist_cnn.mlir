// Two convolutions and a dense layer for Fashion-MNIST (or MNIST): 28x28x1, 14x14x16, 7x7x32, 10.
//
//   mp-run train examples/fashion_mnist_cnn.mlir --data=/usr/share/datasets/fashion-mnist --policy=mixed_bfloat16 --epochs=1
//
// Images are [rows, height, width, channels], filters [filters, height, width, channels].
func.func @fashion_mnist_cnn(
    %x: tensor<?x784xui8> {mp.input = "x"}, %y: tensor<?xui8> {mp.input = "y"},
    %w1: tensor<16x3x3x1xf32> {mp.parameter = "conv1.kernel", mp.initializer = #mp.uniform<low = -0.5, high = 0.5, seed = 1>},
    %b1: tensor<16xf32> {mp.parameter = "conv1.bias", mp.initializer = #mp.zeros},
    %w2: tensor<32x3x3x16xf32> {mp.parameter = "conv2.kernel", mp.initializer = #mp.uniform<low = -0.15, high = 0.15, seed = 2>},
    %b2: tensor<32xf32> {mp.parameter = "conv2.bias", mp.initializer = #mp.zeros},
    %w3: tensor<1568x10xf32> {mp.parameter = "dense.kernel", mp.initializer = #mp.glorot_uniform<seed = 3>},
    %b3: tensor<10xf32> {mp.parameter = "dense.bias", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}, tensor<?x10xf32> {mp.output = "logits"}, tensor<?xf32> {mp.metric = "accuracy"})
    attributes {mp.program = "model"} {
  // Pixels 0..255 become 0..1.
  %bytes = mp.reshape %x : tensor<?x784xui8> -> tensor<?x28x28x1xui8>
  %pixels = mp.cast %bytes : tensor<?x28x28x1xui8> -> tensor<?x28x28x1xf32>
  %scale = mp.constant dense<0.00392156886> : tensor<f32>
  %image = mp.mul %pixels, %scale : tensor<?x28x28x1xf32>, tensor<f32> -> tensor<?x28x28x1xf32>

  %z1 = mp.conv %image, %w1 bias %b1 : tensor<16xf32> acc f32 {strides = [2, 2], padding = same} : tensor<?x28x28x1xf32>, tensor<16x3x3x1xf32> -> tensor<?x14x14x16xf32>
  %h1 = mp.relu %z1 : tensor<?x14x14x16xf32>
  %z2 = mp.conv %h1, %w2 bias %b2 : tensor<32xf32> acc f32 {strides = [2, 2], padding = same} : tensor<?x14x14x16xf32>, tensor<32x3x3x16xf32> -> tensor<?x7x7x32xf32>
  %h2 = mp.relu %z2 : tensor<?x7x7x32xf32>

  %flat = mp.reshape %h2 : tensor<?x7x7x32xf32> -> tensor<?x1568xf32>
  %logits = mp.matmul %flat, %w3 bias %b3 : tensor<10xf32> acc f32 : tensor<?x1568xf32>, tensor<1568x10xf32> -> tensor<?x10xf32>
  %loss = mp.softmax_cross_entropy %logits, %y : tensor<?x10xf32>, tensor<?xui8> -> tensor<f32>

  // The accuracy of a row is 1 where the largest logit is the label's.
  %guess = mp.argmax %logits dimension 1 : tensor<?x10xf32> -> tensor<?xi32>
  %label = mp.cast %y : tensor<?xui8> -> tensor<?xi32>
  %hit = mp.compare eq %guess, %label : tensor<?xi32>, tensor<?xi32> -> tensor<?xi1>
  %accuracy = mp.cast %hit : tensor<?xi1> -> tensor<?xf32>
  return %loss, %logits, %accuracy : tensor<f32>, tensor<?x10xf32>, tensor<?xf32>
}
