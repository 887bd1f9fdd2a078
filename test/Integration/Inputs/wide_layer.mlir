// So many weights that a thread of sm_75 updates four at once, and one weight over.
func.func @wide_layer(
    %x: tensor<?x784xui8> {mp.input = "x"}, %y: tensor<?xui8> {mp.input = "y"},
    %w: tensor<601x701xf32> {mp.parameter = "w", mp.initializer = #mp.glorot_uniform<seed = 1>},
    %b: tensor<701xf32> {mp.parameter = "b", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %p = mp.slice %x [:, :601] : tensor<?x784xui8> -> tensor<?x601xui8>
  %f = mp.cast %p : tensor<?x601xui8> -> tensor<?x601xf32>
  %s = mp.constant dense<0.00392156886> : tensor<f32>
  %h = mp.mul %f, %s : tensor<?x601xf32>, tensor<f32> -> tensor<?x601xf32>
  %z = mp.matmul %h, %w bias %b : tensor<701xf32> acc f32 : tensor<?x601xf32>, tensor<601x701xf32> -> tensor<?x701xf32>
  %loss = mp.softmax_cross_entropy %z, %y : tensor<?x701xf32>, tensor<?xui8> -> tensor<f32>
  return %loss : tensor<f32>
}
