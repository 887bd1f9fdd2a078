// RUN: mp-opt %s -canonicalize | FileCheck %s
// RUN: mp-opt %s -mp-specialize=batch=4 -mp-autocast -mp-autodiff -canonicalize | FileCheck %s --check-prefix=STEP

// CHECK-LABEL: @slice
func.func @slice(%x: tensor<?x10x6xf32>) -> (tensor<?x6x3xf32>, tensor<?x2x6xf32>) {
  // CHECK: mp.slice %{{.*}} [:, 2:8, ::2] : tensor<?x10x6xf32> -> tensor<?x6x3xf32>
  %0 = mp.slice %x [:, 2:8, ::2] : tensor<?x10x6xf32> -> tensor<?x6x3xf32>
  // CHECK: mp.slice %{{.*}} [:, 5::3, :] : tensor<?x10x6xf32> -> tensor<?x2x6xf32>
  %1 = mp.slice %x [:, 5::3, :] : tensor<?x10x6xf32> -> tensor<?x2x6xf32>
  return %0, %1 : tensor<?x6x3xf32>, tensor<?x2x6xf32>
}
// A slice of a slice is one of what the first is taken of, and steps multiply.
// CHECK-LABEL: @slices_of_slices
// CHECK-SAME: (%[[X:.*]]: tensor<20x30xf32>, %[[B:.*]]: tensor<?x10xf32>)
func.func @slices_of_slices(%x: tensor<20x30xf32>, %b: tensor<?x10xf32>)
    -> (tensor<17x30xf32>, tensor<3x4xf32>, tensor<1x29xf32>, tensor<0x10xf32>, tensor<20x30xf32>, tensor<?x3xf32>) {
  %0 = mp.slice %x [1:, :] : tensor<20x30xf32> -> tensor<19x30xf32>
  %1 = mp.slice %0 [1:, :] : tensor<19x30xf32> -> tensor<18x30xf32>
  // CHECK: %[[PEELED:.*]] = mp.slice %[[X]] [3:, :] : tensor<20x30xf32> -> tensor<17x30xf32>
  %2 = mp.slice %1 [1:, :] : tensor<18x30xf32> -> tensor<17x30xf32>
  %3 = mp.slice %x [2:17:3, 1:29:2] : tensor<20x30xf32> -> tensor<5x14xf32>
  // CHECK: %[[STEPS:.*]] = mp.slice %[[X]] [2:15:6, 7:26:6] : tensor<20x30xf32> -> tensor<3x4xf32>
  %4 = mp.slice %3 [::2, 3::3] : tensor<5x14xf32> -> tensor<3x4xf32>
  // One element has no step, however long both are together; none has no place.
  %5 = mp.slice %x [4:20:4611686018427387904, :] : tensor<20x30xf32> -> tensor<1x30xf32>
  // CHECK: %[[ONE:.*]] = mp.slice %[[X]] [4:5, 1:] : tensor<20x30xf32> -> tensor<1x29xf32>
  %6 = mp.slice %5 [::4611686018427387904, 1:] : tensor<1x30xf32> -> tensor<1x29xf32>
  // CHECK: %[[NONE:.*]] = mp.slice %[[X]] [:0, ::3] : tensor<20x30xf32> -> tensor<0x10xf32>
  %7 = mp.slice %5 [1:, ::3] : tensor<1x30xf32> -> tensor<0x10xf32>
  %8 = mp.slice %x [:, :] : tensor<20x30xf32> -> tensor<20x30xf32>
  %9 = mp.slice %b [:, 1:9] : tensor<?x10xf32> -> tensor<?x8xf32>
  // CHECK: %[[OPEN:.*]] = mp.slice %[[B]] [:, 2:7:2] : tensor<?x10xf32> -> tensor<?x3xf32>
  %10 = mp.slice %9 [:, 1:7:2] : tensor<?x8xf32> -> tensor<?x3xf32>
  // CHECK: return %[[PEELED]], %[[STEPS]], %[[ONE]], %[[NONE]], %[[X]], %[[OPEN]]
  return %2, %4, %6, %7, %8, %10 : tensor<17x30xf32>, tensor<3x4xf32>, tensor<1x29xf32>, tensor<0x10xf32>, tensor<20x30xf32>, tensor<?x3xf32>
}
// What takes all, adds nothing or puts one alone is nothing.
// CHECK-LABEL: @nothing_to_do
// CHECK-SAME: (%[[X:.*]]: tensor<4x6xi32>, %[[Y:.*]]: tensor<4x6xf16>)
func.func @nothing_to_do(%x: tensor<4x6xi32>, %y: tensor<4x6xf16>) -> (tensor<4x6xi32>, tensor<4x6xf16>, tensor<4x6xf16>) {
  %0 = mp.slice %x [0:4, :] : tensor<4x6xi32> -> tensor<4x6xi32>
  %1 = mp.pad %y low [0, 0] high [0, 0] : tensor<4x6xf16> -> tensor<4x6xf16>
  %2 = mp.concat %y dimension 1 : tensor<4x6xf16> -> tensor<4x6xf16>
  // CHECK: return %[[X]], %[[Y]], %[[Y]]
  return %0, %1, %2 : tensor<4x6xi32>, tensor<4x6xf16>, tensor<4x6xf16>
}
// CHECK-LABEL: @pad
func.func @pad(%x: tensor<?x8xf16>) -> (tensor<?x11xf16>, tensor<?x15xf16>) {
  // CHECK: mp.pad %{{.*}} low [0, 1] high [0, 2] : tensor<?x8xf16> -> tensor<?x11xf16>
  %0 = mp.pad %x low [0, 1] high [0, 2] : tensor<?x8xf16> -> tensor<?x11xf16>
  // CHECK: mp.pad %{{.*}} low [0, 0] high [0, 0] interior [0, 1] value -1.000000e+00 : tensor<?x8xf16> -> tensor<?x15xf16>
  %1 = mp.pad %x low [0, 0] high [0, 0] interior [0, 1] value -1.0 : tensor<?x8xf16> -> tensor<?x15xf16>
  return %0, %1 : tensor<?x11xf16>, tensor<?x15xf16>
}
// CHECK-LABEL: @others
func.func @others(%a: tensor<?x3xf16>, %b: tensor<?x5xf16>, %table: tensor<9x4xf32>, %i: tensor<?x7xi32>)
    -> (tensor<?x8xf16>, tensor<?x5xf16>, tensor<?x7x4xf32>, tensor<?x7x9xi1>) {
  // CHECK: mp.concat %{{.*}}, %{{.*}} dimension 1 : tensor<?x3xf16>, tensor<?x5xf16> -> tensor<?x8xf16>
  %0 = mp.concat %a, %b dimension 1 : tensor<?x3xf16>, tensor<?x5xf16> -> tensor<?x8xf16>
  // CHECK: mp.flip %{{.*}} dimensions [1] : tensor<?x5xf16> -> tensor<?x5xf16>
  %1 = mp.flip %b dimensions [1] : tensor<?x5xf16> -> tensor<?x5xf16>
  // CHECK: mp.gather %{{.*}}, %{{.*}} dimension 0 : tensor<9x4xf32>, tensor<?x7xi32> -> tensor<?x7x4xf32>
  %2 = mp.gather %table, %i dimension 0 : tensor<9x4xf32>, tensor<?x7xi32> -> tensor<?x7x4xf32>
  // CHECK: mp.one_hot %{{.*}} : tensor<?x7xi32> -> tensor<?x7x9xi1>
  %3 = mp.one_hot %i : tensor<?x7xi32> -> tensor<?x7x9xi1>
  return %0, %1, %2, %3 : tensor<?x8xf16>, tensor<?x5xf16>, tensor<?x7x4xf32>, tensor<?x7x9xi1>
}

