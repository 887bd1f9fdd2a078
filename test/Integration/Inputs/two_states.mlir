// Two states of the model's own, which tests call by other names: A goes up by 1 with each batch, B by half of itself.
func.func @two_states(%x: tensor<?x4xf32> {mp.input = "x"}, %y: tensor<?xui8> {mp.input = "y", mp.label},
    %a: tensor<f32> {mp.state = "A", mp.initializer = #mp.constant<0.5 : f64>},
    %b: tensor<f32> {mp.state = "B", mp.initializer = #mp.constant<2.0 : f64>},
    %w: tensor<4x3xf32> {mp.parameter = "w", mp.initializer = #mp.ones})
    -> (tensor<f32> {mp.loss}, tensor<f32> {mp.next = "A"}, tensor<f32> {mp.next = "B"}) attributes {mp.program = "model"} {
  %product = mp.matmul %x, %w acc f32 : tensor<?x4xf32>, tensor<4x3xf32> -> tensor<?x3xf32>
  %loss = mp.softmax_cross_entropy %product, %y : tensor<?x3xf32>, tensor<?xui8> -> tensor<f32>
  %one = mp.constant dense<1.0> : tensor<f32>
  %more = mp.add %a, %one : tensor<f32>, tensor<f32> -> tensor<f32>
  %factor = mp.constant dense<1.5> : tensor<f32>
  %grown = mp.mul %b, %factor : tensor<f32>, tensor<f32> -> tensor<f32>
  return %loss, %more, %grown : tensor<f32>, tensor<f32>, tensor<f32>
}
