// RUN: mp-opt %s -mp-cancel-transposes | FileCheck %s
// RUN: mp-opt %s -mp-cancel-transposes -mp-cancel-transposes | FileCheck %s
// RUN: mp-opt %s -mp-cancel-transposes -mlir-print-debuginfo | FileCheck %s --check-prefix=PLACE
// RUN: mp-opt %s -mp-cancel-transposes -remarks-filter=mp-cancel-transposes -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Elementwise, of two images and of smaller operands: scalars, a row of pixels, channels of each rank. What is broadcast over pixels is reshaped.
// REMARK: after=0, before=3, reordered=5
// CHECK-LABEL: func.func @elementwise(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x6x5x8xf32>, %[[Y:[a-z0-9]+]]: tensor<?x6x5x8xf32>
// CHECK-NOT: mp.transpose
// CHECK-DAG: %[[C:.*]] = mp.reshape %{{.*}} : tensor<8x1x1xf32> -> tensor<8xf32>
// CHECK-DAG: %[[R:.*]] = mp.reshape %{{.*}} : tensor<5xf32> -> tensor<5x1xf32>
// CHECK: %[[A:.*]] = mp.add %[[X]], %[[Y]] : tensor<?x6x5x8xf32>, tensor<?x6x5x8xf32>
// CHECK: %[[M:.*]] = mp.mul %[[A]], %[[C]] : tensor<?x6x5x8xf32>, tensor<8xf32>
// CHECK: %[[S:.*]] = mp.sub %[[M]], %[[R]] : tensor<?x6x5x8xf32>, tensor<5x1xf32>
// CHECK: %[[P:.*]] = mp.compare gt %[[S]], %{{.*}} : tensor<?x6x5x8xf32>, tensor<f32>
// CHECK: mp.select %[[P]], %[[S]], %{{.*}} : tensor<?x6x5x8xi1>, tensor<?x6x5x8xf32>, tensor<f32>
// PLACE-LABEL: func.func @elementwise(
// PLACE: mp.add {{.*}} loc(#[[SUM:loc[0-9]+]])
// PLACE: #[[SUM]] = loc("residual")
func.func @elementwise(%x: tensor<?x6x5x8xf32>, %y: tensor<?x6x5x8xf32>, %c: tensor<8x1x1xf32>, %r: tensor<5xf32>, %s: tensor<f32>) -> tensor<?x6x5x8xf32> {
  %0 = mp.transpose %x permutation [0, 3, 1, 2] : tensor<?x6x5x8xf32> -> tensor<?x8x6x5xf32>
  %1 = mp.transpose %y permutation [0, 3, 1, 2] : tensor<?x6x5x8xf32> -> tensor<?x8x6x5xf32>
  %2 = mp.add %0, %1 : tensor<?x8x6x5xf32>, tensor<?x8x6x5xf32> -> tensor<?x8x6x5xf32> loc("residual")
  %3 = mp.mul %2, %c : tensor<?x8x6x5xf32>, tensor<8x1x1xf32> -> tensor<?x8x6x5xf32>
  %4 = mp.sub %3, %r : tensor<?x8x6x5xf32>, tensor<5xf32> -> tensor<?x8x6x5xf32>
  %5 = mp.compare gt %4, %s : tensor<?x8x6x5xf32>, tensor<f32> -> tensor<?x8x6x5xi1>
  %6 = mp.select %5, %4, %s : tensor<?x8x6x5xi1>, tensor<?x8x6x5xf32>, tensor<f32> -> tensor<?x8x6x5xf32>
  %7 = mp.transpose %6 permutation [0, 2, 3, 1] : tensor<?x8x6x5xf32> -> tensor<?x6x5x8xf32>
  return %7 : tensor<?x6x5x8xf32>
}

