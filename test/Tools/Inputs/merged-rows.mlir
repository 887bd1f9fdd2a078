func.func @merged(%x: tensor<?x4x8xf32> {mp.input = "x"}) -> (tensor<?x4x8xf32> {mp.output = "y"}) attributes {mp.program = "model"} {
  %rows = mp.reshape %x : tensor<?x4x8xf32> -> tensor<?x8xf32>
  %mean = mp.reduce_mean %rows dimensions [0] : tensor<?x8xf32> -> tensor<8xf32>
  %y = mp.add %x, %mean : tensor<?x4x8xf32>, tensor<8xf32> -> tensor<?x4x8xf32>
  return %y : tensor<?x4x8xf32>
}
