// Two convolutions and a dense layer: what the training stages make of convolutions, small enough to read.
func.func @two_convs(%x: tensor<?x8x8x2xf32> {mp.input = "x"}, %y: tensor<?xui8> {mp.input = "y"},
    %w1: tensor<4x3x3x2xf32> {mp.parameter = "conv1.kernel", mp.initializer = #mp.uniform<low = -0.4, high = 0.4, seed = 1>},
    %b1: tensor<4xf32> {mp.parameter = "conv1.bias", mp.initializer = #mp.zeros},
    %w2: tensor<6x3x3x2xf32> {mp.parameter = "conv2.kernel", mp.initializer = #mp.uniform<low = -0.4, high = 0.4, seed = 2>},
    %w3: tensor<96x5xf32> {mp.parameter = "dense.kernel", mp.initializer = #mp.glorot_uniform<seed = 3>})
    -> (tensor<f32> {mp.loss}, tensor<?x5xf32> {mp.output = "logits"}) attributes {mp.program = "model"} {
  %z1 = mp.conv %x, %w1 bias %b1 : tensor<4xf32> acc f32 {padding = same} : tensor<?x8x8x2xf32>, tensor<4x3x3x2xf32> -> tensor<?x8x8x4xf32>
  %h1 = mp.relu %z1 : tensor<?x8x8x4xf32>
  %z2 = mp.conv %h1, %w2 acc f32 {strides = [2, 2], padding = same, groups = 2} : tensor<?x8x8x4xf32>, tensor<6x3x3x2xf32> -> tensor<?x4x4x6xf32>
  %h2 = mp.relu %z2 : tensor<?x4x4x6xf32>
  %flat = mp.reshape %h2 : tensor<?x4x4x6xf32> -> tensor<?x96xf32>
  %logits = mp.matmul %flat, %w3 acc f32 : tensor<?x96xf32>, tensor<96x5xf32> -> tensor<?x5xf32>
  %loss = mp.softmax_cross_entropy %logits, %y : tensor<?x5xf32>, tensor<?xui8> -> tensor<f32>
  return %loss, %logits : tensor<f32>, tensor<?x5xf32>
}
