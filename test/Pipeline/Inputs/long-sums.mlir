// Few results, each the sum of many products: k is cut into parts.
func.func @model(%x: tensor<?x8192xf32> {mp.input = "x"},
    %w: tensor<8192x64xf32> {mp.parameter = "w", mp.initializer = #mp.glorot_uniform<seed = 1>})
    -> (tensor<?x64xf32> {mp.output = "y"}) attributes {mp.program = "model"} {
  %0 = mp.matmul %x, %w acc f32 : tensor<?x8192xf32>, tensor<8192x64xf32> -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}
