// On a CPU pixels of one line are computed together, and so are the sums of all taps of a filter's gradient: loops have
// as many products. Six pixels are together, on lines whose neighbours are there and on the others; of the pixels at the
// ends of a line the former have products of six taps each. Of a gradient nine taps at four pixels. Pixels of a window
// have one address, and what lies between is in the instruction.

// RUN: mp-run compile %s --policy=float32 --target=cpu:avx512 --compile-to=asm > %t
// RUN: FileCheck %s --input-file=%t
// RUN: FileCheck %s --input-file=%t --check-prefix=ADDRESS
// CHECK-LABEL: mp_depthwise_conv_1:
// CHECK-COUNT-129: vfmadd
// CHECK-LABEL: mp_reduce_sum_2:
// CHECK-COUNT-72: vfmadd
// CHECK-LABEL: mp_reduce_sum_3:

// ADDRESS-LABEL: mp_depthwise_conv_1:
// ADDRESS: 4736(%[[LINE:r[a-z0-9]+]],%[[CHANNEL:r[a-z0-9]+]],4), %zmm
// ADDRESS: -3328(%[[LINE]],%[[CHANNEL]],4), %zmm
// ADDRESS: 768(%[[LINE]],%[[CHANNEL]],4), %zmm

func.func @infer(%x: tensor<4x32x32x32xf32> {mp.input = "x"}, %w: tensor<32x3x3x1xf32> {mp.input = "w"}) -> (tensor<4x32x32x32xf32> {mp.output = "y"}, tensor<32x3x3x1xf32> {mp.output = "z"}) attributes {mp.program = "infer"} {
  %y = mp.conv %x, %w acc f32 {padding = same, groups = 32} : tensor<4x32x32x32xf32>, tensor<32x3x3x1xf32> -> tensor<4x32x32x32xf32>
  %z = mp.conv_filter_grad %x, %x acc f32 {padding = same, groups = 32} : tensor<4x32x32x32xf32>, tensor<4x32x32x32xf32> -> tensor<32x3x3x1xf32>
  return %y, %z : tensor<4x32x32x32xf32>, tensor<32x3x3x1xf32>
}
