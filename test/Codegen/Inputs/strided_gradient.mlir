func.func @infer(%g: tensor<2x8x8x32xf16> {mp.input = "g"}, %w: tensor<32x5x5x32xf16> {mp.input = "w"}) -> (tensor<2xSIZEx32xf16> {mp.output = "x"})
    attributes {mp.program = "infer"} {
  %x = mp.conv_transpose %g, %w acc f32 {strides = [STRIDES], padding = same} : tensor<2x8x8x32xf16>, tensor<32x5x5x32xf16> -> tensor<2xSIZEx32xf16>
  return %x : tensor<2xSIZEx32xf16>
}
