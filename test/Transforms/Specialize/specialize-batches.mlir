// Several batches at once: each program whose batch is open is there for each of them.
// RUN: mp-opt %s -mp-specialize="batch=4 other-batches=1,32" -split-input-file -verify-diagnostics | FileCheck %s
// RUN: not mp-opt %s -mp-specialize="batch=4 other-batches=0" -split-input-file 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not mp-opt %s -mp-specialize="batch=4 other-batches=1,4" -split-input-file 2>&1 | FileCheck %s --check-prefix=TWICE
// ZERO: mp-specialize: batch is 0, expected at least 1
// TWICE: mp-specialize: a batch is given twice: 4, 1, 4

// CHECK-LABEL: func.func @model(%{{.*}}: tensor<4x3xf32> {mp.batched, mp.input = "x"}
// CHECK-SAME: mp.batch = 4
// CHECK: mp.relu %{{.*}} : tensor<4x3xf32>
// CHECK: func.func @model_1(%{{.*}}: tensor<1x3xf32> {mp.batched, mp.input = "x"}
// CHECK-SAME: mp.batch = 1
// CHECK: mp.relu %{{.*}} : tensor<1x3xf32>
// CHECK: func.func @model_32(%{{.*}}: tensor<32x3xf32> {mp.batched, mp.input = "x"}
// CHECK: func.func @other(%{{.*}}: tensor<?x3xf32>)
func.func @model(%x: tensor<?x3xf32> {mp.input = "x"}) -> (tensor<?x3xf32> {mp.output = "y"}) attributes {mp.program = "model"} {
  %y = mp.relu %x : tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
func.func @other(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  return %x : tensor<?x3xf32>
}

// -----

// A name that is taken.
// CHECK-LABEL: func.func @model(%{{.*}}: tensor<4x3xf32>
// CHECK: func.func @model_1_0(%{{.*}}: tensor<1x3xf32>
// CHECK: func.func @model_32(
// CHECK: func.func @model_1()
func.func @model(%x: tensor<?x3xf32> {mp.input = "x"}) -> (tensor<?x3xf32> {mp.output = "y"}) attributes {mp.program = "model"} {
  return %x : tensor<?x3xf32>
}
func.func @model_1() {
  return
}

// -----

// expected-error@+1 {{has no open size, so that it is the same for batches of 4, 1, 32; ask for one}}
func.func @fixed(%x: tensor<5x3xf32> {mp.input = "x"}) -> (tensor<5x3xf32> {mp.output = "y"}) attributes {mp.program = "model"} {
  return %x : tensor<5x3xf32>
}

// -----

// expected-error@+1 {{is specialized for a batch of 4, 8 already, asked for 4, 1, 32; ask for that one, or specialize the model, whose batch is open}}
func.func @four(%x: tensor<4x3xf32> {mp.batched, mp.input = "x"}) -> (tensor<4x3xf32> {mp.output = "y"})
    attributes {mp.batch = 4 : i64, mp.program = "model"} {
  return %x : tensor<4x3xf32>
}
func.func @eight(%x: tensor<8x3xf32> {mp.batched, mp.input = "x"}) -> (tensor<8x3xf32> {mp.output = "y"})
    attributes {mp.batch = 8 : i64, mp.program = "model"} {
  return %x : tensor<8x3xf32>
}
