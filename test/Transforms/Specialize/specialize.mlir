// RUN: mp-opt %s -mp-specialize=batch=4 | FileCheck %s
// RUN: mp-opt %s -mp-specialize=batch=4 -mp-specialize=batch=4 | FileCheck %s

// Every open size is 4, or follows from it; what was open is marked, and so is the op that combines rows.
// CHECK-LABEL: func.func @sizes_follow_from_the_batch(
// CHECK-SAME: %{{.*}}: tensor<4x2x3xui8> {mp.batched, mp.input = "x"}
// CHECK-SAME: %{{.*}}: tensor<4xi32> {mp.batched, mp.input = "y"}
// CHECK-SAME: %{{.*}}: tensor<6x5xf32> {mp.initializer = #mp.zeros, mp.parameter = "w"}
// CHECK-SAME: -> (tensor<f32> {mp.loss}, tensor<4x5xf32> {mp.batched, mp.output = "z"})
// CHECK-SAME: mp.batch = 4 : i64
func.func @sizes_follow_from_the_batch(
    %x: tensor<?x2x3xui8> {mp.input = "x"}, %y: tensor<?xi32> {mp.input = "y"},
    %w: tensor<6x5xf32> {mp.parameter = "w", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}, tensor<?x5xf32> {mp.output = "z"}) attributes {mp.program = "model"} {
  // CHECK: mp.cast {{.*}} : tensor<4x2x3xui8> -> tensor<4x2x3xf32>
  %0 = mp.cast %x : tensor<?x2x3xui8> -> tensor<?x2x3xf32>
  // CHECK: mp.reshape {{.*}} : tensor<4x2x3xf32> -> tensor<4x6xf32>
  %1 = mp.reshape %0 : tensor<?x2x3xf32> -> tensor<?x6xf32>
  // CHECK: mp.matmul {{.*}} -> tensor<4x5xf32>
  %2 = mp.matmul %1, %w acc f32 : tensor<?x6xf32>, tensor<6x5xf32> -> tensor<?x5xf32>
  // CHECK: mp.softmax_cross_entropy {{.*}} {mp.combines_rows}
  %l = mp.softmax_cross_entropy %2, %y : tensor<?x5xf32>, tensor<?xi32> -> tensor<f32>
  return %l, %2 : tensor<f32>, tensor<?x5xf32>
}

// CHECK-LABEL: func.func @regions_are_specialized_too(
func.func @regions_are_specialized_too(%x: tensor<?x3xf32> {mp.input = "x"}) -> (tensor<?x3xf32> {mp.output = "y"})
    attributes {mp.program = "infer"} {
  // CHECK: mp.autocast -> (tensor<4x3xf32>)
  %r = mp.autocast -> (tensor<?x3xf32>) {
    // CHECK: mp.relu {{.*}} : tensor<4x3xf32>
    %e = mp.relu %x : tensor<?x3xf32>
    mp.yield %e : tensor<?x3xf32>
  }
  return %r : tensor<?x3xf32>
}

// CHECK-LABEL: func.func @like_gives_a_size_to_ops_without_operands(
func.func @like_gives_a_size_to_ops_without_operands(%x: tensor<?x3xf32> {mp.input = "x"})
    -> (tensor<?x3xi32> {mp.output = "i"}, tensor<?x3xf32> {mp.output = "c"}) attributes {mp.program = "model"} {
  // CHECK: mp.iota {{.*}} -> tensor<4x3xi32>
  %i = mp.iota dimension 0 like %x : tensor<?x3xf32> -> tensor<?x3xi32>
  %c = mp.constant dense<2.0> : tensor<f32>
  // CHECK: mp.broadcast {{.*}} -> tensor<4x3xf32>
  %b = mp.broadcast %c like %x : tensor<?x3xf32> : tensor<f32> -> tensor<?x3xf32>
  return %i, %b : tensor<?x3xi32>, tensor<?x3xf32>
}

// A sum over classes keeps rows apart; a sum over rows does not.
// CHECK-LABEL: func.func @only_ops_across_rows_are_marked(
func.func @only_ops_across_rows_are_marked(%x: tensor<?x3xf32> {mp.input = "x"})
    -> (tensor<?xf32> {mp.output = "a"}, tensor<3xf32> {mp.output = "b"}, tensor<3x?xf32> {mp.output = "c"})
    attributes {mp.program = "model"} {
  // CHECK: mp.reduce_sum {{.*}} dimensions [1] :
  %a = mp.reduce_sum %x dimensions [1] : tensor<?x3xf32> -> tensor<?xf32>
  // CHECK: mp.reduce_sum {{.*}} dimensions [0] {mp.combines_rows} :
  %b = mp.reduce_sum %x dimensions [0] : tensor<?x3xf32> -> tensor<3xf32>
  // CHECK: mp.transpose {{.*}} permutation [1, 0] :
  %t = mp.transpose %x permutation [1, 0] : tensor<?x3xf32> -> tensor<3x?xf32>
  // CHECK: mp.softmax {{.*}} {mp.combines_rows} : tensor<3x4xf32>
  %c = mp.softmax %t : tensor<3x?xf32>
  return %a, %b, %c : tensor<?xf32>, tensor<3xf32>, tensor<3x?xf32>
}

