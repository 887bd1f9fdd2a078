// RUN: mp-opt %s -split-input-file -mp-inference | FileCheck %s

// A label is an input that no output needs; what reads it as classes says how many there are, through casts and views.
// CHECK-LABEL: @model
// CHECK-SAME: tensor<4x8xf32> {mp.input = "x"}
// CHECK-SAME: tensor<4x1xui8> {mp.classes = 8 : i64, mp.input = "y", mp.label}
// CHECK-SAME: tensor<4xf32> {mp.input = "weight", mp.label}
// CHECK-LABEL: @eval
// CHECK-SAME: tensor<4x1xui8> {mp.classes = 8 : i64, mp.input = "y", mp.label}
// CHECK-LABEL: @infer
// CHECK-NOT: mp.label
func.func @model(%x: tensor<4x8xf32> {mp.input = "x"}, %y: tensor<4x1xui8> {mp.input = "y"},
    %w: tensor<4xf32> {mp.input = "weight"}) -> (tensor<f32> {mp.loss}, tensor<4xf32> {mp.metric = "m"}, tensor<4x8xf32> {mp.output = "h"})
    attributes {mp.program = "model"} {
  %h = mp.relu %x : tensor<4x8xf32>
  %i = mp.cast %y : tensor<4x1xui8> -> tensor<4x1xi32>
  %r = mp.reshape %i : tensor<4x1xi32> -> tensor<4xi32>
  %l = mp.softmax_cross_entropy %h, %r : tensor<4x8xf32>, tensor<4xi32> -> tensor<f32>
  %m = mp.relu %w : tensor<4xf32>
  return %l, %m, %h : tensor<f32>, tensor<4xf32>, tensor<4x8xf32>
}

// -----

// Indices are below the size that they are looked up in, the least of several, where they are the input's own.
// CHECK-LABEL: @lookup
// CHECK-SAME: tensor<4x2xi32> {mp.classes = 20 : i64, mp.input = "tokens"}
// CHECK-SAME: tensor<4xi32> {mp.input = "positions"}
func.func @lookup(%tokens: tensor<4x2xi32> {mp.input = "tokens"}, %positions: tensor<4xi32> {mp.input = "positions"},
    %many: tensor<30x3xf32> {mp.parameter = "many", mp.initializer = #mp.zeros},
    %few: tensor<3x20xf32> {mp.parameter = "few", mp.initializer = #mp.zeros})
    -> (tensor<4x2x3xf32> {mp.output = "a"}, tensor<3x8xf32> {mp.output = "b"}, tensor<4x3xf32> {mp.output = "c"})
    attributes {mp.program = "infer"} {
  %a = mp.gather %many, %tokens dimension 0 : tensor<30x3xf32>, tensor<4x2xi32> -> tensor<4x2x3xf32>
  %flat = mp.reshape %tokens : tensor<4x2xi32> -> tensor<8xi32>
  %b = mp.gather %few, %flat dimension 1 : tensor<3x20xf32>, tensor<8xi32> -> tensor<3x8xf32>
  %own = mp.max %positions, %positions : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  %c = mp.gather %many, %own dimension 0 : tensor<30x3xf32>, tensor<4xi32> -> tensor<4x3xf32>
  return %a, %b, %c : tensor<4x2x3xf32>, tensor<3x8xf32>, tensor<4x3xf32>
}

// -----

// A label that marks rows that do not count is one, too, where all that read it say so.
// CHECK-LABEL: @ignored
// CHECK-SAME: tensor<4xi32> {mp.classes = 8 : i64, mp.ignored_label = -100 : i64, mp.input = "y", mp.label}
// CHECK-SAME: tensor<4xi32> {mp.classes = 8 : i64, mp.input = "z", mp.label}
// CHECK-SAME: tensor<4x8xf32> {mp.input = "t", mp.label}
func.func @ignored(%x: tensor<4x8xf32> {mp.input = "x"}, %y: tensor<4xi32> {mp.input = "y"}, %z: tensor<4xi32> {mp.input = "z"},
    %t: tensor<4x8xf32> {mp.input = "t"})
    -> (tensor<f32> {mp.loss}, tensor<4x8xf32> {mp.output = "h"}) attributes {mp.program = "model"} {
  %h = mp.log_softmax %x : tensor<4x8xf32>
  %l = mp.nll_loss %h, %y {ignore_label = -100 : i64} : tensor<4x8xf32>, tensor<4xi32> -> tensor<f32>
  %m = mp.softmax_cross_entropy %x, %z {ignore_label = -100 : i64} : tensor<4x8xf32>, tensor<4xi32> -> tensor<f32>
  %n = mp.softmax_cross_entropy %x, %z : tensor<4x8xf32>, tensor<4xi32> -> tensor<f32>
  %o = mp.softmax_cross_entropy %x, %t : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<f32>
  %a = mp.add %l, %m : tensor<f32>, tensor<f32> -> tensor<f32>
  %b = mp.add %n, %o : tensor<f32>, tensor<f32> -> tensor<f32>
  %c = mp.add %a, %b : tensor<f32>, tensor<f32> -> tensor<f32>
  return %c, %h : tensor<f32>, tensor<4x8xf32>
}
