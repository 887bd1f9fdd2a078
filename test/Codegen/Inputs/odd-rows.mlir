// Rows of 123 and of 77 elements start at no multiples of 16 bytes.
func.func @infer(%x: tensor<50x123xf16> {mp.input = "x"}, %w: tensor<123x77xf16> {mp.input = "w"})
    -> (tensor<50x77xf16> {mp.output = "y"})
    attributes {mp.program = "infer"} {
  %0 = mp.matmul %x, %w acc f32 : tensor<50x123xf16>, tensor<123x77xf16> -> tensor<50x77xf16>
  return %0 : tensor<50x77xf16>
}