// The gradient of a mean over rows, and of what is normalized over all of them, has a row for each row and is not made row by
// row: the op says so, the types do not.
// CHECK-LABEL: func.func @rows_are_combined_and_kept(
func.func @rows_are_combined_and_kept(
    %z: tensor<?x5xf32> {mp.input = "z"}, %y: tensor<?xui8> {mp.input = "y"}, %w: tensor<?xf32> {mp.input = "w"},
    %k: tensor<2x3xf32> {mp.parameter = "k", mp.initializer = #mp.zeros})
    -> (tensor<?x5xf32> {mp.output = "a"}, tensor<?x5xf32> {mp.output = "b"}, tensor<?x2xf32> {mp.output = "c"})
    attributes {mp.program = "model"} {
  %one = mp.constant dense<1.0> : tensor<f32>
  // CHECK: mp.softmax_cross_entropy_grad {{.*}} {mp.combines_rows} :
  %a = mp.softmax_cross_entropy_grad %z, %y, %one weights %w : tensor<?xf32> : tensor<?x5xf32>, tensor<?xui8>, tensor<f32>
  // CHECK: mp.clip_by_global_norm {{.*}} mp.combines_rows
  %b, %n = mp.clip_by_global_norm %a {max_norm = 1.0 : f32} : tensor<?x5xf32>
  // A bias of every row is added row by row; a product over k keeps rows apart.
  // CHECK-NOT: mp.combines_rows
  %s = mp.broadcast %one like %z : tensor<?x5xf32> : tensor<f32> -> tensor<?x5xf32>
  %t = mp.add %s, %b : tensor<?x5xf32>, tensor<?x5xf32> -> tensor<?x5xf32>
  %i = mp.iota dimension 1 like %z : tensor<?x5xf32> -> tensor<?x5xf32>
  %h = mp.constant dense<1.0> : tensor<5x3xf32>
  %p = mp.matmul %t, %h acc f32 : tensor<?x5xf32>, tensor<5x3xf32> -> tensor<?x3xf32>
  %c = mp.matmul %p, %k transpose_rhs acc f32 : tensor<?x3xf32>, tensor<2x3xf32> -> tensor<?x2xf32>
  return %t, %i, %c : tensor<?x5xf32>, tensor<?x5xf32>, tensor<?x2xf32>
}

// A product over rows gives none of them; one per entry of the batch keeps entries apart.
// CHECK-LABEL: func.func @products_over_rows(
func.func @products_over_rows(%x: tensor<?x4x3xf32> {mp.input = "x"}, %y: tensor<?x4xf32> {mp.input = "y"})
    -> (tensor<?x4x4xf32> {mp.output = "a"}, tensor<4x4xf32> {mp.output = "b"}, tensor<4x4xf32> {mp.output = "c"})
    attributes {mp.program = "model"} {
  // CHECK: mp.matmul {{.*}} transpose_rhs acc f32 :
  %a = mp.matmul %x, %x transpose_rhs acc f32 : tensor<?x4x3xf32>, tensor<?x4x3xf32> -> tensor<?x4x4xf32>
  // CHECK: mp.matmul {{.*}} transpose_lhs acc f32 {mp.combines_rows} :
  %b = mp.matmul %y, %y transpose_lhs acc f32 : tensor<?x4xf32>, tensor<?x4xf32> -> tensor<4x4xf32>
  %t = mp.transpose %y permutation [1, 0] : tensor<?x4xf32> -> tensor<4x?xf32>
  // CHECK: mp.matmul {{.*}} transpose_rhs acc f32 {mp.combines_rows} :
  %c = mp.matmul %t, %t transpose_rhs acc f32 : tensor<4x?xf32>, tensor<4x?xf32> -> tensor<4x4xf32>
  return %a, %b, %c : tensor<?x4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// Over no dimension every element is for itself, in a batch of rank 1, too.
// CHECK-LABEL: func.func @a_sum_over_nothing_combines_nothing(
func.func @a_sum_over_nothing_combines_nothing(%x: tensor<?xf32> {mp.input = "x"})
    -> (tensor<?xf32> {mp.output = "a"}) attributes {mp.program = "model"} {
  // CHECK: mp.reduce_sum {{.*}} dimensions [] :
  %a = mp.reduce_sum %x dimensions [] : tensor<?xf32> -> tensor<?xf32>
  return %a : tensor<?xf32>
}

// CHECK-LABEL: func.func @functions_without_a_program_are_left_alone(
// CHECK-SAME: tensor<?xf32>
func.func @functions_without_a_program_are_left_alone(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// Of nothing any number of rows would be as many elements; the batch stays one.
// CHECK-LABEL: @nothing
// CHECK: mp.reshape %{{.*}} : tensor<4x0xf32> -> tensor<4x1x0x1xf32>
func.func @nothing(%x: tensor<?x0xf32> {mp.input = "x"}) -> (tensor<?x1x0x1xf32> {mp.output = "y"}) attributes {mp.program = "model"} {
  %y = mp.reshape %x : tensor<?x0xf32> -> tensor<?x1x0x1xf32>
  return %y : tensor<?x1x0x1xf32>
}

// A result of several rows for each row of the batch is none of each row.
// CHECK-LABEL: func.func @merged
// CHECK-SAME: -> (tensor<8x3xf32> {mp.output = "merged"}, tensor<4x6xf32> {mp.batched, mp.output = "rows"})
func.func @merged(%x: tensor<?x6xf32> {mp.input = "x"}) -> (tensor<?x3xf32> {mp.output = "merged"}, tensor<?x6xf32> {mp.output = "rows"}) attributes {mp.program = "model"} {
  %m = mp.reshape %x : tensor<?x6xf32> -> tensor<?x3xf32>
  return %m, %x : tensor<?x3xf32>, tensor<?x6xf32>
}

// What counts places of a batch depends on the batch; an open size may have several rows of each, in which rows stay apart. A reshape that
// puts parts of several rows at one index mixes them, and so does what meets at other places.
// CHECK-LABEL: func.func @places_of_rows(
func.func @places_of_rows(%x: tensor<?x6xf32> {mp.input = "x"}) -> (tensor<?x6xf32> {mp.output = "a"}, tensor<?x6xf32> {mp.output = "b"},
    tensor<?x12xf32> {mp.output = "c"}, tensor<2x?x6xf32> {mp.output = "d"}, tensor<?x3xf32> {mp.output = "e"}) attributes {mp.program = "model"} {
  // CHECK: mp.iota dimension 0 {{.*}} {mp.combines_rows}
  %i = mp.iota dimension 0 like %x : tensor<?x6xf32> -> tensor<?x6xf32>
  // Through three times as many rows, and with the batch inside, and back.
  // CHECK-NOT: mp.combines_rows
  %m = mp.reshape %x : tensor<?x6xf32> -> tensor<?x3x2xf32>
  %t = mp.transpose %m permutation [1, 0, 2] : tensor<?x3x2xf32> -> tensor<3x?x2xf32>
  %r = mp.reshape %t : tensor<3x?x2xf32> -> tensor<?x2xf32>
  %n = mp.neg %r : tensor<?x2xf32>
  %u = mp.reshape %n : tensor<?x2xf32> -> tensor<3x?x2xf32>
  %v = mp.transpose %u permutation [1, 0, 2] : tensor<3x?x2xf32> -> tensor<?x3x2xf32>
  %b = mp.reshape %v : tensor<?x3x2xf32> -> tensor<?x6xf32>
  // CHECK: mp.reshape {{.*}} {mp.combines_rows} : tensor<4x6xf32> -> tensor<2x12xf32>
  %c = mp.reshape %x : tensor<?x6xf32> -> tensor<?x12xf32>
  // CHECK: mp.reshape {{.*}} {mp.combines_rows} : tensor<4x6xf32> -> tensor<2x2x6xf32>
  %d = mp.reshape %x : tensor<?x6xf32> -> tensor<2x?x6xf32>
  // The second of two rows for each is not the second of all.
  // CHECK: mp.add {{.*}} {mp.combines_rows}
  %h = mp.reshape %x : tensor<?x6xf32> -> tensor<?x2x3xf32>
  %w = mp.transpose %h permutation [1, 0, 2] : tensor<?x2x3xf32> -> tensor<2x?x3xf32>
  %k = mp.reshape %w : tensor<2x?x3xf32> -> tensor<?x3xf32>
  %l = mp.reshape %x : tensor<?x6xf32> -> tensor<?x3xf32>
  %e = mp.add %k, %l : tensor<?x3xf32>, tensor<?x3xf32> -> tensor<?x3xf32>
  return %i, %b, %c, %d, %e : tensor<?x6xf32>, tensor<?x6xf32>, tensor<?x12xf32>, tensor<2x?x6xf32>, tensor<?x3xf32>
}
