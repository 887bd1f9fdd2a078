// What follows the sum walks its columns in shorter runs than the sum does.
func.func @f(%x: tensor<8x4x6xf32> {mp.input = "x"}, %z: tensor<6xf32> {mp.input = "z"})
    -> (tensor<4x6xf32> {mp.output = "y"}) attributes {mp.program = "infer"} {
  %s = mp.reduce_sum %x dimensions [0] : tensor<8x4x6xf32> -> tensor<4x6xf32>
  %y = mp.add %s, %z : tensor<4x6xf32>, tensor<6xf32> -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}
