func.func @model(%x: tensor<1x2xf32> {mp.input = "x"}) -> (tensor<1x2xf32> {mp.output = "y"}) attributes {mp.program = "model"} {
  %m = mp.constant dense<[[0.0, -1.0e9], [1.0, 0.0]]> : tensor<2x2xf32>
  %y = mp.matmul %x, %m acc f32 : tensor<1x2xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}
