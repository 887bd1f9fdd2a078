// RUN: mp-opt %s -mp-form-kernels -mp-plan-buffers -mp-verify-kernels=planned | FileCheck %s
// RUN: mp-opt %s -mp-form-kernels -mp-plan-buffers -remarks-filter=mp-plan-buffers -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Each value begins where the one before the last ended.
// CHECK-LABEL: @bytes_are_used_again
// REMARK: arena_bytes=2048, peak_bytes=2048, state_bytes=0
func.func @bytes_are_used_again(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // CHECK: buffers([#mp.arena<0>])
  %a = mp.matmul %x, %x acc f32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  // CHECK: buffers([#mp.arena<1024>])
  %b = mp.matmul %a, %a acc f32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  // CHECK: buffers([#mp.arena<0>])
  %c = mp.matmul %b, %b acc f32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  // CHECK: buffers([#mp.result<0>])
  %d = mp.matmul %c, %c acc f32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  return %d : tensor<16x16xf32>
}

// CHECK-LABEL: @update_is_in_place
// REMARK: arena_bytes=0, peak_bytes=128, state_bytes=128
func.func @update_is_in_place(%g: tensor<16xf32> {mp.input = "g"}, %lr: tensor<f32> {mp.state = "learning_rate", mp.initializer = #mp.zeros},
    %w: tensor<16xf32> {mp.parameter = "w", mp.initializer = #mp.zeros},
    %v: tensor<15xf32> {mp.state = "v", mp.initializer = #mp.zeros}) -> (tensor<16xf32> {mp.next = "w"}) attributes {mp.program = "apply"} {
  // CHECK: buffers([#mp.state<"w">])
  // CHECK-NOT: mp.copy
  %n = mp.sgd %w, %g, %lr : tensor<16xf32>
  return %n : tensor<16xf32>
}

// The transposed old value is read at another index than is written.
// CHECK-LABEL: @update_that_moves_is_copied
func.func @update_that_moves_is_copied(%w: tensor<4x4xf32> {mp.parameter = "w", mp.initializer = #mp.zeros})
    -> (tensor<4x4xf32> {mp.next = "w"}) attributes {mp.program = "apply"} {
  // CHECK: %[[NEW:.*]] = mp.kernel {{.*}} buffers([#mp.arena<0>])
  // CHECK: mp.copy %[[NEW]] buffer(#mp.state<"w">)
  %t = mp.transpose %w permutation [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  %n = mp.add %t, %w : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %n : tensor<4x4xf32>
}

// A product reads all of its operand for each element.
// CHECK-LABEL: @product_is_not_in_place
func.func @product_is_not_in_place(%w: tensor<4x4xf32> {mp.parameter = "w", mp.initializer = #mp.zeros})
    -> (tensor<4x4xf32> {mp.next = "w"}) attributes {mp.program = "apply"} {
  // CHECK: %[[NEW:.*]] = mp.kernel {{.*}} buffers([#mp.arena<0>])
  // CHECK: mp.copy %[[NEW]] buffer(#mp.state<"w">)
  %n = mp.matmul %w, %w acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %n : tensor<4x4xf32>
}

// The new value of `a` is known before the old one was read for `b`, and must wait.
// CHECK-LABEL: @old_value_is_still_read
func.func @old_value_is_still_read(%a: tensor<4x4xf32> {mp.parameter = "a", mp.initializer = #mp.zeros},
    %b: tensor<4x4xf32> {mp.parameter = "b", mp.initializer = #mp.zeros}) -> (tensor<4x4xf32> {mp.next = "a"}, tensor<4x4xf32> {mp.next = "b"})
    attributes {mp.program = "apply"} {
  // CHECK: %[[A:.*]] = mp.kernel "matmul_0" {{.*}} buffers([#mp.arena<0>])
  %na = mp.matmul %b, %b acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  // CHECK: mp.kernel "matmul_1" {{.*}} buffers([#mp.state<"b">])
  %nb = mp.matmul %na, %a acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  // CHECK: mp.copy %[[A]] buffer(#mp.state<"a">)
  return %na, %nb : tensor<4x4xf32>, tensor<4x4xf32>
}

// The old scale is returned for the log before the new one is copied over it.
// CHECK-LABEL: @old_state_is_a_result
func.func @old_state_is_a_result(%s: tensor<f32> {mp.state = "s", mp.initializer = #mp.ones})
    -> (tensor<f32> {mp.next = "s"}, tensor<f32> {mp.log = "s"}) attributes {mp.program = "apply"} {
  // CHECK: %[[NEW:.*]] = mp.kernel {{.*}} buffers([#mp.arena<0>])
  %n = mp.add %s, %s : tensor<f32>, tensor<f32> -> tensor<f32>
  // CHECK: mp.copy %arg0 buffer(#mp.result<1>)
  // CHECK: mp.copy %[[NEW]] buffer(#mp.state<"s">)
  return %n, %s : tensor<f32>, tensor<f32>
}

// CHECK-LABEL: @states_swap_buffers
func.func @states_swap_buffers(%a: tensor<4xf32> {mp.state = "a", mp.initializer = #mp.ones},
    %b: tensor<4xf32> {mp.state = "b", mp.initializer = #mp.ones}, %c: tensor<4xf32> {mp.state = "c", mp.initializer = #mp.ones})
    -> (tensor<4xf32> {mp.next = "a"}, tensor<4xf32> {mp.next = "b"}, tensor<4xf32> {mp.next = "c"}) attributes {mp.program = "apply"} {
  // CHECK: %[[B:.*]] = mp.copy %arg1 buffer(#mp.arena<0>)
  // CHECK: %[[A:.*]] = mp.copy %arg0 buffer(#mp.arena<64>)
  // CHECK: mp.copy %[[B]] buffer(#mp.state<"a">)
  // CHECK: mp.copy %[[A]] buffer(#mp.state<"b">)
  // CHECK: return %{{.*}}, %{{.*}}, %arg2
  return %b, %a, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @one_value_twice_and_a_constant
func.func @one_value_twice_and_a_constant(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<2x2xf32>, tensor<4xf32>, tensor<2xi32>) {
  // CHECK: %[[Y:.*]] = mp.kernel {{.*}} buffers([#mp.result<0>])
  %y = mp.exp %x : tensor<4xf32>
  // CHECK: %[[Z:.*]] = mp.reshape %[[Y]]
  %z = mp.reshape %y : tensor<4xf32> -> tensor<2x2xf32>
  %c = mp.constant dense<[1, 2]> : tensor<2xi32>
  // CHECK: %[[C:.*]] = mp.constant dense<[1, 2]>
  // CHECK: mp.copy %arg0 buffer(#mp.result<2>)
  // CHECK: mp.copy %[[Z]] buffer(#mp.result<1>)
  // CHECK: mp.copy %[[C]] buffer(#mp.result<3>)
  return %y, %z, %x, %c : tensor<4xf32>, tensor<2x2xf32>, tensor<4xf32>, tensor<2xi32>
}

// All that an optimizer writes lies over what it replaces or is the copy of it: a skipped step need not run the kernel.
// CHECK-LABEL: @skipped_step_leaves_all_in_place
func.func @skipped_step_leaves_all_in_place(%g: tensor<16xf32> {mp.input = "g"}, %lr: tensor<f32> {mp.state = "learning_rate", mp.initializer = #mp.zeros},
    %bad: tensor<i32> {mp.input = "bad"}, %w: tensor<16xf32> {mp.parameter = "w", mp.initializer = #mp.zeros},
    %v: tensor<16xf32> {mp.state = "v", mp.initializer = #mp.zeros})
    -> (tensor<16xf32> {mp.next = "w"}, tensor<16xf32> {mp.next = "v"}, tensor<16xf16> {mp.derived = #mp.derived<of = "w", type = f16, layout = #mp.row_major>})
    attributes {mp.program = "apply"} {
  // CHECK: mp.kernel "sgd_0" ({{.*}}%[[BAD:[a-z0-9]+]] = %arg2{{.*}}) buffers([#mp.state<"w">, #mp.state<"v">, #mp.state<"w/f16">]) guard(%[[BAD]])
  %n:2 = mp.sgd %w, %g, %lr velocity %v guard %bad {momentum = 0.5 : f32} : tensor<16xf32>
  %h = mp.cast %n#0 {autocast} : tensor<16xf32> -> tensor<16xf16>
  return %n#0, %n#1, %h : tensor<16xf32>, tensor<16xf32>, tensor<16xf16>
}

// A result that lies elsewhere would keep what another step left there.
// CHECK-LABEL: @new_value_that_is_an_output
func.func @new_value_that_is_an_output(%g: tensor<16xf32> {mp.input = "g"}, %lr: tensor<f32> {mp.state = "learning_rate", mp.initializer = #mp.zeros},
    %bad: tensor<i32> {mp.input = "bad"}, %w: tensor<16xf32> {mp.parameter = "w", mp.initializer = #mp.zeros})
    -> (tensor<16xf32> {mp.next = "w"}, tensor<16xf16> {mp.output = "h"}) attributes {mp.program = "train_step"} {
  // CHECK: mp.kernel "sgd
  // CHECK-NOT: guard(
  // CHECK: return
  %n = mp.sgd %w, %g, %lr guard %bad : tensor<16xf32>
  %h = mp.cast %n {autocast} : tensor<16xf32> -> tensor<16xf16>
  return %n, %h : tensor<16xf32>, tensor<16xf16>
}

// The copy of another parameter, or of a gradient, changes although the step is skipped.
// CHECK-LABEL: @what_no_guard_keeps
func.func @what_no_guard_keeps(%g: tensor<16xf32> {mp.input = "g"}, %lr: tensor<f32> {mp.state = "learning_rate", mp.initializer = #mp.zeros},
    %bad: tensor<i32> {mp.input = "bad"}, %w: tensor<16xf32> {mp.parameter = "w", mp.initializer = #mp.zeros},
    %s: tensor<16xf32> {mp.state = "sum", mp.initializer = #mp.zeros})
    -> (tensor<16xf32> {mp.next = "w"}, tensor<16xf32> {mp.next = "sum"}) attributes {mp.program = "train_step"} {
  // CHECK: mp.kernel
  // CHECK-NOT: guard(
  // CHECK: return
  %n = mp.sgd %w, %g, %lr guard %bad : tensor<16xf32>
  %t = mp.add %s, %n : tensor<16xf32>, tensor<16xf32> -> tensor<16xf32>
  return %n, %t : tensor<16xf32>, tensor<16xf32>
}

// A skipped step gives one parameter the old value of another, which the kernel must write.
// CHECK-LABEL: @old_value_of_another
func.func @old_value_of_another(%g: tensor<16xf32> {mp.input = "g"}, %lr: tensor<f32> {mp.state = "learning_rate", mp.initializer = #mp.zeros},
    %bad: tensor<i32> {mp.input = "bad"}, %w: tensor<16xf32> {mp.parameter = "w", mp.initializer = #mp.zeros},
    %s: tensor<16xf32> {mp.state = "average", mp.initializer = #mp.zeros})
    -> (tensor<16xf32> {mp.next = "average"}) attributes {mp.program = "train_step"} {
  // CHECK: mp.kernel "sgd{{.*}} buffers([#mp.state<"average">])
  // CHECK-NOT: guard(
  // CHECK: return
  %n = mp.sgd %w, %g, %lr guard %bad : tensor<16xf32>
  return %n : tensor<16xf32>
}
