// RUN: mp-opt %s -mp-derived-weights -split-input-file -verify-diagnostics -o /dev/null

// expected-error@+1 {{has gradients that update no parameter yet; run mp-optimizer before mp-derived-weights}}
func.func @train_step(%w: tensor<f32> {mp.parameter = "w", mp.initializer = #mp.ones}) -> (tensor<f32> {mp.gradient = "w"})
    attributes {mp.program = "train_step"} {
  return %w : tensor<f32>
}

// -----

func.func @infer(%w: tensor<4xf32> {mp.parameter = "w", mp.initializer = #mp.ones}) -> (tensor<4xf16> {mp.output = "y"})
    attributes {mp.program = "infer"} {
  %0 = mp.cast %w {autocast} : tensor<4xf32> -> tensor<4xf16>
  return %0 : tensor<4xf16>
}
// expected-error@+1 {{makes derived state already, and another program casts parameters that it does not}}
func.func @derive(%w: tensor<4xf32> {mp.parameter = "w", mp.initializer = #mp.ones})
    -> (tensor<4xbf16> {mp.derived = #mp.derived<of = "w", type = bf16, layout = #mp.row_major>}) attributes {mp.program = "derive"} {
  %0 = mp.cast %w {autocast} : tensor<4xf32> -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}
