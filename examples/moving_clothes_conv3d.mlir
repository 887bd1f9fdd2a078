// Two convolutions of three dimensions for clips of clothes that move: 8x20x20x1, 8x10x10x8, 4x5x5x16, 8 directions.
//
//   examples/data/moving_clothes.py /usr/share/datasets/fashion-mnist clips.npz
//   mp-run train examples/moving_clothes_conv3d.mlir --data=clips.npz --policy=mixed_bfloat16 --optimizer=adam --epochs=3
//
// Clips are [rows, time, height, width, channels], filters [filters, time, height, width, channels].
func.func @moving_clothes_conv3d(
    %x: tensor<?x3200xui8> {mp.input = "x"}, %y: tensor<?xui8> {mp.input = "y"},
    %w1: tensor<8x3x3x3x1xf32> {mp.parameter = "conv1.kernel", mp.initializer = #mp.glorot_uniform<seed = 1>},
    %b1: tensor<8xf32> {mp.parameter = "conv1.bias", mp.initializer = #mp.zeros},
    %w2: tensor<16x3x3x3x8xf32> {mp.parameter = "conv2.kernel", mp.initializer = #mp.glorot_uniform<seed = 2>},
    %b2: tensor<16xf32> {mp.parameter = "conv2.bias", mp.initializer = #mp.zeros},
    %w3: tensor<1600x8xf32> {mp.parameter = "dense.kernel", mp.initializer = #mp.glorot_uniform<seed = 3>},
    %b3: tensor<8xf32> {mp.parameter = "dense.bias", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}, tensor<?x8xf32> {mp.output = "logits"}, tensor<?xf32> {mp.metric = "accuracy"})
    attributes {mp.program = "model"} {
  // Pixels 0..255 become 0..1.
  %bytes = mp.reshape %x : tensor<?x3200xui8> -> tensor<?x8x20x20x1xui8>
  %pixels = mp.cast %bytes : tensor<?x8x20x20x1xui8> -> tensor<?x8x20x20x1xf32>
  %scale = mp.constant dense<0.00392156886> : tensor<f32>
  %clip = mp.mul %pixels, %scale : tensor<?x8x20x20x1xf32>, tensor<f32> -> tensor<?x8x20x20x1xf32>

  %z1 = mp.conv %clip, %w1 bias %b1 : tensor<8xf32> acc f32 {strides = [1, 2, 2], padding = same} : tensor<?x8x20x20x1xf32>, tensor<8x3x3x3x1xf32> -> tensor<?x8x10x10x8xf32>
  %h1 = mp.relu %z1 : tensor<?x8x10x10x8xf32>
  %z2 = mp.conv %h1, %w2 bias %b2 : tensor<16xf32> acc f32 {padding = same} : tensor<?x8x10x10x8xf32>, tensor<16x3x3x3x8xf32> -> tensor<?x8x10x10x16xf32>
  %h2 = mp.relu %z2 : tensor<?x8x10x10x16xf32>
  %p2 = mp.max_pool %h2 {window = [2, 2, 2]} : tensor<?x8x10x10x16xf32> -> tensor<?x4x5x5x16xf32>

  %flat = mp.reshape %p2 : tensor<?x4x5x5x16xf32> -> tensor<?x1600xf32>
  %logits = mp.matmul %flat, %w3 bias %b3 : tensor<8xf32> acc f32 : tensor<?x1600xf32>, tensor<1600x8xf32> -> tensor<?x8xf32>
  %loss = mp.softmax_cross_entropy %logits, %y : tensor<?x8xf32>, tensor<?xui8> -> tensor<f32>

  // The accuracy of a row is 1 where the largest logit is the label's.
  %guess = mp.argmax %logits dimension 1 : tensor<?x8xf32> -> tensor<?xi32>
  %label = mp.cast %y : tensor<?xui8> -> tensor<?xi32>
  %hit = mp.compare eq %guess, %label : tensor<?xi32>, tensor<?xi32> -> tensor<?xi1>
  %accuracy = mp.cast %hit : tensor<?xi1> -> tensor<?xf32>
  return %loss, %logits, %accuracy : tensor<f32>, tensor<?x8xf32>, tensor<?xf32>
}
