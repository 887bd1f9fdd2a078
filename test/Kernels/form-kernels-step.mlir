// The kernels of a whole training step in mixed_float16: at most 4 for each of the 3 layers, and 4.

// RUN: mp-opt %S/Inputs/mlp_mixed_float16.mlir -mp-decompose -cse -mp-form-kernels -remarks-filter=mp-form-kernels \
// RUN:   -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t
// REMARK: kernels=13

// Forward: casts of both operands, bias, relu, dropout.
// CHECK-COUNT-3: mp.kernel "matmul
// Loss, metric and gradient of the logits.
// CHECK: mp.kernel "softmax_cross_entropy_rows
// CHECK: mp.argmax
// CHECK: mp.softmax_cross_entropy_grad
// Gradients of two activations and three weights.
// CHECK-COUNT-5: mp.kernel "matmul
// All bias gradients.
// CHECK: mp.kernel "reduce_sum
// CHECK-COUNT-3: mp.reduce_sum
// All finite checks.
// CHECK: mp.kernel "nonfinite_blocks
// CHECK-COUNT-6: mp.nonfinite_blocks
// All scalars.
// CHECK: mp.kernel "reduce_mean
// CHECK: mp.first_bad
// CHECK: mp.update_loss_scale
// All updates.
// CHECK: mp.kernel "adam
// CHECK-COUNT-6: mp.adam
// CHECK-NOT: mp.kernel
