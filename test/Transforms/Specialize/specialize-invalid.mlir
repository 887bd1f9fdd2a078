// RUN: mp-opt %s -split-input-file -mp-specialize="batch=4 pad" -verify-diagnostics -o /dev/null
// RUN: not mp-opt %s -split-input-file -mp-specialize=batch=0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not mp-opt %s -split-input-file -mp-specialize 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not mp-opt %s -split-input-file -mp-specialize=batch=many 2>&1 | FileCheck %s --check-prefix=WORD
// ZERO: mp-specialize: batch is 0, expected at least 1
// WORD: batch

func.func @reshape_that_is_not_exact(%x: tensor<?x3xf32> {mp.input = "x"}) -> (tensor<?x5xf32> {mp.output = "y"})
    attributes {mp.program = "model"} {
  // expected-error@+1 {{operand has 12 elements, result [?x5] cannot hold exactly as many}}
  %y = mp.reshape %x : tensor<?x3xf32> -> tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}

// -----

func.func @declared_size_differs(%x: tensor<?x3xf32> {mp.input = "x"}) -> (tensor<8xf32> {mp.output = "y"})
    attributes {mp.program = "model"} {
  // expected-error@+1 {{result #0 is declared 'tensor<8xf32>', but this batch changes its size 8 into 4}}
  %y = mp.reduce_sum %x dimensions [1] : tensor<?x3xf32> -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @declared_operand_differs(%x: tensor<?x3xf32> {mp.input = "x"}, %z: tensor<8x3xf32> {mp.input = "z"})
    -> (tensor<8x3xf32> {mp.output = "y"}) attributes {mp.program = "model"} {
  // expected-error@+1 {{operand shapes do not broadcast: [4x3] and [8x3]}}
  %y = mp.add %x, %z : tensor<?x3xf32>, tensor<8x3xf32> -> tensor<8x3xf32>
  return %y : tensor<8x3xf32>
}

// -----

func.func @size_without_a_rule(%x: tensor<?x3xf32> {mp.input = "x"}) -> (tensor<?x3xf32> {mp.output = "y"})
    attributes {mp.program = "model"} {
  // expected-error@+1 {{keeps an open size: result #0 has type 'tensor<?x3xf32>'}}
  %y = tensor.cast %x : tensor<?x3xf32> to tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// -----

// expected-error@+1 {{is specialized for a batch of 8 already, asked for 4; ask for that one, or specialize the model, whose batch is open}}
func.func @another_batch(%x: tensor<8x3xf32> {mp.batched, mp.input = "x"}) -> (tensor<8x3xf32> {mp.output = "y"})
    attributes {mp.batch = 8 : i64, mp.program = "model"} {
  return %x : tensor<8x3xf32>
}

// -----

func.func @largest_of_rows_takes_no_weights(%x: tensor<?x3xf32> {mp.input = "x"}) -> (tensor<3xf32> {mp.output = "y"})
    attributes {mp.program = "model"} {
  // expected-error@+1 {{'mp.reduce_max' op combines rows of the batch and takes no weights for them, so that a batch cannot be padded}}
  %y = mp.reduce_max %x dimensions [0] : tensor<?x3xf32> -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

// The batch is the second dimension, and as large as the first: no weights of rows belong to the first.
func.func @rows_are_columns(%x: tensor<?x4xf32> {mp.input = "x"}) -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %t = mp.transpose %x permutation [1, 0] : tensor<?x4xf32> -> tensor<4x?xf32>
  // expected-error@+1 {{combines rows of the batch along a dimension that is not the first, where it takes no weights for them, so that a batch cannot be padded; transpose its operand}}
  %y = mp.reduce_mean %t dimensions [0, 1] : tensor<4x?xf32> -> tensor<f32>
  return %y : tensor<f32>
}

// -----

func.func @sum_of_columns(%x: tensor<?x4xf32> {mp.input = "x"}) -> (tensor<4xf32> {mp.output = "y"}) attributes {mp.program = "model"} {
  %t = mp.transpose %x permutation [1, 0] : tensor<?x4xf32> -> tensor<4x?xf32>
  // expected-error@+1 {{combines rows of the batch along a dimension that is not the first}}
  %y = mp.reduce_sum %t dimensions [1] : tensor<4x?xf32> -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @product_across_rows(%x: tensor<?x3xf32> {mp.input = "x"}) -> (tensor<?x?xf32> {mp.output = "y"})
    attributes {mp.program = "model"} {
  // expected-error@+1 {{'mp.matmul' op combines rows of the batch and takes no weights}}
  %y = mp.matmul %x, %x transpose_rhs acc f32 : tensor<?x3xf32>, tensor<?x3xf32> -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// A row for each row, and yet not made row by row: weights are asked for.
func.func @rows_combined_and_kept(%x: tensor<?x3xf32> {mp.input = "x"}) -> (tensor<?x3xf32> {mp.output = "y"})
    attributes {mp.program = "model"} {
  // expected-error@+1 {{'mp.clip_by_global_norm' op combines rows of the batch and takes no weights for them}}
  %y, %n = mp.clip_by_global_norm %x {max_norm = 1.0 : f32} : tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// -----

func.func @rows_that_are_split(%x: tensor<?x6xf32> {mp.input = "x"}, %y: tensor<?xui8> {mp.input = "y"}) -> (tensor<f32> {mp.loss})
    attributes {mp.program = "model"} {
  %r = mp.reshape %x : tensor<?x6xf32> -> tensor<?x3xf32>
  %i = mp.iota dimension 0 -> tensor<8xi32>
  // expected-error@+1 {{takes weights of type 'tensor<8xf32>', which are not one for each of the batch's 4 rows}}
  %l = mp.softmax_cross_entropy %r, %i : tensor<?x3xf32>, tensor<8xi32> -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// expected-error@below {{no function here has mp.program}}
module {
  func.func @no_program(%x: tensor<?xf32>) -> tensor<?xf32> {
    return %x : tensor<?xf32>
  }
}
