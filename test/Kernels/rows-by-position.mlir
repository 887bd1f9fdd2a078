// RUN: mp-opt %s -mp-decompose -cse -mp-form-kernels | FileCheck %s

// What takes its elements from anywhere is a kernel of its own, behind which rows are rows.
// CHECK-LABEL: @padded
// CHECK: mp.kernel "pad_0"
// CHECK-NOT: mp.softmax
// CHECK: mp.yield
// CHECK: mp.kernel "softmax_1"
// CHECK-NOT: mp.pad
// CHECK: return
func.func @padded(%x: tensor<4x5xf32>) -> tensor<4x7xf32> {
  %p = mp.pad %x low [0, 1] high [0, 1] value 0.5 : tensor<4x5xf32> -> tensor<4x7xf32>
  %s = mp.softmax %p : tensor<4x7xf32>
  return %s : tensor<4x7xf32>
}
