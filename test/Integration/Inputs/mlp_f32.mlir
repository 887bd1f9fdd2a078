// Two dense layers and a weighted loss in f32, specialized.
func.func @mlp(%x: tensor<9x14xf32> {mp.input = "x"}, %y: tensor<9xui8> {mp.input = "y"},
    %rows: tensor<9xf32> {mp.input = "rows"},
    %w1: tensor<14x11xf32> {mp.parameter = "w1", mp.initializer = #mp.zeros},
    %b1: tensor<11xf32> {mp.parameter = "b1", mp.initializer = #mp.zeros},
    %w2: tensor<11x5xf32> {mp.parameter = "w2", mp.initializer = #mp.zeros},
    %b2: tensor<5xf32> {mp.parameter = "b2", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %z1 = mp.matmul %x, %w1 bias %b1 : tensor<11xf32> acc f32 : tensor<9x14xf32>, tensor<14x11xf32> -> tensor<9x11xf32>
  %h = mp.relu %z1 : tensor<9x11xf32>
  %z2 = mp.matmul %h, %w2 bias %b2 : tensor<5xf32> acc f32 : tensor<9x11xf32>, tensor<11x5xf32> -> tensor<9x5xf32>
  %loss = mp.softmax_cross_entropy %z2, %y weights %rows : tensor<9xf32> : tensor<9x5xf32>, tensor<9xui8> -> tensor<f32>
  return %loss : tensor<f32>
}
