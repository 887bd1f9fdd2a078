// RUN: mp-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{mp.program is "models", expected model, train_step, accumulate, apply, eval, infer or derive, on a function}}
func.func @kind() attributes {mp.program = "models"} {
  return
}
// -----
// expected-error @+1 {{argument #0 of a program: expected one of mp.input, mp.parameter, mp.state, mp.derived and mp.row_weights, found 0}}
func.func @no_role(%x: tensor<4xf32>) attributes {mp.program = "model"} {
  return
}
// -----
// expected-error @+1 {{argument #0 of a program: expected one of mp.input, mp.parameter, mp.state, mp.derived and mp.row_weights, found 2}}
func.func @two_roles(%x: tensor<4xf32> {mp.input = "x", mp.parameter = "y"}) attributes {mp.program = "model"} {
  return
}
// -----
func.func @name_twice(%x: tensor<4xf32> {mp.input = "x"},
    // expected-error @+1 {{argument name "x" is used twice}}
    %y: tensor<4xf32> {mp.input = "x"}) attributes {mp.program = "model"} {
  return
}
// -----
// expected-error @+1 {{state "w" has no mp.initializer}}
func.func @initializer(%w: tensor<4xf32> {mp.parameter = "w"}) attributes {mp.program = "model"} {
  return
}
// -----
// expected-error @+1 {{only a parameter or state has mp.initializer}}
func.func @initialized_input(%x: tensor<4xf32> {mp.input = "x", mp.initializer = #mp.zeros}) attributes {mp.program = "model"} {
  return
}
// -----
// expected-error @+1 {{only a state with mp.initializer has mp.training}}
func.func @training_parameter(%w: tensor<4xf32> {mp.parameter = "w", mp.training, mp.initializer = #mp.zeros}) attributes {mp.program = "model"} {
  return
}
// -----
// expected-error @+1 {{only a state with mp.initializer has mp.training}}
func.func @training_generator(%rng: tensor<2xi64> {mp.state = "rng", mp.training}) attributes {mp.program = "model"} {
  return
}
// -----
// expected-error @+1 {{mp.training is 1 : i64, expected without a value or the name of what the state is kept beside}}
func.func @training_of_number(%m: tensor<4xf32> {mp.state = "m", mp.training = 1 : i64, mp.initializer = #mp.zeros}) attributes {mp.program = "model"} {
  return
}
// -----
// expected-error @+1 {{state "w" has an open size; only inputs follow the batch}}
func.func @open_state(%w: tensor<?xf32> {mp.parameter = "w", mp.initializer = #mp.zeros}) attributes {mp.program = "model"} {
  return
}
// -----
// expected-error @+1 {{argument "x" has an open size in dimension 1; only the first dimension, the batch, may be open}}
func.func @open_inner(%x: tensor<4x?xf32> {mp.input = "x"}) attributes {mp.program = "model"} {
  return
}
// -----
// expected-error @+1 {{argument #0 is 'tensor<4xi16>', expected a ranked tensor of f16, bf16, f32, f64, ui8, i32, i64 or i1}}
func.func @element(%x: tensor<4xi16> {mp.input = "x"}) attributes {mp.program = "model"} {
  return
}
// -----
// expected-error @+1 {{argument #0 is 'tensor<9223372036854775807x9223372036854775807xf32>'; at most 2^48 elements are supported}}
func.func @overflow(%x: tensor<9223372036854775807x9223372036854775807xf32> {mp.input = "x"}) attributes {mp.program = "model"} {
  return
}
// -----
// expected-error @+1 {{argument #0 is 'tensor<9223372036854775807xf32>'; at most 2^48 elements are supported}}
func.func @too_many(%x: tensor<9223372036854775807xf32> {mp.input = "x"}) attributes {mp.program = "model"} {
  return
}
// -----
// expected-error @+1 {{result #0: expected one of mp.loss, mp.output, mp.metric, mp.next, mp.derived, mp.gradient and mp.log, found 0}}
func.func @result_role(%x: tensor<4xf32> {mp.input = "x"}) -> tensor<4xf32> attributes {mp.program = "model"} {
  return %x : tensor<4xf32>
}
// -----
// expected-error @+1 {{result #0: the loss is 'tensor<4xf32>', expected tensor<f32> or tensor<f64>}}
func.func @loss(%x: tensor<4xf32> {mp.input = "x"}) -> (tensor<4xf32> {mp.loss}) attributes {mp.program = "model"} {
  return %x : tensor<4xf32>
}
// -----
// expected-error @+1 {{result #1: a program has one loss}}
func.func @two_losses(%x: tensor<f32> {mp.input = "x"}) -> (tensor<f32> {mp.loss}, tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  return %x, %x : tensor<f32>, tensor<f32>
}
// -----
// expected-error @+1 {{result #0 ("m"): a metric is 'tensor<f32>', expected a float for each row}}
func.func @metric(%x: tensor<f32> {mp.input = "x"}) -> (tensor<f32> {mp.metric = "m"}) attributes {mp.program = "model"} {
  return %x : tensor<f32>
}
// -----
// expected-error @+1 {{result #0 ("w"): no parameter or state has this name}}
func.func @next(%x: tensor<f32> {mp.input = "x"}) -> (tensor<f32> {mp.next = "w"}) attributes {mp.program = "train_step"} {
  return %x : tensor<f32>
}
// -----
// expected-error @+1 {{result #0 ("w"): has type 'tensor<f32>', the argument of this name 'tensor<4xf32>'}}
func.func @next_type(%x: tensor<f32> {mp.input = "x"}, %w: tensor<4xf32> {mp.parameter = "w", mp.initializer = #mp.ones}) -> (tensor<f32> {mp.next = "w"}) attributes {mp.program = "train_step"} {
  return %x : tensor<f32>
}
// -----
// expected-error @+1 {{result #1 ("o"): the name is used twice for this role}}
func.func @output_twice(%x: tensor<f32> {mp.input = "x"}) -> (tensor<f32> {mp.output = "o"}, tensor<f32> {mp.output = "o"}) attributes {mp.program = "model"} {
  return %x, %x : tensor<f32>, tensor<f32>
}
// -----
// expected-error @+1 {{argument #0: mp.input is unit, expected a name in quotes}}
func.func @input_without_name(%x: tensor<f32> {mp.input}) attributes {mp.program = "model"} {
  return
}
// -----
// expected-error @+1 {{argument #0: mp.initializer is 1 : i64, expected an initializer such as #mp.zeros or #mp.glorot_uniform<seed = 1>}}
func.func @no_initializer(%x: tensor<f32> {mp.parameter = "w", mp.initializer = 1}) attributes {mp.program = "model"} {
  return
}
// -----
// expected-error @+1 {{argument #0: attribute "mp.inptu" is not known}}
func.func @misspelt(%x: tensor<f32> {mp.input = "x", mp.inptu = "x"}) attributes {mp.program = "model"} {
  return
}
// -----
// expected-error @+1 {{a program has a body}}
func.func private @declaration() attributes {mp.program = "model"}
// -----
// expected-error @+1 {{mp.batch is 0 : i64, expected an integer greater than 0}}
func.func @batch() attributes {mp.batch = 0 : i64} {
  return
}
// -----
// expected-error @+1 {{mp.skip_limit is "7", expected an integer of at least 0}}
func.func @skip_limit() attributes {mp.skip_limit = "7"} {
  return
}
// -----
// expected-error @+1 {{mp.raise_error_at_min_scale is 1 : i64, expected a floating-point number}}
func.func @min_scale() attributes {mp.raise_error_at_min_scale = 1 : i64} {
  return
}
// -----
// expected-error @+1 {{argument #0: mp.derived is "w", expected as in #mp.derived<of = "dense.kernel", type = f16, layout = #mp.row_major>}}
func.func @derived_value(%w: tensor<4xf16> {mp.derived = "w"}) attributes {mp.program = "infer"} {
  return
}
// -----
// #mp.derived (C1)
// expected-error @+1 {{derived state is of a parameter, by its name}}
func.func @derived_of_no_name(%w: tensor<4xf16> {mp.derived = #mp.derived<of = "", type = f16, layout = #mp.row_major>}) attributes {mp.program = "infer"} {
  return
}
// -----
// #mp.derived (C2)
// expected-error @+1 {{derived state is 'f32', expected f16 or bf16}}
func.func @derived_type(%w: tensor<4xf32> {mp.derived = #mp.derived<of = "w", type = f32, layout = #mp.row_major>}) attributes {mp.program = "infer"} {
  return
}
// -----
// #mp.derived (C3)
// expected-error @+1 {{layout is "columns", expected #mp.row_major or #mp.packed}}
func.func @derived_layout(%w: tensor<4xf16> {mp.derived = #mp.derived<of = "w", type = f16, layout = "columns">}) attributes {mp.program = "infer"} {
  return
}
// -----

// expected-error @+2 {{argument "b/bf16@8x8x2" lies packed, its parameter is 'tensor<8xf32>', expected a matrix or filters}}
func.func @packed_vector(%b: tensor<8xf32> {mp.parameter = "b", mp.initializer = #mp.zeros},
    %c: tensor<1x1x1x64xbf16> {mp.derived = #mp.derived<of = "b", type = bf16, layout = #mp.packed<transposed = false, panels = <rows = 8, depth = 8, unit = 2, depth_inner = false>>>})
    -> (tensor<8xf32> {mp.output = "y"}) attributes {mp.program = "infer"} {
  return %b : tensor<8xf32>
}

// -----
// expected-error @+1 {{argument "w/f16" has type 'tensor<4xf32>', but is derived as 'f16'}}
func.func @derived_element(%w: tensor<4xf32> {mp.derived = #mp.derived<of = "w", type = f16, layout = #mp.row_major>}) attributes {mp.program = "infer"} {
  return
}
// -----
func.func @derived_shape(%w: tensor<4xf32> {mp.parameter = "w", mp.initializer = #mp.zeros},
    // expected-error @+1 {{argument "w/f16" has type 'tensor<2xf16>', of its parameter 'tensor<4xf32>' it is 'tensor<4xf16>'}}
    %h: tensor<2xf16> {mp.derived = #mp.derived<of = "w", type = f16, layout = #mp.row_major>}) attributes {mp.program = "infer"} {
  return
}
// -----
func.func @derived_of_state(%w: tensor<4xf32> {mp.state = "w", mp.initializer = #mp.zeros},
    // expected-error @+1 {{argument "w/f16" is derived of "w", which is not a parameter of this program}}
    %h: tensor<4xf16> {mp.derived = #mp.derived<of = "w", type = f16, layout = #mp.row_major>}) attributes {mp.program = "infer"} {
  return
}
// -----
// expected-error @+1 {{only a parameter or state has mp.initializer}}
func.func @derived_initialized(%h: tensor<4xf16> {mp.derived = #mp.derived<of = "w", type = f16, layout = #mp.row_major>, mp.initializer = #mp.zeros})
    attributes {mp.program = "infer"} {
  return
}
// -----
// expected-error @+1 {{result #0 ("w/f16"): is derived of "w", which is not a parameter of this program}}
func.func @derived_of_nothing(%h: tensor<4xf16> {mp.derived = #mp.derived<of = "w", type = f16, layout = #mp.row_major>})
    -> (tensor<4xf16> {mp.derived = #mp.derived<of = "w", type = f16, layout = #mp.row_major>}) attributes {mp.program = "apply"} {
  return %h : tensor<4xf16>
}
// -----
func.func @derived_left_behind(%w: tensor<4xf32> {mp.parameter = "w", mp.initializer = #mp.zeros},
    // expected-error @+1 {{argument "w/f16" is left as it is, while the parameter that it is derived of has a next value}}
    %h: tensor<4xf16> {mp.derived = #mp.derived<of = "w", type = f16, layout = #mp.row_major>}) -> (tensor<4xf32> {mp.next = "w"})
    attributes {mp.program = "apply"} {
  return %w : tensor<4xf32>
}
// -----
// expected-error @+1 {{argument #0: mp.classes is 0 : i64, expected an integer greater than 0}}
func.func @no_classes(%y: tensor<4xui8> {mp.input = "y", mp.classes = 0 : i64}) attributes {mp.program = "infer"} {
  return
}
// -----
// expected-error @+1 {{argument #0: mp.ignored_label is 1.000000e+00 : f32, expected an integer}}
func.func @ignored_number(%y: tensor<4xui8> {mp.input = "y", mp.ignored_label = 1.0 : f32}) attributes {mp.program = "infer"} {
  return
}
// -----
// expected-error @+1 {{argument #0: mp.classes is "ten", expected an integer greater than 0}}
func.func @classes_in_words(%y: tensor<4xui8> {mp.input = "y", mp.classes = "ten"}) attributes {mp.program = "infer"} {
  return
}
// -----
// expected-error @+1 {{argument #0: mp.label is true, expected without a value}}
func.func @label_with_a_value(%y: tensor<4xui8> {mp.input = "y", mp.label = true}) attributes {mp.program = "infer"} {
  return
}
// -----
// expected-error @+1 {{mp.statistics is 3 : i64, expected as in #mp.statistics<casts = 4, ops = {f32 = 2 : i64}>}}
func.func @statistics(%x: tensor<4xf32> {mp.input = "x"}) attributes {mp.program = "infer", mp.statistics = 3 : i64} {
  return
}
