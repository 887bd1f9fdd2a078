// Every kind of kernel but a matrix product.
func.func @infer(%x: tensor<64x1000xf32> {mp.input = "x"}, %b: tensor<1000xf32> {mp.parameter = "b", mp.initializer = #mp.ones})
    -> (tensor<64x1000xf16> {mp.output = "p"}, tensor<1000xf32> {mp.output = "sum"}, tensor<f32> {mp.output = "mean"},
        tensor<64x1000xf32> {mp.output = "y"}) attributes {mp.program = "infer"} {
  %y = mp.add %x, %b : tensor<64x1000xf32>, tensor<1000xf32> -> tensor<64x1000xf32>
  %p = mp.softmax %y : tensor<64x1000xf32>
  %h = mp.cast %p : tensor<64x1000xf32> -> tensor<64x1000xf16>
  %s = mp.reduce_sum %x dimensions [0] : tensor<64x1000xf32> -> tensor<1000xf32>
  %m = mp.reduce_mean %b dimensions [0] : tensor<1000xf32> -> tensor<f32>
  return %h, %s, %m, %y : tensor<64x1000xf16>, tensor<1000xf32>, tensor<f32>, tensor<64x1000xf32>
}
