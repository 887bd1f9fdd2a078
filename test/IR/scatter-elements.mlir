// RUN: mp-opt %s -canonicalize | FileCheck %s
// RUN: mp-opt %s -mp-specialize=batch=4 | FileCheck %s --check-prefix=ROWS
// RUN: mp-opt %s -mp-specialize=batch=4 -mp-autocast -mp-autodiff | FileCheck %s --check-prefix=STEP

// CHECK-LABEL: @forms
func.func @forms(%x: tensor<?x10xf16>, %i: tensor<?x3xi32>, %u: tensor<?x3xf16>, %flags: tensor<7xi1>, %j: tensor<?xui8>, %v: tensor<?xi1>)
    -> (tensor<?x10xf16>, tensor<7xi1>) {
  // CHECK: mp.scatter_elements %{{.*}}, %{{.*}}, %{{.*}} dimension 1 : tensor<?x10xf16>, tensor<?x3xi32>, tensor<?x3xf16> -> tensor<?x10xf16>
  %0 = mp.scatter_elements %x, %i, %u dimension 1 : tensor<?x10xf16>, tensor<?x3xi32>, tensor<?x3xf16> -> tensor<?x10xf16>
  // CHECK: mp.scatter_elements %{{.*}}, %{{.*}}, %{{.*}} dimension 0 : tensor<7xi1>, tensor<?xui8>, tensor<?xi1> -> tensor<7xi1>
  %1 = mp.scatter_elements %flags, %j, %v dimension 0 : tensor<7xi1>, tensor<?xui8>, tensor<?xi1> -> tensor<7xi1>
  return %0, %1 : tensor<?x10xf16>, tensor<7xi1>
}

// Rows of the batch meet where places are of it, or several rows are of one place.
// ROWS-LABEL: func.func @rows(
func.func @rows(%x: tensor<?x10xf32> {mp.input = "x"}, %i: tensor<?x3xi32> {mp.input = "i"}, %v: tensor<?x3xf32> {mp.input = "v"},
                %t: tensor<9xf32> {mp.parameter = "t", mp.initializer = #mp.zeros}, %j: tensor<?xi32> {mp.input = "j"}, %u: tensor<?xf32> {mp.input = "u"})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  // ROWS: mp.scatter_elements %{{.*}} dimension 1 : tensor<4x10xf32>
  %0 = mp.scatter_elements %x, %i, %v dimension 1 : tensor<?x10xf32>, tensor<?x3xi32>, tensor<?x3xf32> -> tensor<?x10xf32>
  // ROWS: mp.scatter_elements %{{.*}} dimension 0 {mp.combines_rows} : tensor<9xf32>
  %1 = mp.scatter_elements %t, %j, %u dimension 0 : tensor<9xf32>, tensor<?xi32>, tensor<?xf32> -> tensor<9xf32>
  %a = mp.reduce_sum %0 dimensions [0, 1] : tensor<?x10xf32> -> tensor<f32>
  %b = mp.reduce_sum %1 dimensions [0] : tensor<9xf32> -> tensor<f32>
  %l = mp.add %a, %b : tensor<f32>, tensor<f32> -> tensor<f32>
  return %l : tensor<f32>
}

// What is written over gets nothing, and of the updates those that stand in their places get what these do.
// STEP-LABEL: func.func @train_step_0(
func.func @step(%w: tensor<4x5xf32> {mp.parameter = "w", mp.initializer = #mp.zeros}, %i: tensor<4x2xi32> {mp.input = "i"},
                %u: tensor<4x2xf32> {mp.parameter = "u", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  // STEP: mp.scatter_elements %{{.*}}, %[[I:[a-z0-9]+]], %{{.*}} dimension 1 : tensor<4x5xf32>
  %s = mp.scatter_elements %w, %i, %u dimension 1 : tensor<4x5xf32>, tensor<4x2xi32>, tensor<4x2xf32> -> tensor<4x5xf32>
  %l = mp.reduce_sum %s dimensions [0, 1] : tensor<4x5xf32> -> tensor<f32>
  // STEP: %[[G:.*]] = mp.broadcast %{{.*}} -> tensor<4x5xf32>
  // STEP: %[[ZEROS:.*]] = mp.broadcast %{{.*}} -> tensor<4x2xf32>
  // STEP: %[[OF_W:.*]] = mp.scatter_elements %[[G]], %[[I]], %[[ZEROS]] dimension 1
  // STEP: %[[NUMBERS:.*]] = mp.add %{{.*}} : tensor<4x2xi64>, tensor<i64> -> tensor<4x2xi64>
  // STEP: %[[LAST:.*]] = mp.scatter_elements %{{.*}}, %[[I]], %[[NUMBERS]] dimension 1 : tensor<4x5xi64>
  // STEP: %[[FOUND:.*]] = mp.gather_elements %[[LAST]], %[[I]] dimension 1
  // STEP: %[[IS_LAST:.*]] = mp.compare eq %[[FOUND]], %[[NUMBERS]]
  // STEP: %[[TAKEN:.*]] = mp.gather_elements %[[G]], %[[I]] dimension 1
  // STEP: %[[OF_U:.*]] = mp.select %[[IS_LAST]], %[[TAKEN]], %{{.*}}
  // STEP: return %{{.*}}, %[[OF_W]], %[[OF_U]]
  return %l : tensor<f32>
}
