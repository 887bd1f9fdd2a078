func.func @infer() -> (tensor<4294967296xf32> {mp.output = "y"}) attributes {mp.program = "infer"} {
  %y = mp.constant dense<0.5> : tensor<4294967296xf32>
  return %y : tensor<4294967296xf32>
}
