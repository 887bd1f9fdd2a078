// RUN: mp-opt %s -mp-inference | FileCheck %s

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
