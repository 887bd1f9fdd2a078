// A norm and its gradient over rows of 768, as a block of a transformer has them.
func.func @infer(%x: tensor<128x768xf16> {mp.input = "x"}, %g: tensor<128x768xf16> {mp.input = "g"},
                 %scale: tensor<768xf32> {mp.parameter = "scale", mp.initializer = #mp.ones},
                 %offset: tensor<768xf32> {mp.parameter = "offset", mp.initializer = #mp.zeros})
    -> (tensor<128x768xf16> {mp.output = "y"}, tensor<128x768xf16> {mp.output = "gx"}) attributes {mp.program = "infer"} {
  %y = mp.layer_norm %x, %scale, %offset : tensor<128x768xf16>, tensor<768xf32>
  %mean, %inv = mp.layer_norm_statistics %x : tensor<128x768xf16> -> tensor<128x1xf32>, tensor<128x1xf32>
  %gx = mp.layer_norm_grad %x, %scale, %mean, %inv, %g : tensor<128x768xf16>, tensor<768xf32>, tensor<128x1xf32>
  return %y, %gx : tensor<128x768xf16>, tensor<128x768xf16>
}
