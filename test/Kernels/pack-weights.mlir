// RUN: mp-opt %s -pass-pipeline="builtin.module(func.func(mp-decompose,cse,mp-form-kernels,mp-schedule-kernels{features=amx-bf16},mp-pack-operands),mp-pack-weights,func.func(mp-plan-buffers,mp-verify-kernels{scheduled planned}))" | FileCheck %s
// RUN: mp-opt %s -pass-pipeline="builtin.module(func.func(mp-decompose,cse,mp-form-kernels,mp-schedule-kernels{features=amx-bf16},mp-pack-operands),mp-pack-weights,mp-pack-weights)" | FileCheck %s
// RUN: mp-opt %s -pass-pipeline="builtin.module(func.func(mp-decompose,cse,mp-form-kernels,mp-schedule-kernels{features=avx512},mp-pack-operands),mp-pack-weights)" | FileCheck %s --check-prefix=F32
// RUN: mp-opt %s -pass-pipeline="builtin.module(func.func(mp-decompose,cse,mp-form-kernels,mp-schedule-kernels{features=amx-bf16},mp-pack-operands),mp-pack-weights)" -remarks-filter=mp-pack-weights -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: packed=2{{.*}}unread=1

#copy = #mp.derived<of = "w", type = bf16, layout = #mp.row_major>

// A step reads the weight packed for both directions, and its update packs both of them; nothing reads it in row-major order.
// CHECK-LABEL: @train_step
// CHECK-SAME: #mp.packed<transposed = true, panels = <rows = 32, depth = 256, unit = 2, depth_inner = false>>
// CHECK-SAME: #mp.packed<transposed = false, panels = <rows = 32, depth = 256, unit = 2, depth_inner = false>>
// CHECK-NOT: layout = #mp.row_major
// CHECK-NOT: mp.kernel "matmul_0.rhs"
// CHECK: mp.kernel "sgd
// CHECK: %[[NEXT:.*]] = mp.sgd
// CHECK: %[[CAST:.*]] = mp.cast %[[NEXT]] {autocast} : tensor<512x512xf32> -> tensor<512x512xbf16>
// CHECK-NEXT: %[[FORWARD:.*]] = mp.pack %[[CAST]] batches 1 transposed panels <rows = 32
// CHECK-NEXT: %[[BACKWARD:.*]] = mp.pack %[[CAST]] batches 1 panels <rows = 32
// CHECK-NEXT: mp.yield %[[NEXT]], %[[FORWARD]], %[[BACKWARD]]
// Words of one element are larger than what they hold.
// F32-LABEL: @train_step
// F32-NOT: #mp.packed
func.func @train_step(%x: tensor<512x512xbf16> {mp.input = "x"}, %g: tensor<512x512xbf16> {mp.input = "g"}, %d: tensor<512x512xf32> {mp.input = "d"},
    %w: tensor<512x512xf32> {mp.parameter = "w", mp.initializer = #mp.zeros}, %lr: tensor<f32> {mp.state = "learning_rate", mp.initializer = #mp.zeros},
    %c: tensor<512x512xbf16> {mp.derived = #copy})
    -> (tensor<512x512xbf16> {mp.output = "y"}, tensor<512x512xbf16> {mp.output = "dx"}, tensor<512x512xf32> {mp.next = "w"}, tensor<512x512xbf16> {mp.derived = #copy})
    attributes {mp.program = "train_step"} {
  %y = mp.matmul %x, %c acc f32 : tensor<512x512xbf16>, tensor<512x512xbf16> -> tensor<512x512xbf16>
  %dx = mp.matmul %g, %c transpose_rhs acc f32 : tensor<512x512xbf16>, tensor<512x512xbf16> -> tensor<512x512xbf16>
  %w1 = mp.sgd %w, %d, %lr : tensor<512x512xf32>
  %c1 = mp.cast %w1 {autocast} : tensor<512x512xf32> -> tensor<512x512xbf16>
  return %y, %dx, %w1, %c1 : tensor<512x512xbf16>, tensor<512x512xbf16>, tensor<512x512xf32>, tensor<512x512xbf16>
}

// What training reads packed is read so elsewhere, too.
// CHECK-LABEL: @infer
// CHECK-SAME: #mp.packed<transposed = true
// CHECK-NOT: mp.kernel "matmul_0.rhs"
// CHECK: return
func.func @infer(%x: tensor<512x512xbf16> {mp.input = "x"}, %c: tensor<512x512xbf16> {mp.derived = #copy})
    -> (tensor<512x512xbf16> {mp.output = "y"}) attributes {mp.program = "infer"} {
  %y = mp.matmul %x, %c acc f32 : tensor<512x512xbf16>, tensor<512x512xbf16> -> tensor<512x512xbf16>
  return %y : tensor<512x512xbf16>
}

// The program that makes derived state packs what it casts.
// CHECK-LABEL: @derive
// CHECK: mp.cast %{{.*}} {autocast} : tensor<512x512xf32> -> tensor<512x512xbf16>
// CHECK-NEXT: mp.pack
// CHECK: mp.cast
// CHECK-NEXT: mp.pack
// CHECK-NOT: mp.kernel
// CHECK: return
func.func @derive(%w: tensor<512x512xf32> {mp.parameter = "w", mp.initializer = #mp.zeros}) -> (tensor<512x512xbf16> {mp.derived = #copy})
    attributes {mp.program = "derive"} {
  %c = mp.cast %w {autocast} : tensor<512x512xf32> -> tensor<512x512xbf16>
  return %c : tensor<512x512xbf16>
}

// Whoever applies gradients that others summed makes what those read packed, although it reads nothing of it itself.
// CHECK-LABEL: @apply
// CHECK-SAME: #mp.packed<transposed = true
// CHECK: mp.sgd
// CHECK: mp.pack
func.func @apply(%d: tensor<512x512xf32> {mp.input = "d"}, %w: tensor<512x512xf32> {mp.parameter = "w", mp.initializer = #mp.zeros},
    %lr: tensor<f32> {mp.state = "learning_rate", mp.initializer = #mp.zeros}, %c: tensor<512x512xbf16> {mp.derived = #copy})
    -> (tensor<512x512xf32> {mp.next = "w"}, tensor<512x512xbf16> {mp.derived = #copy}) attributes {mp.program = "apply"} {
  %w1 = mp.sgd %w, %d, %lr : tensor<512x512xf32>
  %c1 = mp.cast %w1 {autocast} : tensor<512x512xf32> -> tensor<512x512xbf16>
  return %w1, %c1 : tensor<512x512xf32>, tensor<512x512xbf16>
}
