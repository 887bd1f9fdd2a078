func.func @neighbours(%x: tensor<4x8xf32> {mp.batched, mp.input = "x"}) -> (tensor<3x8xf32> {mp.output = "y"}) attributes {mp.batch = 4 : i64, mp.combines_rows, mp.program = "model"} {
  %later = mp.slice %x [1:4, :8] : tensor<4x8xf32> -> tensor<3x8xf32>
  %sooner = mp.slice %x [:3, :8] : tensor<4x8xf32> -> tensor<3x8xf32>
  %y = mp.sub %later, %sooner : tensor<3x8xf32>, tensor<3x8xf32> -> tensor<3x8xf32>
  return %y : tensor<3x8xf32>
}
