// Each row beside each.
func.func @pairs(%x: tensor<?x4xf32> {mp.input = "x"}) -> (tensor<?x?xf32> {mp.output = "y"}) attributes {mp.program = "model"} {
  %0 = mp.matmul %x, %x transpose_rhs acc f32 : tensor<?x4xf32>, tensor<?x4xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
