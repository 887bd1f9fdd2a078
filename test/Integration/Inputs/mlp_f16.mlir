// The same as mlp_f32.mlir with f16 inside, as mixed precision has it: f32 masters, sums in f32, f16 values and gradients.
func.func @mlp(%x: tensor<9x14xf32> {mp.input = "x"}, %y: tensor<9xui8> {mp.input = "y"},
    %rows: tensor<9xf32> {mp.input = "rows"},
    %w1: tensor<14x11xf32> {mp.parameter = "w1", mp.initializer = #mp.zeros},
    %b1: tensor<11xf32> {mp.parameter = "b1", mp.initializer = #mp.zeros},
    %w2: tensor<11x5xf32> {mp.parameter = "w2", mp.initializer = #mp.zeros},
    %b2: tensor<5xf32> {mp.parameter = "b2", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %xh = mp.cast %x : tensor<9x14xf32> -> tensor<9x14xf16>
  %w1h = mp.cast %w1 : tensor<14x11xf32> -> tensor<14x11xf16>
  %b1h = mp.cast %b1 : tensor<11xf32> -> tensor<11xf16>
  %w2h = mp.cast %w2 : tensor<11x5xf32> -> tensor<11x5xf16>
  %b2h = mp.cast %b2 : tensor<5xf32> -> tensor<5xf16>
  %z1 = mp.matmul %xh, %w1h bias %b1h : tensor<11xf16> acc f32 : tensor<9x14xf16>, tensor<14x11xf16> -> tensor<9x11xf16>
  %h = mp.relu %z1 : tensor<9x11xf16>
  %z2 = mp.matmul %h, %w2h bias %b2h : tensor<5xf16> acc f32 : tensor<9x11xf16>, tensor<11x5xf16> -> tensor<9x5xf16>
  %loss = mp.softmax_cross_entropy %z2, %y weights %rows : tensor<9xf32> : tensor<9x5xf16>, tensor<9xui8> -> tensor<f32>
  return %loss : tensor<f32>
}
