// RUN: mp-opt %s -canonicalize | FileCheck %s
// RUN: mp-opt %s -mp-specialize=batch=4 | FileCheck %s --check-prefix=ROWS
// RUN: mp-opt %s -mp-specialize=batch=4 -mp-autocast -mp-autodiff | FileCheck %s --check-prefix=STEP

// The batch is open in operand and indices, or of the indices alone, along the dimension.
// CHECK-LABEL: @forms
func.func @forms(%x: tensor<?x10xf16>, %i: tensor<?x3xi32>, %table: tensor<7xi1>, %j: tensor<?xui8>, %u: tensor<?x3xf16>)
    -> (tensor<?x3xf16>, tensor<?xi1>, tensor<?x10xf16>) {
  // CHECK: mp.gather_elements %{{.*}}, %{{.*}} dimension 1 : tensor<?x10xf16>, tensor<?x3xi32> -> tensor<?x3xf16>
  %0 = mp.gather_elements %x, %i dimension 1 : tensor<?x10xf16>, tensor<?x3xi32> -> tensor<?x3xf16>
  // CHECK: mp.gather_elements %{{.*}}, %{{.*}} dimension 0 : tensor<7xi1>, tensor<?xui8> -> tensor<?xi1>
  %1 = mp.gather_elements %table, %j dimension 0 : tensor<7xi1>, tensor<?xui8> -> tensor<?xi1>
  // CHECK: mp.scatter_add_elements %{{.*}}, %{{.*}}, %{{.*}} dimension 1 : tensor<?x10xf16>, tensor<?x3xi32>, tensor<?x3xf16> -> tensor<?x10xf16>
  %2 = mp.scatter_add_elements %x, %i, %u dimension 1 : tensor<?x10xf16>, tensor<?x3xi32>, tensor<?x3xf16> -> tensor<?x10xf16>
  return %0, %1, %2 : tensor<?x3xf16>, tensor<?xi1>, tensor<?x10xf16>
}

// Rows of the batch meet where indices are looked up along it.
// ROWS-LABEL: func.func @rows(
// STEP-LABEL: func.func @train_step(
func.func @rows(%x: tensor<?x10xf32> {mp.input = "x"}, %i: tensor<?x3xi32> {mp.input = "i"}, %k: tensor<2x10xi32> {mp.input = "k"},
                %t: tensor<9xf32> {mp.parameter = "t", mp.initializer = #mp.zeros}, %j: tensor<?xi32> {mp.input = "j"}, %u: tensor<?xf32> {mp.input = "u"})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  // ROWS: mp.gather_elements %{{.*}} dimension 1 : tensor<4x10xf32>
  %0 = mp.gather_elements %x, %i dimension 1 : tensor<?x10xf32>, tensor<?x3xi32> -> tensor<?x3xf32>
  // ROWS: mp.gather_elements %{{.*}} dimension 0 {mp.combines_rows} : tensor<4x10xf32>
  %1 = mp.gather_elements %x, %k dimension 0 : tensor<?x10xf32>, tensor<2x10xi32> -> tensor<2x10xf32>
  // ROWS: mp.gather_elements %{{.*}} dimension 0 : tensor<9xf32>
  %2 = mp.gather_elements %t, %j dimension 0 : tensor<9xf32>, tensor<?xi32> -> tensor<?xf32>
  // ROWS: mp.scatter_add_elements %{{.*}} dimension 1 : tensor<4x10xf32>
  %3 = mp.scatter_add_elements %x, %i, %0 dimension 1 : tensor<?x10xf32>, tensor<?x3xi32>, tensor<?x3xf32> -> tensor<?x10xf32>
  // ROWS: mp.scatter_add_elements %{{.*}} dimension 0 {mp.combines_rows} : tensor<9xf32>
  %4 = mp.scatter_add_elements %t, %j, %u dimension 0 : tensor<9xf32>, tensor<?xi32>, tensor<?xf32> -> tensor<9xf32>
  %l = mp.reduce_sum %4 dimensions [0] : tensor<9xf32> -> tensor<f32>
  return %l : tensor<f32>
}

// It follows an f16 product. Its gradient adds up; that of adding is looked up.
// STEP-LABEL: func.func @train_step_0(
func.func @step(%x: tensor<4x8xf32> {mp.input = "x"}, %i: tensor<4x2xi32> {mp.input = "i"},
                %w: tensor<8x5xf32> {mp.parameter = "w", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %z = mp.matmul %x, %w acc f32 : tensor<4x8xf32>, tensor<8x5xf32> -> tensor<4x5xf32>
  // STEP: %[[G:.*]] = mp.gather_elements %{{.*}}, %[[I:.*]] dimension 1 : tensor<4x5xf16>, tensor<4x2xi32> -> tensor<4x2xf16>
  %g = mp.gather_elements %z, %i dimension 1 : tensor<4x5xf32>, tensor<4x2xi32> -> tensor<4x2xf32>
  // STEP: mp.scatter_add_elements %{{.*}}, %[[I]], %[[G]] dimension 1 : tensor<4x5xf16>, tensor<4x2xi32>, tensor<4x2xf16> -> tensor<4x5xf16>
  %s = mp.scatter_add_elements %z, %i, %g dimension 1 : tensor<4x5xf32>, tensor<4x2xi32>, tensor<4x2xf32> -> tensor<4x5xf32>
  %l = mp.reduce_mean %s dimensions [0, 1] : tensor<4x5xf32> -> tensor<f32>
  // STEP: mp.gather_elements %{{.*}}, %[[I]] dimension 1 : tensor<4x5xf16>, tensor<4x2xi32> -> tensor<4x2xf16>
  // STEP: mp.scatter_add_elements %{{.*}}, %[[I]], %{{.*}} dimension 1 : tensor<4x5xf16>, tensor<4x2xi32>, tensor<4x2xf16> -> tensor<4x5xf16>
  return %l : tensor<f32>
}
