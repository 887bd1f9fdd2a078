// Matrix products of training steps and of odd sizes.
func.func @infer(%a0: tensor<4096x4096xf16> {mp.input = "a0"},
    %b0: tensor<4096x4096xf16> {mp.input = "b0"},
    %a1: tensor<2048x1024xf16> {mp.input = "a1"},
    %b1: tensor<4096x1024xf16> {mp.input = "b1"},
    %c1: tensor<4096xf16> {mp.input = "c1"},
    %a2: tensor<8192x784xf16> {mp.input = "a2"},
    %b2: tensor<8192x4096xf16> {mp.input = "b2"},
    %a3: tensor<8192x4096xf16> {mp.input = "a3"},
    %b3: tensor<784x4096xf16> {mp.input = "b3"},
    %a4: tensor<128x784xf16> {mp.input = "a4"},
    %b4: tensor<784x128xf16> {mp.input = "b4"},
    %c4: tensor<128xf16> {mp.input = "c4"},
    %a5: tensor<128x128xf16> {mp.input = "a5"},
    %b5: tensor<128x10xf16> {mp.input = "b5"},
    %c5: tensor<10xf16> {mp.input = "c5"},
    %a6: tensor<128x784xf16> {mp.input = "a6"},
    %b6: tensor<128x128xf16> {mp.input = "b6"},
    %a7: tensor<50x123xf16> {mp.input = "a7"},
    %b7: tensor<123x77xf16> {mp.input = "b7"},
    %c7: tensor<77xf16> {mp.input = "c7"},
    %a8: tensor<50x123xf16> {mp.input = "a8"},
    %b8: tensor<50x77xf16> {mp.input = "b8"},
    %a9: tensor<8192x64xf16> {mp.input = "a9"},
    %b9: tensor<8192x64xf16> {mp.input = "b9"},
    %a10: tensor<8x256xf16> {mp.input = "a10"},
    %b10: tensor<256x256xf16> {mp.input = "b10"},
    %a11: tensor<512x256xf16> {mp.input = "a11"},
    %b11: tensor<8x512xf16> {mp.input = "b11"},
    %a12: tensor<1024x1024xf32> {mp.input = "a12"},
    %b12: tensor<1024x1024xf32> {mp.input = "b12"},
    %a13: tensor<128x784xf32> {mp.input = "a13"},
    %b13: tensor<784x128xf32> {mp.input = "b13"},
    %c13: tensor<128xf32> {mp.input = "c13"},
    %a14: tensor<128x784xf32> {mp.input = "a14"},
    %b14: tensor<128x128xf32> {mp.input = "b14"},
    %a15: tensor<128x10xf32> {mp.input = "a15"},
    %b15: tensor<784x10xf32> {mp.input = "b15"},
    %a16: tensor<4096x64xf32> {mp.input = "a16"},
    %b16: tensor<64x4096xf32> {mp.input = "b16"})
    -> (tensor<4096x4096xf16> {mp.output = "z0"},
        tensor<2048x4096xf16> {mp.output = "z1"},
        tensor<784x4096xf16> {mp.output = "z2"},
        tensor<8192x784xf16> {mp.output = "z3"},
        tensor<128x128xf16> {mp.output = "z4"},
        tensor<128x10xf16> {mp.output = "z5"},
        tensor<784x128xf16> {mp.output = "z6"},
        tensor<50x77xf16> {mp.output = "z7"},
        tensor<123x77xf16> {mp.output = "z8"},
        tensor<64x64xf16> {mp.output = "z9"},
        tensor<8x256xf16> {mp.output = "z10"},
        tensor<256x8xf16> {mp.output = "z11"},
        tensor<1024x1024xf32> {mp.output = "z12"},
        tensor<128x128xf32> {mp.output = "z13"},
        tensor<784x128xf32> {mp.output = "z14"},
        tensor<128x784xf32> {mp.output = "z15"},
        tensor<64x64xf32> {mp.output = "z16"}) attributes {mp.program = "infer"} {
  %z0 = mp.matmul %a0, %b0 acc f32 : tensor<4096x4096xf16>, tensor<4096x4096xf16> -> tensor<4096x4096xf16>
  %z1 = mp.matmul %a1, %b1 transpose_rhs bias %c1 : tensor<4096xf16> acc f32 : tensor<2048x1024xf16>, tensor<4096x1024xf16> -> tensor<2048x4096xf16>
  %r1 = mp.relu %z1 : tensor<2048x4096xf16>
  %z2 = mp.matmul %a2, %b2 transpose_lhs acc f32 : tensor<8192x784xf16>, tensor<8192x4096xf16> -> tensor<784x4096xf16>
  %z3 = mp.matmul %a3, %b3 transpose_rhs acc f32 : tensor<8192x4096xf16>, tensor<784x4096xf16> -> tensor<8192x784xf16>
  %z4 = mp.matmul %a4, %b4 bias %c4 : tensor<128xf16> acc f32 : tensor<128x784xf16>, tensor<784x128xf16> -> tensor<128x128xf16>
  %r4 = mp.relu %z4 : tensor<128x128xf16>
  %z5 = mp.matmul %a5, %b5 bias %c5 : tensor<10xf16> acc f32 : tensor<128x128xf16>, tensor<128x10xf16> -> tensor<128x10xf16>
  %r5 = mp.relu %z5 : tensor<128x10xf16>
  %z6 = mp.matmul %a6, %b6 transpose_lhs acc f32 : tensor<128x784xf16>, tensor<128x128xf16> -> tensor<784x128xf16>
  %z7 = mp.matmul %a7, %b7 bias %c7 : tensor<77xf16> acc f32 : tensor<50x123xf16>, tensor<123x77xf16> -> tensor<50x77xf16>
  %r7 = mp.relu %z7 : tensor<50x77xf16>
  %z8 = mp.matmul %a8, %b8 transpose_lhs acc f32 : tensor<50x123xf16>, tensor<50x77xf16> -> tensor<123x77xf16>
  %z9 = mp.matmul %a9, %b9 transpose_lhs acc f32 : tensor<8192x64xf16>, tensor<8192x64xf16> -> tensor<64x64xf16>
  %z10 = mp.matmul %a10, %b10 transpose_rhs acc f32 : tensor<8x256xf16>, tensor<256x256xf16> -> tensor<8x256xf16>
  %z11 = mp.matmul %a11, %b11 transpose_lhs transpose_rhs acc f32 : tensor<512x256xf16>, tensor<8x512xf16> -> tensor<256x8xf16>
  %z12 = mp.matmul %a12, %b12 acc f32 : tensor<1024x1024xf32>, tensor<1024x1024xf32> -> tensor<1024x1024xf32>
  %z13 = mp.matmul %a13, %b13 bias %c13 : tensor<128xf32> acc f32 : tensor<128x784xf32>, tensor<784x128xf32> -> tensor<128x128xf32>
  %r13 = mp.relu %z13 : tensor<128x128xf32>
  %z14 = mp.matmul %a14, %b14 transpose_lhs acc f32 : tensor<128x784xf32>, tensor<128x128xf32> -> tensor<784x128xf32>
  %z15 = mp.matmul %a15, %b15 transpose_rhs acc f32 : tensor<128x10xf32>, tensor<784x10xf32> -> tensor<128x784xf32>
  %z16 = mp.matmul %a16, %b16 transpose_lhs transpose_rhs acc f32 : tensor<4096x64xf32>, tensor<64x4096xf32> -> tensor<64x64xf32>
  return %z0, %r1, %z2, %z3, %r4, %r5, %z6, %r7, %z8, %z9, %z10, %z11, %z12, %r13, %z14, %z15, %z16
      : tensor<4096x4096xf16>,
        tensor<2048x4096xf16>,
        tensor<784x4096xf16>,
        tensor<8192x784xf16>,
        tensor<128x128xf16>,
        tensor<128x10xf16>,
        tensor<784x128xf16>,
        tensor<50x77xf16>,
        tensor<123x77xf16>,
        tensor<64x64xf16>,
        tensor<8x256xf16>,
        tensor<256x8xf16>,
        tensor<1024x1024xf32>,
        tensor<128x128xf32>,
        tensor<784x128xf32>,
        tensor<128x784xf32>,
        tensor<64x64xf32>
}
