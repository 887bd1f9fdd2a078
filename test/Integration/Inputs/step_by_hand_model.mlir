// The model of which examples/step_by_hand.mlir is the training step.
func.func @model(%x: tensor<?x784xui8> {mp.input = "x"}, %y: tensor<?xui8> {mp.input = "y"},
                 %w1: tensor<784x32xf32> {mp.parameter = "w1", mp.initializer = #mp.glorot_uniform<seed = 1>},
                 %b1: tensor<32xf32> {mp.parameter = "b1", mp.initializer = #mp.zeros},
                 %w2: tensor<32x10xf32> {mp.parameter = "w2", mp.initializer = #mp.glorot_uniform<seed = 2>})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %f = mp.cast %x : tensor<?x784xui8> -> tensor<?x784xf32>
  %c = mp.constant dense<0.00392156886> : tensor<f32>
  %n = mp.mul %f, %c : tensor<?x784xf32>, tensor<f32> -> tensor<?x784xf32>
  %h = mp.matmul %n, %w1 bias %b1 : tensor<32xf32> acc f32 : tensor<?x784xf32>, tensor<784x32xf32> -> tensor<?x32xf32>
  %r = mp.relu %h : tensor<?x32xf32>
  %z = mp.matmul %r, %w2 acc f32 : tensor<?x32xf32>, tensor<32x10xf32> -> tensor<?x10xf32>
  %loss = mp.softmax_cross_entropy %z, %y : tensor<?x10xf32>, tensor<?xui8> -> tensor<f32>
  return %loss : tensor<f32>
}
