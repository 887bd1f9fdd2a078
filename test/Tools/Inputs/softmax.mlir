// A row kernel and a map kernel, no matrix product.
func.func @model(%x: tensor<?x70xf32> {mp.input = "x"}) -> (tensor<?x70xf32> {mp.output = "y"})
    attributes {mp.program = "model"} {
  %a = mp.softmax %x : tensor<?x70xf32>
  %b = mp.relu %a : tensor<?x70xf32>
  return %b : tensor<?x70xf32>
}
