// The kernels of the example's programs: a training step has at most 4 for each of the 3 layers, and 4.

// DEFINE: %{policy} =
// DEFINE: %{form} = mp-opt %{source}/examples/fashion_mnist_mlp.mlir -remarks-filter=mp-form-kernels -mlir-disable-threading -o %t \
// DEFINE:   -pass-pipeline="builtin.module(mp-training{batch=128 policy=%{policy} optimizer={kind=adam}},func.func(mp-decompose,cse,mp-form-kernels,mp-verify-kernels))"

// REDEFINE: %{policy} = float32
// RUN: %{form} 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t
// REDEFINE: %{policy} = mixed_float16
// RUN: %{form} 2>&1 | FileCheck %s --check-prefixes=REMARK,LOW
// RUN: FileCheck %s --input-file=%t --check-prefixes=CHECK,F16
// REDEFINE: %{policy} = mixed_bfloat16
// RUN: %{form} 2>&1 | FileCheck %s --check-prefixes=REMARK,LOW

// The programs train_step, eval, infer and, where weights are derived, derive.
// REMARK: kernels=14
// REMARK: kernels=5
// REMARK: kernels=3
// LOW: kernels=1

// CHECK-LABEL: @train_step
// The masks of both dropouts, which are drawn once for them and their gradients.
// CHECK: mp.kernel "dropout_mask
// CHECK-COUNT-2: mp.dropout_mask
// Forward: the pixels and their cast, bias, relu, dropout. Weights lie there in the low type.
// CHECK: mp.kernel "matmul
// CHECK: mp.cast %{{.*}} : tensor<128x784xui8> -> tensor<128x784xf32>
// F16: mp.cast %{{.*}} {autocast} : tensor<128x784xf32> -> tensor<128x784xf16>
// F16-NOT: mp.cast {{.*}} tensor<784x512xf32>
// CHECK: mp.matmul
// CHECK-NEXT: mp.relu
// CHECK-NEXT: mp.masked_dropout
// CHECK: mp.kernel "matmul
// CHECK: mp.kernel "matmul
// Loss, gradient of the logits and metric, in the order of the program.
// CHECK: mp.kernel "{{softmax|argmax}}
// CHECK-DAG: mp.softmax_cross_entropy_rows
// CHECK-DAG: mp.argmax
// CHECK-DAG: mp.softmax_cross_entropy_grad
// Gradients of two activations and three weights.
// CHECK-COUNT-5: mp.kernel "matmul
// All bias gradients, all finite checks, all scalars, all updates.
// CHECK: mp.kernel "reduce_sum
// CHECK-COUNT-3: mp.reduce_sum
// CHECK: mp.kernel "nonfinite_blocks
// CHECK-COUNT-6: mp.nonfinite_blocks
// CHECK: mp.kernel "reduce_mean
// CHECK: mp.first_bad
// F16: mp.update_loss_scale
// CHECK: mp.kernel "adam
// CHECK-COUNT-6: mp.adam
// F16: mp.cast %{{.*}} {autocast} : tensor<784x512xf32> -> tensor<784x512xf16>
// CHECK: return