// What says something of dimensions in attributes says it of the others.
// CHECK-LABEL: func.func @attributes(
// CHECK-NOT: mp.transpose
// CHECK: %[[S:.*]]:2 = mp.split %{{.*}} sizes [3, 5] dimension 3 : tensor<?x6x5x8xf32> -> tensor<?x6x5x3xf32>, tensor<?x6x5x5xf32>
// CHECK: mp.concat %[[S]]#1, %[[S]]#0 dimension 3
// CHECK: mp.slice %{{.*}} [:, :, 1:4, 2::3] : tensor<?x6x5x8xf32> -> tensor<?x6x3x2xf32>
// CHECK: mp.pad %{{.*}} low [0, 1, 2, 0] high [0, 0, 1, 4] interior [0, 0, 0, 1] value 2.{{.*}} : tensor<?x6x3x2xf32> -> tensor<?x7x6x7xf32>
// CHECK: mp.flip %{{.*}} dimensions [2, 3]
// CHECK: mp.tile %{{.*}} repeats [1, 1, 1, 2] : tensor<?x7x6x7xf32> -> tensor<?x7x6x14xf32>
// CHECK: mp.cumsum %{{.*}} dimension 1
// CHECK: mp.gather %{{.*}}, %{{.*}} dimension 3 : tensor<?x7x6x14xf32>, tensor<4xi32> -> tensor<?x7x6x4xf32>
// CHECK: mp.gather_elements %{{.*}}, %{{.*}} dimension 3
func.func @attributes(%x: tensor<?x6x5x8xf32>, %i: tensor<4xi32>, %j: tensor<?x7x6x4xi32>) -> tensor<?x7x6x4xf32> {
  %0 = mp.transpose %x permutation [0, 3, 1, 2] : tensor<?x6x5x8xf32> -> tensor<?x8x6x5xf32>
  %1, %2 = mp.split %0 sizes [3, 5] dimension 1 : tensor<?x8x6x5xf32> -> tensor<?x3x6x5xf32>, tensor<?x5x6x5xf32>
  %3 = mp.concat %2, %1 dimension 1 : tensor<?x5x6x5xf32>, tensor<?x3x6x5xf32> -> tensor<?x8x6x5xf32>
  %4 = mp.slice %3 [:, 2::3, :, 1:4] : tensor<?x8x6x5xf32> -> tensor<?x2x6x3xf32>
  %5 = mp.pad %4 low [0, 0, 1, 2] high [0, 4, 0, 1] interior [0, 1, 0, 0] value 2.0 : tensor<?x2x6x3xf32> -> tensor<?x7x7x6xf32>
  %6 = mp.flip %5 dimensions [1, 3] : tensor<?x7x7x6xf32> -> tensor<?x7x7x6xf32>
  %7 = mp.tile %6 repeats [1, 2, 1, 1] : tensor<?x7x7x6xf32> -> tensor<?x14x7x6xf32>
  %8 = mp.cumsum %7 dimension 2 : tensor<?x14x7x6xf32>
  %9 = mp.gather %8, %i dimension 1 : tensor<?x14x7x6xf32>, tensor<4xi32> -> tensor<?x4x7x6xf32>
  %10 = mp.transpose %j permutation [0, 3, 1, 2] : tensor<?x7x6x4xi32> -> tensor<?x4x7x6xi32>
  %11 = mp.gather_elements %9, %10 dimension 1 : tensor<?x4x7x6xf32>, tensor<?x4x7x6xi32> -> tensor<?x4x7x6xf32>
  %12 = mp.transpose %11 permutation [0, 2, 3, 1] : tensor<?x4x7x6xf32> -> tensor<?x7x6x4xf32>
  return %12 : tensor<?x7x6x4xf32>
}

