func.func @m(%x: tensor<15x63xf32> {mp.input = "x"}, %rng: tensor<2xi64> {mp.input = "rng"}) -> (tensor<63xf32> {mp.output = "y"}) attributes {mp.program = "infer"} {
  %d = mp.dropout %x, %rng {rate = 0.5, stream = 0} : tensor<15x63xf32>
  %c = mp.reduce_sum %d dimensions [0] : tensor<15x63xf32> -> tensor<63xf32>
  return %c : tensor<63xf32>
}
