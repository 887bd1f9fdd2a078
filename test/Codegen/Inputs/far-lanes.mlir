func.func @infer(%x: tensor<16x200000000xf32> {mp.input = "x"}) -> (tensor<200000000x16xf32> {mp.output = "y"}) attributes {mp.program = "infer"} {
  %y = mp.transpose %x permutation [1, 0] : tensor<16x200000000xf32> -> tensor<200000000x16xf32>
  return %y : tensor<200000000x16xf32>
}