// Means of pixels and of channels, and what is made of them: a gate, and an index.
// CHECK-LABEL: func.func @reductions(
// CHECK-NOT: mp.transpose
// CHECK: %[[M:.*]] = mp.reduce_mean %arg0 dimensions [1, 2] : tensor<?x6x5x8xf32> -> tensor<?x8xf32>
// CHECK: %[[G:.*]] = mp.sigmoid %[[M]]
// CHECK: %[[R:.*]] = mp.reshape %{{.*}} : tensor<?x{{.*}}> -> tensor<?x1x1x8xf32>
// CHECK: %[[Y:.*]] = mp.mul %arg0, %[[R]]
// CHECK: %[[L:.*]] = mp.reduce_max %[[Y]] dimensions [3] keep_dims : tensor<?x6x5x8xf32> -> tensor<?x6x5x1xf32>
// CHECK: mp.sub %[[Y]], %[[L]]
// CHECK: mp.argmax %{{.*}} dimension 3 : tensor<?x6x5x8xf32> -> tensor<?x6x5xi32>
func.func @reductions(%x: tensor<?x6x5x8xf32>) -> tensor<?x6x5xi32> {
  %0 = mp.transpose %x permutation [0, 3, 1, 2] : tensor<?x6x5x8xf32> -> tensor<?x8x6x5xf32>
  %1 = mp.reduce_mean %0 dimensions [2, 3] : tensor<?x8x6x5xf32> -> tensor<?x8xf32>
  %2 = mp.sigmoid %1 : tensor<?x8xf32>
  %3 = mp.reshape %2 : tensor<?x8xf32> -> tensor<?x8x1x1xf32>
  %4 = mp.mul %0, %3 : tensor<?x8x6x5xf32>, tensor<?x8x1x1xf32> -> tensor<?x8x6x5xf32>
  %5 = mp.reduce_max %4 dimensions [1] keep_dims : tensor<?x8x6x5xf32> -> tensor<?x1x6x5xf32>
  %6 = mp.sub %4, %5 : tensor<?x8x6x5xf32>, tensor<?x1x6x5xf32> -> tensor<?x8x6x5xf32>
  %7 = mp.argmax %6 dimension 1 : tensor<?x8x6x5xf32> -> tensor<?x6x5xi32>
  return %7 : tensor<?x6x5xi32>
}

