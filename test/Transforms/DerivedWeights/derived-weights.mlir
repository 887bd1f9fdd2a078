// RUN: mp-opt %s -mp-derived-weights | FileCheck %s
// RUN: mp-opt %s -mp-derived-weights -mp-derived-weights | FileCheck %s
// RUN: mp-opt %s -mp-derived-weights -remarks-filter=mp-derived-weights -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: derived=2

// The step reads the copy and writes the cast of the guarded new value; what it does not update it only reads.
// CHECK-LABEL: func.func @train_step(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4x2xf32> {mp.initializer = #mp.ones, mp.parameter = "w"}
// CHECK-NOT: mp.parameter = "frozen"
// CHECK-SAME: %[[WH:[a-z0-9]+]]: tensor<4x2xf16> {mp.derived = #mp.derived<of = "w", type = f16, layout = #mp.row_major>}
// CHECK-SAME: %[[FH:[a-z0-9]+]]: tensor<2x2xf16> {mp.derived = #mp.derived<of = "frozen", type = f16, layout = #mp.row_major>}
// CHECK-SAME: tensor<4x2xf32> {mp.next = "w"}
// CHECK-SAME: tensor<4x2xf16> {mp.derived = #mp.derived<of = "w", type = f16, layout = #mp.row_major>})
// CHECK-NOT: mp.cast
// CHECK: %[[Z:.*]] = mp.matmul %{{.*}}, %[[WH]]
// CHECK: mp.matmul %[[Z]], %[[FH]]
// CHECK: mp.transpose %[[WH]]
// CHECK: %[[NEW:.*]] = mp.sgd %[[W]], {{.*}} guard
// CHECK: %[[COPY:.*]] = mp.cast %[[NEW]] {autocast} : tensor<4x2xf32> -> tensor<4x2xf16>
// CHECK: return {{.*}}%[[NEW]], %[[COPY]]
func.func @train_step(%x: tensor<2x4xf16> {mp.input = "x"}, %g: tensor<4x2xf32> {mp.input = "g"}, %bad: tensor<i32> {mp.input = "bad"},
    %w: tensor<4x2xf32> {mp.parameter = "w", mp.initializer = #mp.ones},
    %f: tensor<2x2xf32> {mp.parameter = "frozen", mp.initializer = #mp.ones},
    %lr: tensor<f32> {mp.state = "learning_rate", mp.initializer = #mp.ones})
    -> (tensor<2x2xf16> {mp.output = "z"}, tensor<2x4xf16> {mp.output = "t"}, tensor<4x2xf32> {mp.next = "w"}) attributes {mp.program = "train_step"} {
  %wh = mp.cast %w {autocast} : tensor<4x2xf32> -> tensor<4x2xf16>
  %z = mp.matmul %x, %wh acc f32 : tensor<2x4xf16>, tensor<4x2xf16> -> tensor<2x2xf16>
  %fh = mp.cast %f {autocast} : tensor<2x2xf32> -> tensor<2x2xf16>
  %y = mp.matmul %z, %fh acc f32 : tensor<2x2xf16>, tensor<2x2xf16> -> tensor<2x2xf16>
  %again = mp.cast %w {autocast} : tensor<4x2xf32> -> tensor<4x2xf16>
  %t = mp.transpose %again permutation [1, 0] : tensor<4x2xf16> -> tensor<2x4xf16>
  %w1 = mp.sgd %w, %g, %lr guard %bad : tensor<4x2xf32>
  return %y, %t, %w1 : tensor<2x2xf16>, tensor<2x4xf16>, tensor<4x2xf32>
}

// A program that updates a parameter without reading its copy writes it all the same.
// CHECK-LABEL: func.func @apply(
// CHECK-SAME: tensor<4x2xf16> {mp.derived = {{.*}}) -> (tensor<4x2xf32> {mp.next = "w"}, tensor<4x2xf16> {mp.derived = #mp.derived<of = "w"
// CHECK: mp.cast %{{.*}} {autocast} : tensor<4x2xf32> -> tensor<4x2xf16>
func.func @apply(%g: tensor<4x2xf32> {mp.state = "w/gradient_sum", mp.initializer = #mp.zeros},
    %w: tensor<4x2xf32> {mp.parameter = "w", mp.initializer = #mp.ones},
    %lr: tensor<f32> {mp.state = "learning_rate", mp.initializer = #mp.ones})
    -> (tensor<4x2xf32> {mp.next = "w"}) attributes {mp.program = "apply"} {
  %w1 = mp.sgd %w, %g, %lr : tensor<4x2xf32>
  return %w1 : tensor<4x2xf32>
}

// A cast that the user wrote, one to a type that is not low, and one that reads no parameter stay.
// CHECK-LABEL: func.func @infer(
// CHECK-SAME: mp.parameter = "w"
// CHECK-NOT: mp.derived
// CHECK: mp.cast %{{.*}} : tensor<4x2xf32> -> tensor<4x2xf16>
// CHECK: mp.cast %{{.*}} {autocast} : tensor<4x2xf32> -> tensor<4x2xf64>
// CHECK: mp.cast %{{.*}} {autocast} : tensor<4x2xf32> -> tensor<4x2xf16>
func.func @infer(%w: tensor<4x2xf32> {mp.parameter = "w", mp.initializer = #mp.ones},
    %m: tensor<4x2xf32> {mp.state = "mean", mp.initializer = #mp.ones})
    -> (tensor<4x2xf16> {mp.output = "a"}, tensor<4x2xf64> {mp.output = "b"}, tensor<4x2xf16> {mp.output = "c"}) attributes {mp.program = "infer"} {
  %a = mp.cast %w : tensor<4x2xf32> -> tensor<4x2xf16>
  %b = mp.cast %w {autocast} : tensor<4x2xf32> -> tensor<4x2xf64>
  %c = mp.cast %m {autocast} : tensor<4x2xf32> -> tensor<4x2xf16>
  return %a, %b, %c : tensor<4x2xf16>, tensor<4x2xf64>, tensor<4x2xf16>
}

// Parameters in, all derived state out.
// CHECK-LABEL: func.func @derive(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4x2xf32> {mp.initializer = #mp.ones, mp.parameter = "w"}, %[[F:[a-z0-9]+]]: tensor<2x2xf32> {mp.initializer = #mp.ones, mp.parameter = "frozen"})
// CHECK-SAME: -> (tensor<4x2xf16> {mp.derived = #mp.derived<of = "w", type = f16, layout = #mp.row_major>}, tensor<2x2xf16> {mp.derived = #mp.derived<of = "frozen"
// CHECK-SAME: mp.program = "derive"
// CHECK: %[[A:.*]] = mp.cast %[[W]] {autocast}
// CHECK: %[[B:.*]] = mp.cast %[[F]] {autocast}
// CHECK: return %[[A]], %[[B]]
