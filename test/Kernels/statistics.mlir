// RUN: mp-opt %s -mp-decompose | FileCheck %s

// What a program computes in is counted once, before its ops are replaced and repeated.
// CHECK: attributes {mp.program = "eval", mp.statistics = #mp.statistics<casts = 1, ops = {f16 = 1 : i64, f32 = 1 : i64}>}
func.func @eval(%x: tensor<4x8xf32> {mp.input = "x"}, %y: tensor<4xui8> {mp.input = "y"}) -> (tensor<f32> {mp.loss})
    attributes {mp.program = "eval"} {
  %h = mp.cast %x : tensor<4x8xf32> -> tensor<4x8xf16>
  %r = mp.relu %h : tensor<4x8xf16>
  %l = mp.softmax_cross_entropy %r, %y : tensor<4x8xf16>, tensor<4xui8> -> tensor<f32>
  return %l : tensor<f32>
}
