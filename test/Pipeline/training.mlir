// RUN: mp-opt %s --mp-training="batch=4" | FileCheck %s
// RUN: mp-opt %s --mp-training="batch=4 policy=float32 optimizer={kind=sgd momentum=0.5 accumulate=2}" | FileCheck %s --check-prefix=FLOAT
// RUN: mp-opt %s --mp-training="batch=4 pad autocast={type=bf16} loss-scaling={mode=static init-scale=8}" | FileCheck %s --check-prefix=BRAIN

// The pipeline is its passes, in the order of docs/IR.md.
// RUN: mp-opt %s -mp-specialize=batch=4 -mp-cancel-transposes -mp-autocast -mp-inference -mp-autodiff -mp-loss-scaling -mp-optimizer -mp-derived-weights -o %t.passes
// RUN: mp-opt %s --mp-training="batch=4" -o %t.pipeline
// RUN: diff %t.passes %t.pipeline

// And the stages of mp-run, from one table.
// RUN: mp-opt %s --mp-pipeline="compile-to=optimizer batch-size=4" -o %t.stages
// RUN: diff %t.stages %t.pipeline

// Every prefix is a valid program.
// RUN: mp-opt %s -mp-specialize=batch=4 -o /dev/null
// RUN: mp-opt %s -mp-specialize=batch=4 -mp-autocast -o /dev/null
// RUN: mp-opt %s -mp-specialize=batch=4 -mp-cancel-transposes -mp-autocast -mp-inference -o /dev/null
// RUN: mp-opt %s -mp-specialize=batch=4 -mp-cancel-transposes -mp-autocast -mp-inference -mp-autodiff -o /dev/null
// RUN: mp-opt %s -mp-specialize=batch=4 -mp-cancel-transposes -mp-autocast -mp-inference -mp-autodiff -mp-loss-scaling -o /dev/null
// RUN: mp-opt %s -mp-specialize=batch=4 -mp-cancel-transposes -mp-autocast -mp-inference -mp-autodiff -mp-loss-scaling -mp-optimizer -o %t.prefix
// RUN: mp-opt %s --mp-training="batch=4 derived-weights=false" | diff - %t.prefix

// A training step, once made, goes through as it is.
// RUN: mp-opt %t.pipeline --mp-training -o %t.again
// RUN: diff %t.pipeline %t.again

// RUN: not mp-opt %s --mp-training="batch=4 loss-scaling={flor=2}" 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: no such option flor
// RUN: not mp-opt %s --mp-training 2>&1 | FileCheck %s --check-prefix=BATCH
// BATCH: mp-specialize

// CHECK: mp.program = "train_step"
// CHECK: mp.matmul {{.*}} tensor<4x8xf16>
// CHECK: mp.unscale
// CHECK: mp.adam
// CHECK: mp.cast {{.*}} {autocast} : tensor<8x2xf32> -> tensor<8x2xf16>
// CHECK: mp.program = "eval"
// CHECK: mp.program = "infer"
// CHECK: mp.program = "derive"

// FLOAT: mp.program = "train_step"
// FLOAT: mp.check_finite
// FLOAT: mp.sgd {{.*}} velocity
// FLOAT: mp.program = "accumulate"
// FLOAT: mp.program = "apply"
// FLOAT: mp.program = "eval"
// FLOAT: mp.program = "infer"
// FLOAT-NOT: mp.program = "derive"

// BRAIN: mp.row_weights
// BRAIN-SAME: mp.loss_scaling = "static"
// BRAIN: mp.matmul {{.*}} tensor<4x8xbf16>
func.func @model(%x: tensor<?x8xf32> {mp.input = "x"}, %y: tensor<?xui8> {mp.input = "y"},
    %w: tensor<8x2xf32> {mp.parameter = "w", mp.initializer = #mp.glorot_uniform<seed = 1>}, %b: tensor<2xf32> {mp.parameter = "b", mp.initializer = #mp.zeros},
    %rng: tensor<2xi64> {mp.state = "rng"})
    -> (tensor<f32> {mp.loss}, tensor<?x2xf32> {mp.output = "z"}) attributes {mp.program = "model"} {
  %d = mp.dropout %x, %rng {rate = 0.5, stream = 1} : tensor<?x8xf32>
  %z = mp.matmul %d, %w bias %b : tensor<2xf32> acc f32 : tensor<?x8xf32>, tensor<8x2xf32> -> tensor<?x2xf32>
  %l = mp.softmax_cross_entropy %z, %y : tensor<?x2xf32>, tensor<?xui8> -> tensor<f32>
  return %l, %z : tensor<f32>, tensor<?x2xf32>
}
