// A wide multi-layer perceptron for Fashion-MNIST (or MNIST), trained in large batches: 784-4096-4096-10, relu, softmax cross
// entropy. Nearly all of its time are matrix products: what a low type or a GPU gains, it gains here.
//
//   mp-run train examples/fashion_mnist_wide_mlp.mlir --data=/usr/share/datasets/fashion-mnist --policy=mixed_bfloat16 \
//       --batch-size=8192 --optimizer=rmsprop --learning-rate=0.0001 --epochs=5
func.func @fashion_mnist_wide_mlp(
    %x: tensor<?x784xui8> {mp.input = "x"}, %y: tensor<?xui8> {mp.input = "y"},
    %w1: tensor<784x4096xf32> {mp.parameter = "dense1.kernel", mp.initializer = #mp.glorot_uniform<seed = 1>},
    %b1: tensor<4096xf32> {mp.parameter = "dense1.bias", mp.initializer = #mp.zeros},
    %w2: tensor<4096x4096xf32> {mp.parameter = "dense2.kernel", mp.initializer = #mp.glorot_uniform<seed = 2>},
    %b2: tensor<4096xf32> {mp.parameter = "dense2.bias", mp.initializer = #mp.zeros},
    %w3: tensor<4096x10xf32> {mp.parameter = "dense3.kernel", mp.initializer = #mp.glorot_uniform<seed = 3>},
    %b3: tensor<10xf32> {mp.parameter = "dense3.bias", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}, tensor<?x10xf32> {mp.output = "logits"}, tensor<?xf32> {mp.metric = "accuracy"})
    attributes {mp.program = "model"} {
  // Pixels 0..255 become 0..1.
  %pixels = mp.cast %x : tensor<?x784xui8> -> tensor<?x784xf32>
  %scale = mp.constant dense<0.00392156886> : tensor<f32>
  %image = mp.mul %pixels, %scale : tensor<?x784xf32>, tensor<f32> -> tensor<?x784xf32>

  %z1 = mp.matmul %image, %w1 bias %b1 : tensor<4096xf32> acc f32 : tensor<?x784xf32>, tensor<784x4096xf32> -> tensor<?x4096xf32>
  %h1 = mp.relu %z1 : tensor<?x4096xf32>

  %z2 = mp.matmul %h1, %w2 bias %b2 : tensor<4096xf32> acc f32 : tensor<?x4096xf32>, tensor<4096x4096xf32> -> tensor<?x4096xf32>
  %h2 = mp.relu %z2 : tensor<?x4096xf32>

  %logits = mp.matmul %h2, %w3 bias %b3 : tensor<10xf32> acc f32 : tensor<?x4096xf32>, tensor<4096x10xf32> -> tensor<?x10xf32>
  %loss = mp.softmax_cross_entropy %logits, %y : tensor<?x10xf32>, tensor<?xui8> -> tensor<f32>

  // The accuracy of a row is 1 where the largest logit is the label's.
  %guess = mp.argmax %logits dimension 1 : tensor<?x10xf32> -> tensor<?xi32>
  %label = mp.cast %y : tensor<?xui8> -> tensor<?xi32>
  %hit = mp.compare eq %guess, %label : tensor<?xi32>, tensor<?xi32> -> tensor<?xi1>
  %accuracy = mp.cast %hit : tensor<?xi1> -> tensor<?xf32>
  return %loss, %logits, %accuracy : tensor<f32>, tensor<?x10xf32>, tensor<?xf32>
}