// A sum whose terms would come in another order is not reordered.
// CHECK-LABEL: func.func @torn_sum(
// CHECK: mp.transpose
// CHECK: mp.reduce_sum %{{.*}} dimensions [1, 2]
func.func @torn_sum(%x: tensor<?x6x8xf32>) -> tensor<?xf32> {
  %0 = mp.transpose %x permutation [0, 2, 1] : tensor<?x6x8xf32> -> tensor<?x8x6xf32>
  %1 = mp.reduce_sum %0 dimensions [1, 2] : tensor<?x8x6xf32> -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// Rows that stay last may come in any order, and a matrix that all share serves each. Rows that would not stay last stay.
// CHECK-LABEL: func.func @rows(
// CHECK-NOT: mp.transpose
// CHECK: mp.layer_norm %arg0, %{{.*}} : tensor<?x6x8xf32>
// CHECK: mp.matmul %{{.*}} : tensor<?x6x8xf32>, tensor<8x4xf32> -> tensor<?x6x4xf32>
// CHECK: mp.softmax %{{.*}} : tensor<?x6x4xf32>
// CHECK: return
// CHECK-LABEL: func.func @columns(
// CHECK: mp.transpose
// CHECK: mp.softmax %{{.*}} : tensor<?x8x6xf32>
// CHECK: mp.transpose
func.func @rows(%x: tensor<?x6x8xf32>, %w: tensor<8x4xf32>, %c: tensor<8xf32>, %b: tensor<4xf32>) -> tensor<?x6x4xf32> {
  %0 = mp.transpose %x permutation [1, 0, 2] : tensor<?x6x8xf32> -> tensor<6x?x8xf32>
  %1 = mp.layer_norm %0, %c, %c {epsilon = 1.0e-5 : f64} : tensor<6x?x8xf32>, tensor<8xf32>
  %2 = mp.matmul %1, %w bias %b : tensor<4xf32> acc f32 : tensor<6x?x8xf32>, tensor<8x4xf32> -> tensor<6x?x4xf32>
  %3 = mp.softmax %2 : tensor<6x?x4xf32>
  %4 = mp.transpose %3 permutation [1, 0, 2] : tensor<6x?x4xf32> -> tensor<?x6x4xf32>
  return %4 : tensor<?x6x4xf32>
}
func.func @columns(%x: tensor<?x6x8xf32>) -> tensor<?x6x8xf32> {
  %0 = mp.transpose %x permutation [0, 2, 1] : tensor<?x6x8xf32> -> tensor<?x8x6xf32>
  %1 = mp.softmax %0 : tensor<?x8x6xf32>
  %2 = mp.transpose %1 permutation [0, 2, 1] : tensor<?x8x6xf32> -> tensor<?x6x8xf32>
  return %2 : tensor<?x6x8xf32>
}

// Pixels that a reshape joins stay neighbours: patches are tokens. Channels shuffled come as channels last, by one transpose of channels.
// CHECK-LABEL: func.func @tokens(
// CHECK-NEXT: %[[T:.*]] = mp.reshape %arg0 : tensor<?x6x5x8xf32> -> tensor<?x30x8xf32>
// CHECK-NEXT: return %[[T]]
// CHECK-LABEL: func.func @shuffled(
// CHECK-NEXT: mp.reshape %arg0 : tensor<?x6x5x8xf32> -> tensor<?x6x5x2x4xf32>
// CHECK-NEXT: mp.transpose %{{.*}} permutation [0, 1, 2, 4, 3]
// CHECK-NEXT: mp.reshape %{{.*}} -> tensor<?x6x5x8xf32>
// CHECK-NEXT: return
// What joins channels and pixels keeps their order.
// CHECK-LABEL: func.func @flattened(
// CHECK: mp.transpose
// CHECK: mp.reshape %{{.*}} : tensor<?x8x6x5xf32> -> tensor<?x240xf32>
func.func @tokens(%x: tensor<?x6x5x8xf32>) -> tensor<?x30x8xf32> {
  %0 = mp.transpose %x permutation [0, 3, 1, 2] : tensor<?x6x5x8xf32> -> tensor<?x8x6x5xf32>
  %1 = mp.reshape %0 : tensor<?x8x6x5xf32> -> tensor<?x8x30xf32>
  %2 = mp.transpose %1 permutation [0, 2, 1] : tensor<?x8x30xf32> -> tensor<?x30x8xf32>
  return %2 : tensor<?x30x8xf32>
}
func.func @shuffled(%x: tensor<?x6x5x8xf32>) -> tensor<?x6x5x8xf32> {
  %0 = mp.transpose %x permutation [0, 3, 1, 2] : tensor<?x6x5x8xf32> -> tensor<?x8x6x5xf32>
  %1 = mp.reshape %0 : tensor<?x8x6x5xf32> -> tensor<?x2x4x6x5xf32>
  %2 = mp.transpose %1 permutation [0, 2, 1, 3, 4] : tensor<?x2x4x6x5xf32> -> tensor<?x4x2x6x5xf32>
  %3 = mp.reshape %2 : tensor<?x4x2x6x5xf32> -> tensor<?x8x6x5xf32>
  %4 = mp.transpose %3 permutation [0, 2, 3, 1] : tensor<?x8x6x5xf32> -> tensor<?x6x5x8xf32>
  return %4 : tensor<?x6x5x8xf32>
}
func.func @flattened(%x: tensor<?x6x5x8xf32>) -> tensor<?x240xf32> {
  %0 = mp.transpose %x permutation [0, 3, 1, 2] : tensor<?x6x5x8xf32> -> tensor<?x8x6x5xf32>
  %1 = mp.relu %0 : tensor<?x8x6x5xf32>
  %2 = mp.reshape %1 : tensor<?x8x6x5xf32> -> tensor<?x240xf32>
  return %2 : tensor<?x240xf32>
}

// A result that is another's transpose is one; what is returned in one order and read in the other is transposed once.
// CHECK-LABEL: func.func @returned(
// CHECK-NEXT: %[[R:.*]] = mp.relu %arg0
// CHECK-NEXT: %[[T:.*]] = mp.transpose %[[R]] permutation [0, 3, 1, 2]
// CHECK-NEXT: %[[E:.*]] = mp.exp %[[R]]
// CHECK-NEXT: return %[[T]], %[[E]]
func.func @returned(%x: tensor<?x6x5x8xf32>) -> (tensor<?x8x6x5xf32>, tensor<?x6x5x8xf32>) {
  %0 = mp.transpose %x permutation [0, 3, 1, 2] : tensor<?x6x5x8xf32> -> tensor<?x8x6x5xf32>
  %1 = mp.relu %0 : tensor<?x8x6x5xf32>
  %2 = mp.exp %1 : tensor<?x8x6x5xf32>
  %3 = mp.transpose %2 permutation [0, 2, 3, 1] : tensor<?x8x6x5xf32> -> tensor<?x6x5x8xf32>
  return %1, %3 : tensor<?x8x6x5xf32>, tensor<?x6x5x8xf32>
}

// Part of the ops between transposes: the relu, but not the sum with what came in the other order.
// CHECK-LABEL: func.func @part(
// CHECK-NEXT: %[[R:.*]] = mp.relu %arg0
// CHECK-NEXT: %[[T:.*]] = mp.transpose %[[R]]
// CHECK-NEXT: %[[S:.*]] = mp.add %[[T]], %arg1
// CHECK-NEXT: return %[[R]], %[[S]]
func.func @part(%x: tensor<?x6x5x8xf32>, %y: tensor<?x8x6x5xf32>) -> (tensor<?x6x5x8xf32>, tensor<?x8x6x5xf32>) {
  %0 = mp.transpose %x permutation [0, 3, 1, 2] : tensor<?x6x5x8xf32> -> tensor<?x8x6x5xf32>
  %1 = mp.relu %0 : tensor<?x8x6x5xf32>
  %2 = mp.transpose %1 permutation [0, 2, 3, 1] : tensor<?x8x6x5xf32> -> tensor<?x6x5x8xf32>
  %3 = mp.add %1, %y : tensor<?x8x6x5xf32>, tensor<?x8x6x5xf32> -> tensor<?x8x6x5xf32>
  return %2, %3 : tensor<?x6x5x8xf32>, tensor<?x8x6x5xf32>
}

// Two readers of different orders: one cancels, the other is one transpose of what there was.
// CHECK-LABEL: func.func @two_orders(
// CHECK-NEXT: %[[R:.*]] = mp.relu %arg0
// CHECK-NEXT: %[[T:.*]] = mp.transpose %[[R]] permutation [3, 0, 1, 2]
// CHECK-NEXT: return %[[R]], %[[T]]
func.func @two_orders(%x: tensor<?x6x5x8xf32>) -> (tensor<?x6x5x8xf32>, tensor<8x?x6x5xf32>) {
  %0 = mp.transpose %x permutation [0, 3, 1, 2] : tensor<?x6x5x8xf32> -> tensor<?x8x6x5xf32>
  %1 = mp.relu %0 : tensor<?x8x6x5xf32>
  %2 = mp.transpose %1 permutation [0, 2, 3, 1] : tensor<?x8x6x5xf32> -> tensor<?x6x5x8xf32>
  %3 = mp.transpose %1 permutation [1, 0, 2, 3] : tensor<?x8x6x5xf32> -> tensor<8x?x6x5xf32>
  return %2, %3 : tensor<?x6x5x8xf32>, tensor<8x?x6x5xf32>
}

// As many transposes, but of fewer elements: behind the slice, and in front of what broadcasts.
// CHECK-LABEL: func.func @fewer_elements(
// CHECK-NEXT: mp.slice %arg0 [:, :1, :, :]
// CHECK-NEXT: mp.transpose %{{.*}} : tensor<?x1x5x8xf32> -> tensor<?x8x1x5xf32>
// CHECK-NEXT: return
// CHECK-LABEL: func.func @tie(
// CHECK-NEXT: mp.transpose
// CHECK-NEXT: mp.relu
// CHECK-NEXT: return
func.func @fewer_elements(%x: tensor<?x6x5x8xf32>) -> tensor<?x8x1x5xf32> {
  %0 = mp.transpose %x permutation [0, 3, 1, 2] : tensor<?x6x5x8xf32> -> tensor<?x8x6x5xf32>
  %1 = mp.slice %0 [:, :, 0:1, :] : tensor<?x8x6x5xf32> -> tensor<?x8x1x5xf32>
  return %1 : tensor<?x8x1x5xf32>
}
func.func @tie(%x: tensor<?x6x5x8xf32>) -> tensor<?x8x6x5xf32> {
  %0 = mp.transpose %x permutation [0, 3, 1, 2] : tensor<?x6x5x8xf32> -> tensor<?x8x6x5xf32>
  %1 = mp.relu %0 : tensor<?x8x6x5xf32>
  return %1 : tensor<?x8x6x5xf32>
}

// Products read matrices transposed as they are, so that nothing is won before them.
// CHECK-LABEL: func.func @product(
// CHECK-NEXT: mp.relu %arg1
// CHECK-NEXT: mp.transpose %{{.*}} permutation [0, 2, 1]
// CHECK-NEXT: mp.matmul
// CHECK-NEXT: return
func.func @product(%x: tensor<?x6x8xf32>, %y: tensor<?x5x8xf32>) -> tensor<?x6x5xf32> {
  %0 = mp.relu %y : tensor<?x5x8xf32>
  %1 = mp.transpose %0 permutation [0, 2, 1] : tensor<?x5x8xf32> -> tensor<?x8x5xf32>
  %2 = mp.matmul %x, %1 acc f32 : tensor<?x6x8xf32>, tensor<?x8x5xf32> -> tensor<?x6x5xf32>
  return %2 : tensor<?x6x5xf32>
}

// Random numbers are those of places in memory.
// CHECK-LABEL: func.func @dropout(
// CHECK: mp.transpose
// CHECK: mp.dropout %{{.*}} : tensor<?x8x6x5xf32>
// CHECK: mp.transpose
func.func @dropout(%x: tensor<?x6x5x8xf32>, %rng: tensor<2xi64>) -> tensor<?x6x5x8xf32> {
  %0 = mp.transpose %x permutation [0, 3, 1, 2] : tensor<?x6x5x8xf32> -> tensor<?x8x6x5xf32>
  %1 = mp.dropout %0, %rng {rate = 0.5, stream = 1} : tensor<?x8x6x5xf32>
  %2 = mp.transpose %1 permutation [0, 2, 3, 1] : tensor<?x8x6x5xf32> -> tensor<?x6x5x8xf32>
  return %2 : tensor<?x6x5x8xf32>
}

// Constants and places are known in any order; a transpose of sizes of 1 is a reshape, an identity nothing.
// CHECK-LABEL: func.func @known(
// CHECK-DAG: %[[C:.*]] = mp.constant dense<{{\[\[}}1.000000e+00, 4.000000e+00], [2.000000e+00, 5.000000e+00], [3.000000e+00, 6.000000e+00]]> : tensor<3x2xf32>
// CHECK-DAG: %[[I:.*]] = mp.iota dimension 1 -> tensor<3x2xf32>
// CHECK-DAG: %[[R:.*]] = mp.reshape %arg1 : tensor<?x1x1x8xf32> -> tensor<?x8x1x1xf32>
// CHECK-NOT: mp.transpose
// CHECK: %[[A:.*]] = mp.add %arg0, %[[C]]
// CHECK-NEXT: %[[M:.*]] = mp.mul %[[A]], %[[I]]
// CHECK-NEXT: return %[[M]], %[[R]], %arg0
func.func @known(%x: tensor<3x2xf32>, %y: tensor<?x1x1x8xf32>) -> (tensor<3x2xf32>, tensor<?x8x1x1xf32>, tensor<3x2xf32>) {
  %c = mp.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %i = mp.iota dimension 0 -> tensor<2x3xf32>
  %0 = mp.transpose %x permutation [1, 0] : tensor<3x2xf32> -> tensor<2x3xf32>
  %1 = mp.add %0, %c : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  %2 = mp.mul %1, %i : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  %3 = mp.transpose %2 permutation [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  %4 = mp.transpose %y permutation [0, 3, 1, 2] : tensor<?x1x1x8xf32> -> tensor<?x8x1x1xf32>
  %5 = mp.transpose %x permutation [0, 1] : tensor<3x2xf32> -> tensor<3x2xf32>
  return %3, %4, %5 : tensor<3x2xf32>, tensor<?x8x1x1xf32>, tensor<3x2xf32>
}

// What is broadcast comes as it does to the result; a size that only `like` knows is `like`'s.
// CHECK-LABEL: func.func @broadcast(
// CHECK-NOT: mp.transpose
// CHECK: mp.broadcast %{{.*}} like %arg0 : tensor<?x6x5x8xf32> : tensor<8xf32> -> tensor<?x6x5x8xf32>
// CHECK-NOT: mp.transpose
func.func @broadcast(%x: tensor<?x6x5x8xf32>, %c: tensor<8x1x1xf32>) -> tensor<?x6x5x8xf32> {
  %0 = mp.transpose %x permutation [0, 3, 1, 2] : tensor<?x6x5x8xf32> -> tensor<?x8x6x5xf32>
  %1 = mp.broadcast %c like %0 : tensor<?x8x6x5xf32> : tensor<8x1x1xf32> -> tensor<?x8x6x5xf32>
  %2 = mp.transpose %1 permutation [0, 2, 3, 1] : tensor<?x8x6x5xf32> -> tensor<?x6x5x8xf32>
  return %2 : tensor<?x6x5x8xf32>
}

// A training step has been made of a model that this pass has seen.
// CHECK-LABEL: func.func @train_step(
// CHECK: mp.transpose
// CHECK: mp.transpose
func.func @train_step(%x: tensor<4x6xf32> {mp.input = "x"}, %w: tensor<4x6xf32> {mp.parameter = "w", mp.initializer = #mp.ones})
    -> (tensor<4x6xf32> {mp.next = "w"}) attributes {mp.program = "train_step"} {
  %0 = mp.transpose %w permutation [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %1 = mp.relu %0 : tensor<6x4xf32>
  %2 = mp.transpose %1 permutation [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

// A transpose that another made is looked at, too: rows of channels from channels second, by a transpose before and behind.
// CHECK-LABEL: func.func @rows_of_channels(
// CHECK-NEXT: %[[S:.*]] = mp.softmax %arg0 : tensor<?x6x5x8xf32>
// CHECK-NEXT: %[[T:.*]] = mp.transpose %[[S]] permutation [0, 3, 1, 2]
// CHECK-NEXT: return %[[T]]
func.func @rows_of_channels(%x: tensor<?x6x5x8xf32>) -> tensor<?x8x6x5xf32> {
  %0 = mp.transpose %x permutation [0, 3, 1, 2] : tensor<?x6x5x8xf32> -> tensor<?x8x6x5xf32>
  %1 = mp.transpose %0 permutation [0, 3, 2, 1] : tensor<?x8x6x5xf32> -> tensor<?x5x6x8xf32>
  %2 = mp.softmax %1 : tensor<?x5x6x8xf32>
  %3 = mp.transpose %2 permutation [0, 3, 2, 1] : tensor<?x5x6x8xf32> -> tensor<?x8x6x5xf32>
  return %3 : tensor<?x8x6x5xf32>
}
