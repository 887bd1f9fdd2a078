func.func @loss(%x: tensor<64x10xf16> {mp.input = "x"}, %y: tensor<64xi32> {mp.input = "y"})
    -> (tensor<f32> {mp.output = "loss"}, tensor<64x10xf16> {mp.output = "dx"}) attributes {mp.program = "infer"} {
  %seed = mp.constant dense<1.0> : tensor<f32>
  %loss = mp.softmax_cross_entropy %x, %y : tensor<64x10xf16>, tensor<64xi32> -> tensor<f32>
  %dx = mp.softmax_cross_entropy_grad %x, %y, %seed : tensor<64x10xf16>, tensor<64xi32>, tensor<f32>
  return %loss, %dx : tensor<f32>, tensor<64x10xf16>
}
