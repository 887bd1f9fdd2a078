// RUN: mp-opt %s -mp-autocast | FileCheck %s
// RUN: mp-opt %s -mp-autocast=policy=mixed_bfloat16 | FileCheck %s --check-prefix=BF16
// RUN: mp-opt %s -mp-autocast="policy=pytorch type=bf16" | FileCheck %s --check-prefix=BF16

// Arguments and results keep their types, the accumulator stays f32, the bias is narrow too.
// CHECK-LABEL: func.func @dense_layer(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x8xf32>, %[[W:[a-z0-9]+]]: tensor<8x2xf32>, %[[B:[a-z0-9]+]]: tensor<2xf32>) -> tensor<4x2xf32>
// CHECK-DAG: %[[XH:.*]] = mp.cast %[[X]] {autocast} : tensor<4x8xf32> -> tensor<4x8xf16>
// CHECK-DAG: %[[WH:.*]] = mp.cast %[[W]] {autocast} : tensor<8x2xf32> -> tensor<8x2xf16>
// CHECK-DAG: %[[BH:.*]] = mp.cast %[[B]] {autocast} : tensor<2xf32> -> tensor<2xf16>
// CHECK: %[[Z:.*]] = mp.matmul %[[XH]], %[[WH]] bias %[[BH]] : tensor<2xf16> acc f32 : tensor<4x8xf16>, tensor<8x2xf16> -> tensor<4x2xf16>
// CHECK: %[[H:.*]] = mp.relu %[[Z]] : tensor<4x2xf16>
// CHECK: %[[R:.*]] = mp.cast %[[H]] {autocast} : tensor<4x2xf16> -> tensor<4x2xf32>
// CHECK: return %[[R]] : tensor<4x2xf32>
// BF16-LABEL: func.func @dense_layer(
// BF16: mp.matmul {{.*}} acc f32 : tensor<4x8xbf16>, tensor<8x2xbf16> -> tensor<4x2xbf16>
func.func @dense_layer(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %b: tensor<2xf32>) -> tensor<4x2xf32> {
  %0 = mp.matmul %x, %w bias %b : tensor<2xf32> acc f32 : tensor<4x8xf32>, tensor<8x2xf32> -> tensor<4x2xf32>
  %1 = mp.relu %0 : tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// CHECK-LABEL: func.func @one_cast_serves_all_users(
// CHECK-COUNT-1: mp.cast
// CHECK-NOT: mp.cast
// CHECK: mp.matmul %[[XH:.*]], %[[XH]] transpose_rhs acc f32
// CHECK: mp.matmul %[[XH]], %[[XH]] transpose_rhs acc f32
// CHECK: mp.add {{.*}} -> tensor<4x4xf16>
// CHECK-COUNT-1: mp.cast {{.*}} -> tensor<4x4xf32>
// CHECK-NOT: mp.cast
// CHECK: return
func.func @one_cast_serves_all_users(%x: tensor<4x8xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = mp.matmul %x, %x transpose_rhs acc f32 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x4xf32>
  %1 = mp.matmul %x, %x transpose_rhs acc f32 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x4xf32>
  %2 = mp.add %0, %1 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %3 = mp.exp %2 : tensor<4x4xf32>
  return %2, %3 : tensor<4x4xf32>, tensor<4x4xf32>
}

// A deny op reads and gives f32; an allow op narrows that again.
// CHECK-LABEL: func.func @deny_between_products(
// CHECK: mp.softmax {{.*}} : tensor<4x4xf32>
// CHECK: mp.cast {{.*}} {autocast} : tensor<4x4xf32> -> tensor<4x4xf16>
// CHECK: mp.matmul {{.*}} -> tensor<4x4xf16>
func.func @deny_between_products(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = mp.matmul %x, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = mp.softmax %0 : tensor<4x4xf32>
  %2 = mp.matmul %1, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @infer_takes_the_widest_type(
// CHECK: %[[WIDE:.*]] = mp.cast {{.*}} {autocast} : tensor<4x4xf16> -> tensor<4x4xf32>
// CHECK: mp.add %[[WIDE]], %{{.*}} : tensor<4x4xf32>
func.func @infer_takes_the_widest_type(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = mp.matmul %x, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = mp.add %0, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// The loss is f32 by itself; an op without float results still gets narrow operands.
// CHECK-LABEL: func.func @operands_and_results_that_do_not_follow(
// CHECK: mp.argmax {{.*}} : tensor<4x4xf16> -> tensor<4xi32>
// CHECK: %[[F:.*]] = mp.cast {{.*}} {autocast} : tensor<4x4xf16> -> tensor<4x4xf32>
// CHECK: mp.softmax_cross_entropy %[[F]], {{.*}} weights %{{.*}} : tensor<4xf32> : tensor<4x4xf32>, tensor<4xi32> -> tensor<f32>
func.func @operands_and_results_that_do_not_follow(%x: tensor<4x4xf32>, %y: tensor<4xi32>, %w: tensor<4xf32>)
    -> (tensor<f32>, tensor<4xi32>) {
  %0 = mp.matmul %x, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = mp.argmax %0 dimension 1 : tensor<4x4xf32> -> tensor<4xi32>
  %2 = mp.softmax_cross_entropy %0, %y weights %w : tensor<4xf32> : tensor<4x4xf32>, tensor<4xi32> -> tensor<f32>
  return %2, %1 : tensor<f32>, tensor<4xi32>
}

// An operand of which only the shape is read is not cast.
// CHECK-LABEL: func.func @like_is_not_cast(
// CHECK: %[[Z:.*]] = mp.matmul
// CHECK-NEXT: mp.broadcast %{{.*}} like %[[Z]] : tensor<4x4xf16> : tensor<4xf32> -> tensor<4x4xf32>
func.func @like_is_not_cast(%x: tensor<4x4xf32>, %b: tensor<4xf32>) -> tensor<4x4xf32> {
  %0 = mp.matmul %x, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = mp.broadcast %b like %0 : tensor<4x4xf32> : tensor<4xf32> -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @f64_is_not_narrowed(
// CHECK-NEXT: mp.matmul {{.*}} acc f64 : tensor<4x4xf64>, tensor<4x4xf64> -> tensor<4x4xf64>
// CHECK-NEXT: mp.exp {{.*}} : tensor<4x4xf64>
// CHECK-NEXT: return
func.func @f64_is_not_narrowed(%x: tensor<4x4xf64>) -> tensor<4x4xf64> {
  %0 = mp.matmul %x, %x acc f64 : tensor<4x4xf64>, tensor<4x4xf64> -> tensor<4x4xf64>
  %1 = mp.exp %0 : tensor<4x4xf64>
  return %1 : tensor<4x4xf64>
}

// f32 -> bf16 -> f32 rounds; both casts stay, and the first reads f32.
// CHECK-LABEL: func.func @casts_of_the_user_stay(
// CHECK: %[[F:.*]] = mp.cast %{{.*}} {autocast} : tensor<4x4xf16> -> tensor<4x4xf32>
// CHECK: %[[N:.*]] = mp.cast %[[F]] : tensor<4x4xf32> -> tensor<4x4xbf16>
// CHECK: %[[W:.*]] = mp.cast %[[N]] : tensor<4x4xbf16> -> tensor<4x4xf32>
// CHECK: return %[[W]]
func.func @casts_of_the_user_stay(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = mp.matmul %x, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = mp.cast %0 : tensor<4x4xf32> -> tensor<4x4xbf16>
  %2 = mp.cast %1 : tensor<4x4xbf16> -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// A product whose author stated its result in the accumulator's type keeps its types.
// CHECK-LABEL: func.func @stated_types_stay(
// CHECK: mp.matmul %[[X:.*]], %[[X]] acc f32 : tensor<4x4xf16>, tensor<4x4xf16> -> tensor<4x4xf32>
// CHECK: mp.matmul %[[X]], %[[X]] acc f16 : tensor<4x4xf16>, tensor<4x4xf16> -> tensor<4x4xf16>
// CHECK: return
func.func @stated_types_stay(%x: tensor<4x4xf16>) -> (tensor<4x4xf32>, tensor<4x4xf16>) {
  %0 = mp.matmul %x, %x acc f32 : tensor<4x4xf16>, tensor<4x4xf16> -> tensor<4x4xf32>
  %1 = mp.matmul %x, %x acc f16 : tensor<4x4xf16>, tensor<4x4xf16> -> tensor<4x4xf16>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf16>
}

// Only models are rewritten: a training step is typed as it is.
// CHECK-LABEL: func.func @other_programs_are_left_alone(
// CHECK-NOT: autocast}
// CHECK: mp.matmul {{.*}} -> tensor<4x4xf32>
func.func @other_programs_are_left_alone(%x: tensor<4x4xf32> {mp.input = "x"}) -> (tensor<4x4xf32> {mp.output = "y"})
    attributes {mp.program = "infer", mp.batch = 4 : i64} {
  %0 = mp.matmul %x, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
