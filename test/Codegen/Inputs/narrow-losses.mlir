// Losses of as many classes as a vector has lanes, or some vectors: loops over them are unrolled whole.
func.func @losses(%y: tensor<3xi32> {mp.input = "y"},
    %exp4: tensor<3x4xf32> {mp.input = "exp4"},
    %exp8: tensor<3x8xf32> {mp.input = "exp8"},
    %exp16: tensor<3x16xf32> {mp.input = "exp16"},
    %exp32: tensor<3x32xf32> {mp.input = "exp32"},
    %tanh4: tensor<3x4xf32> {mp.input = "tanh4"},
    %tanh8: tensor<3x8xf32> {mp.input = "tanh8"},
    %tanh16: tensor<3x16xf32> {mp.input = "tanh16"},
    %tanh32: tensor<3x32xf32> {mp.input = "tanh32"},
    %gelu4: tensor<3x4xf32> {mp.input = "gelu4"},
    %gelu8: tensor<3x8xf32> {mp.input = "gelu8"},
    %gelu16: tensor<3x16xf32> {mp.input = "gelu16"},
    %gelu32: tensor<3x32xf32> {mp.input = "gelu32"})
    -> (tensor<f32> {mp.output = "exp4"},
        tensor<f32> {mp.output = "exp8"},
        tensor<f32> {mp.output = "exp16"},
        tensor<f32> {mp.output = "exp32"},
        tensor<f32> {mp.output = "tanh4"},
        tensor<f32> {mp.output = "tanh8"},
        tensor<f32> {mp.output = "tanh16"},
        tensor<f32> {mp.output = "tanh32"},
        tensor<f32> {mp.output = "gelu4"},
        tensor<f32> {mp.output = "gelu8"},
        tensor<f32> {mp.output = "gelu16"},
        tensor<f32> {mp.output = "gelu32"}) attributes {mp.program = "infer"} {
  %m_exp4 = mp.exp %exp4 : tensor<3x4xf32>
  %l_exp4 = mp.softmax_cross_entropy %m_exp4, %y : tensor<3x4xf32>, tensor<3xi32> -> tensor<f32>
  %m_exp8 = mp.exp %exp8 : tensor<3x8xf32>
  %l_exp8 = mp.softmax_cross_entropy %m_exp8, %y : tensor<3x8xf32>, tensor<3xi32> -> tensor<f32>
  %m_exp16 = mp.exp %exp16 : tensor<3x16xf32>
  %l_exp16 = mp.softmax_cross_entropy %m_exp16, %y : tensor<3x16xf32>, tensor<3xi32> -> tensor<f32>
  %m_exp32 = mp.exp %exp32 : tensor<3x32xf32>
  %l_exp32 = mp.softmax_cross_entropy %m_exp32, %y : tensor<3x32xf32>, tensor<3xi32> -> tensor<f32>
  %m_tanh4 = mp.tanh %tanh4 : tensor<3x4xf32>
  %l_tanh4 = mp.softmax_cross_entropy %m_tanh4, %y : tensor<3x4xf32>, tensor<3xi32> -> tensor<f32>
  %m_tanh8 = mp.tanh %tanh8 : tensor<3x8xf32>
  %l_tanh8 = mp.softmax_cross_entropy %m_tanh8, %y : tensor<3x8xf32>, tensor<3xi32> -> tensor<f32>
  %m_tanh16 = mp.tanh %tanh16 : tensor<3x16xf32>
  %l_tanh16 = mp.softmax_cross_entropy %m_tanh16, %y : tensor<3x16xf32>, tensor<3xi32> -> tensor<f32>
  %m_tanh32 = mp.tanh %tanh32 : tensor<3x32xf32>
  %l_tanh32 = mp.softmax_cross_entropy %m_tanh32, %y : tensor<3x32xf32>, tensor<3xi32> -> tensor<f32>
  %m_gelu4 = mp.gelu %gelu4 : tensor<3x4xf32>
  %l_gelu4 = mp.softmax_cross_entropy %m_gelu4, %y : tensor<3x4xf32>, tensor<3xi32> -> tensor<f32>
  %m_gelu8 = mp.gelu %gelu8 : tensor<3x8xf32>
  %l_gelu8 = mp.softmax_cross_entropy %m_gelu8, %y : tensor<3x8xf32>, tensor<3xi32> -> tensor<f32>
  %m_gelu16 = mp.gelu %gelu16 : tensor<3x16xf32>
  %l_gelu16 = mp.softmax_cross_entropy %m_gelu16, %y : tensor<3x16xf32>, tensor<3xi32> -> tensor<f32>
  %m_gelu32 = mp.gelu %gelu32 : tensor<3x32xf32>
  %l_gelu32 = mp.softmax_cross_entropy %m_gelu32, %y : tensor<3x32xf32>, tensor<3xi32> -> tensor<f32>
  return %l_exp4, %l_exp8, %l_exp16, %l_exp32, %l_tanh4, %l_tanh8, %l_tanh16, %l_tanh32, %l_gelu4, %l_gelu8, %l_gelu16, %l_gelu32
    : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}