// Tokens, their embedding, the mean of the words but the first: gradients go back to where values came from.
// STEP-LABEL: func.func @train_step
func.func @text(%tokens: tensor<?x8xui8> {mp.input = "tokens"}, %labels: tensor<?xui8> {mp.input = "labels"},
                %table: tensor<256x16xf32> {mp.parameter = "table", mp.initializer = #mp.normal<mean = 0.0 : f64, stddev = 1.0 : f64, seed = 1>},
                %w: tensor<32x4xf32> {mp.parameter = "w", mp.initializer = #mp.glorot_uniform<seed = 2>})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  // STEP: %[[ROWS:.*]] = mp.gather %[[TABLE:.*]], %[[TOKENS:.*]] dimension 0 : tensor<256x16xf32>, tensor<4x8xui8> -> tensor<4x8x16xf32>
  %e = mp.gather %table, %tokens dimension 0 : tensor<256x16xf32>, tensor<?x8xui8> -> tensor<?x8x16xf32>
  // STEP: mp.slice %[[ROWS]] [:, 1:, :]
  %words = mp.slice %e [:, 1:, :] : tensor<?x8x16xf32> -> tensor<?x7x16xf32>
  %first = mp.slice %e [:, 0:1, :] : tensor<?x8x16xf32> -> tensor<?x1x16xf32>
  %mean = mp.reduce_mean %words dimensions [1] : tensor<?x7x16xf32> -> tensor<?x16xf32>
  %f = mp.reshape %first : tensor<?x1x16xf32> -> tensor<?x16xf32>
  %both = mp.concat %mean, %f dimension 1 : tensor<?x16xf32>, tensor<?x16xf32> -> tensor<?x32xf32>
  %logits = mp.matmul %both, %w acc f32 : tensor<?x32xf32>, tensor<32x4xf32> -> tensor<?x4xf32>
  %loss = mp.softmax_cross_entropy %logits, %labels : tensor<?x4xf32>, tensor<?xui8> -> tensor<f32>
  // STEP-DAG: mp.slice %{{.*}} [:, :16]
  // STEP-DAG: mp.slice %{{.*}} [:, 16:32]
  // STEP: %[[PIECES:.*]] = mp.concat %{{.*}}, %{{.*}} dimension 1 : tensor<4x1x16xf32>, tensor<4x7x16xf32> -> tensor<4x8x16xf32>
  // STEP: mp.scatter_add %{{.*}}, %[[TOKENS]], %[[PIECES]] dimension 0 : tensor<256x16xf32>, tensor<4x8xui8>, tensor<4x8x16xf32> -> tensor<256x16xf32>
  return %loss : tensor<f32>
}
