// The classifier of tiny.mlir, and how often it is right.
func.func @tiny_accuracy(%x: tensor<?x4xui8> {mp.input = "x"}, %y: tensor<?xui8> {mp.input = "y"},
    %w: tensor<4x3xf32> {mp.parameter = "dense.kernel", mp.initializer = #mp.glorot_uniform<seed = 1>},
    %b: tensor<3xf32> {mp.parameter = "dense.bias", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}, tensor<?x3xf32> {mp.output = "logits"}, tensor<?xf32> {mp.metric = "accuracy"})
    attributes {mp.program = "model"} {
  %f = mp.cast %x : tensor<?x4xui8> -> tensor<?x4xf32>
  %s = mp.constant dense<0.00392156886> : tensor<f32>
  %p = mp.mul %f, %s : tensor<?x4xf32>, tensor<f32> -> tensor<?x4xf32>
  %z = mp.matmul %p, %w bias %b : tensor<3xf32> acc f32 : tensor<?x4xf32>, tensor<4x3xf32> -> tensor<?x3xf32>
  %l = mp.softmax_cross_entropy %z, %y : tensor<?x3xf32>, tensor<?xui8> -> tensor<f32>
  %guess = mp.argmax %z dimension 1 : tensor<?x3xf32> -> tensor<?xi32>
  %label = mp.cast %y : tensor<?xui8> -> tensor<?xi32>
  %hit = mp.compare eq %guess, %label : tensor<?xi32>, tensor<?xi32> -> tensor<?xi1>
  %accuracy = mp.cast %hit : tensor<?xi1> -> tensor<?xf32>
  return %l, %z, %accuracy : tensor<f32>, tensor<?x3xf32>, tensor<?xf32>
}
