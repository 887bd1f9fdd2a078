// Matrix products over k of 64 to 512, where a chip's blocks take few steps: forward and for both gradients.
func.func @infer(%a0: tensor<512x64xf16> {mp.input = "a0"},
    %b0: tensor<64x512xf16> {mp.input = "b0"},
    %a1: tensor<512x128xf16> {mp.input = "a1"},
    %b1: tensor<512x128xf16> {mp.input = "b1"},
    %a2: tensor<256x512xf16> {mp.input = "a2"},
    %b2: tensor<256x512xf16> {mp.input = "b2"},
    %a3: tensor<512x128xf16> {mp.input = "a3"},
    %b3: tensor<512x512xf16> {mp.input = "b3"},
    %a4: tensor<512x128xf16> {mp.input = "a4"},
    %b4: tensor<512x128xf16> {mp.input = "b4"},
    %c4: tensor<128xf16> {mp.input = "c4"},
    %a5: tensor<512x128xf32> {mp.input = "a5"},
    %b5: tensor<512x512xf32> {mp.input = "b5"},
    %a6: tensor<512x128xf32> {mp.input = "a6"},
    %b6: tensor<128x512xf32> {mp.input = "b6"})
    -> (tensor<512x512xf16> {mp.output = "z0"},
        tensor<512x512xf16> {mp.output = "z1"},
        tensor<512x512xf16> {mp.output = "z2"},
        tensor<128x512xf16> {mp.output = "z3"},
        tensor<128x128xf16> {mp.output = "z4"},
        tensor<128x512xf32> {mp.output = "z5"},
        tensor<512x512xf32> {mp.output = "z6"}) attributes {mp.program = "infer"} {
  %z0 = mp.matmul %a0, %b0 acc f32 : tensor<512x64xf16>, tensor<64x512xf16> -> tensor<512x512xf16>
  %z1 = mp.matmul %a1, %b1 transpose_rhs acc f32 : tensor<512x128xf16>, tensor<512x128xf16> -> tensor<512x512xf16>
  %z2 = mp.matmul %a2, %b2 transpose_lhs acc f32 : tensor<256x512xf16>, tensor<256x512xf16> -> tensor<512x512xf16>
  %z3 = mp.matmul %a3, %b3 transpose_lhs acc f32 : tensor<512x128xf16>, tensor<512x512xf16> -> tensor<128x512xf16>
  %z4 = mp.matmul %a4, %b4 transpose_lhs bias %c4 : tensor<128xf16> acc f32 : tensor<512x128xf16>, tensor<512x128xf16> -> tensor<128x128xf16>
  %r4 = mp.relu %z4 : tensor<128x128xf16>
  %z5 = mp.matmul %a5, %b5 transpose_lhs acc f32 : tensor<512x128xf32>, tensor<512x512xf32> -> tensor<128x512xf32>
  %z6 = mp.matmul %a6, %b6 acc f32 : tensor<512x128xf32>, tensor<128x512xf32> -> tensor<512x512xf32>
  return %z0, %z1, %z2, %z3, %r4, %z5, %z6
      : tensor<512x512xf16>,
        tensor<512x512xf16>,
        tensor<512x512xf16>,
        tensor<128x512xf16>,
        tensor<128x128xf16>,
        tensor<128x512xf32>,
        tensor<512x512xf32>
}
