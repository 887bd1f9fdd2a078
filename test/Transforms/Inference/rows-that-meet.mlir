// Where rows of the batch depend on each other nothing fills a batch up: no result of infer is one of each row, and eval has
// no weights of rows where an op takes none.
// RUN: mp-opt %s -mp-inference -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @mean
// CHECK: func.func @infer(%{{.*}}: tensor<4x8xf32> {mp.batched, mp.input = "x"}) -> (tensor<8xf32> {mp.output = "m"}, tensor<4x8xf32> {mp.output = "y"})
func.func @mean(%x: tensor<4x8xf32> {mp.input = "x", mp.batched}) -> (tensor<8xf32> {mp.output = "m"}, tensor<4x8xf32> {mp.output = "y", mp.batched})
    attributes {mp.program = "model", mp.batch = 4} {
  %m = mp.reduce_mean %x dimensions [0] {mp.combines_rows} : tensor<4x8xf32> -> tensor<8xf32>
  return %m, %x : tensor<8xf32>, tensor<4x8xf32>
}

// -----

// Statistics that no state keeps are those of the rows at hand.
// CHECK-LABEL: func.func @of_the_batch
// CHECK: func.func @infer({{.*}}) -> (tensor<4x8xf32> {mp.output = "y"})
func.func @of_the_batch(%x: tensor<4x8xf32> {mp.input = "x", mp.batched}, %c: tensor<8xf32> {mp.parameter = "c", mp.initializer = #mp.ones})
    -> (tensor<4x8xf32> {mp.output = "y", mp.batched}) attributes {mp.program = "model", mp.batch = 4} {
  %y, %mean, %variance, %count = mp.batch_norm %x, %c, %c {mp.combines_rows} : tensor<4x8xf32>, tensor<8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func.func @pairs
// CHECK: func.func @eval(%{{.*}}: tensor<4x8xf32> {mp.batched, mp.input = "x"}) -> (tensor<f32> {mp.loss})
// CHECK-NOT: mp.row_weights
func.func @pairs(%x: tensor<4x8xf32> {mp.input = "x", mp.batched}) -> (tensor<f32> {mp.loss}) attributes {mp.program = "model", mp.batch = 4} {
  %p = mp.matmul %x, %x transpose_rhs acc f32 {mp.combines_rows} : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x4xf32>
  %l = mp.reduce_mean %p dimensions [0, 1] {mp.combines_rows} : tensor<4x4xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// Each takes weights.
// CHECK-LABEL: func.func @weighed
// CHECK: func.func @eval({{.*}} mp.row_weights{{.*}}) -> (tensor<f32> {mp.loss})
func.func @weighed(%x: tensor<4x8xf32> {mp.input = "x", mp.batched}) -> (tensor<f32> {mp.loss}) attributes {mp.program = "model", mp.batch = 4} {
  %l = mp.reduce_mean %x dimensions [0, 1] {mp.combines_rows} : tensor<4x8xf32> -> tensor<f32>
  return %l : tensor<f32>
}
