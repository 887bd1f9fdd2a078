func.func @model(%x: tensor<1000x70xf32> {mp.input = "x"}, %l: tensor<9xui8> {mp.input = "l"})
    -> (tensor<1000x70xf32> {mp.output = "y"}, tensor<9xi32> {mp.output = "n"}) attributes {mp.program = "model"} {
  %a = mp.relu %x : tensor<1000x70xf32>
  %n = mp.cast %l : tensor<9xui8> -> tensor<9xi32>
  return %a, %n : tensor<1000x70xf32>, tensor<9xi32>
}
