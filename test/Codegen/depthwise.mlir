// On a CPU pixels of one line are computed together, and so are the sums of all taps of a filter's gradient: loops have
// as many products. Four pixels are together, on lines whose neighbours are there and on the others; of a gradient nine
// taps at four pixels.

// RUN: mp-run compile %s --policy=float32 --target=cpu:avx512 --compile-to=asm | FileCheck %s
// CHECK-LABEL: mp_depthwise_conv_1:
// CHECK-COUNT-100: vfmadd
// CHECK-LABEL: mp_reduce_sum_2:
// CHECK-COUNT-72: vfmadd
// CHECK-LABEL: mp_reduce_sum_3:

func.func @infer(%x: tensor<4x32x32x32xf32> {mp.input = "x"}, %w: tensor<32x3x3x1xf32> {mp.input = "w"}) -> (tensor<4x32x32x32xf32> {mp.output = "y"}, tensor<32x3x3x1xf32> {mp.output = "z"}) attributes {mp.program = "infer"} {
  %y = mp.conv %x, %w acc f32 {padding = same, groups = 32} : tensor<4x32x32x32xf32>, tensor<32x3x3x1xf32> -> tensor<4x32x32x32xf32>
  %z = mp.conv_filter_grad %x, %x acc f32 {padding = same, groups = 32} : tensor<4x32x32x32xf32>, tensor<4x32x32x32xf32> -> tensor<32x3x3x1xf32>
  return %y, %z : tensor<4x32x32x32xf32>, tensor<32x3x3x1xf32>
}
