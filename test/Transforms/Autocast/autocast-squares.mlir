// RUN: mp-opt %s -split-input-file -mp-autocast -o - | FileCheck %s
// RUN: mp-opt %s -split-input-file -mp-autocast=plan-out=- -o /dev/null | FileCheck %s --check-prefix=PLAN
// RUN: mp-opt %s -split-input-file -mp-autocast=policy=mixed_bfloat16 | FileCheck %s --check-prefix=BF16
// RUN: mp-opt %s -split-input-file -mp-autocast=policy=pytorch | FileCheck %s --check-prefix=LISTS
// RUN: mp-opt %s -split-input-file -mp-autocast=policy=apex_o1 | FileCheck %s --check-prefix=LISTS
// RUN: mp-opt %s -split-input-file -mp-autocast=policy=tensorflow | FileCheck %s --check-prefix=LISTS
// RUN: mp-opt %s -split-input-file -mp-autocast="infer=mp.mul" | FileCheck %s --check-prefix=ASKED
// RUN: mp-opt %s -split-input-file -mp-autocast="deny=mp.pow" | FileCheck %s --check-prefix=DENIED

// A norm by hand: the square is f32, and with it what is made of it. There is one cast of %h, where else its square would be cast.
// CHECK-LABEL: func.func @norm(
// CHECK: %[[H:.*]] = mp.matmul
// CHECK: %[[WIDE:.*]] = mp.cast %[[H]] {autocast} : tensor<4x8xf16> -> tensor<4x8xf32>
// CHECK-NOT: mp.cast
// CHECK: mp.mul %[[WIDE]], %[[WIDE]] : tensor<4x8xf32>
// CHECK-NOT: mp.cast
// CHECK: return
// PLAN-LABEL: # @norm
// PLAN: 1 mp.mul f32: deny (a square on its way to mp.reduce_mean)
// BF16-LABEL: func.func @norm(
// BF16: mp.mul %{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4x8xf32>
// Lists have a rule of their own: a product is low.
// LISTS-LABEL: func.func @norm(
// LISTS: mp.mul %[[H:.*]], %[[H]] : tensor<4x8xf16>, tensor<4x8xf16>
// ASKED-LABEL: func.func @norm(
// ASKED: mp.mul %[[H:.*]], %[[H]] : tensor<4x8xf16>, tensor<4x8xf16>
func.func @norm(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %h = mp.matmul %x, %w acc f32 : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %s = mp.mul %h, %h : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %m = mp.reduce_mean %s dimensions [1] keep_dims : tensor<4x8xf32> -> tensor<4x1xf32>
  %r = mp.rsqrt %m : tensor<4x1xf32>
  %y = mp.mul %h, %r : tensor<4x8xf32>, tensor<4x1xf32> -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// Through ops of infer and clear, and powers of powers; not through a product, and not where nothing is summed.
// CHECK-LABEL: func.func @ways(
// CHECK: mp.mul %{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4x8xf32>
// CHECK: mp.mul %{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4x8xf32>
// CHECK: mp.mul %[[H:.*]], %[[H]] {mp.listed_as = "mp.pow"} : tensor<4x8xf16>, tensor<4x8xf16>
// PLAN-LABEL: # @ways
// PLAN: 1 mp.mul f32: deny (a square on its way to mp.reduce_sum)
// PLAN: 2 mp.mul f32: deny (a square on its way to mp.reduce_sum)
// PLAN: 3 mp.mul f16: infer, follows mp.matmul
func.func @ways(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> (tensor<f32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %h = mp.matmul %x, %w acc f32 : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %s = mp.mul %h, %h : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %t = mp.mul %s, %s : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %other = mp.mul %h, %h {mp.listed_as = "mp.pow"} : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %a = mp.add %t, %h : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %b = mp.reshape %a : tensor<4x8xf32> -> tensor<32xf32>
  %c = mp.relu %b : tensor<32xf32>
  %sum = mp.reduce_sum %c dimensions [0] : tensor<32xf32> -> tensor<f32>
  %p = mp.matmul %other, %w acc f32 : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %total = mp.relu %p : tensor<4x8xf32>
  return %sum, %p, %total : tensor<f32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// What is written as products and roots has the category of the power that it stands for, where a list speaks of that.
// CHECK-LABEL: func.func @powers(
// CHECK: mp.mul %[[H:.*]], %[[H]] {mp.listed_as = "mp.pow"} : tensor<4x8xf16>
// CHECK: mp.sqrt %[[H]] {mp.listed_as = "mp.pow"} : tensor<4x8xf16>
// LISTS-LABEL: func.func @powers(
// LISTS: mp.mul %[[H:.*]], %[[H]] {mp.listed_as = "mp.pow"} : tensor<4x8xf32>
// LISTS: mp.sqrt %[[H]] {mp.listed_as = "mp.pow"} : tensor<4x8xf32>
// LISTS: mp.sqrt %{{.*}} : tensor<4x8xf16>
// DENIED-LABEL: func.func @powers(
// DENIED: mp.mul %[[H:.*]], %[[H]] {mp.listed_as = "mp.pow"} : tensor<4x8xf32>
// DENIED: mp.sqrt %{{.*}} : tensor<4x8xf16>
func.func @powers(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %h = mp.matmul %x, %w acc f32 : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %s = mp.mul %h, %h {mp.listed_as = "mp.pow"} : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %r = mp.sqrt %h {mp.listed_as = "mp.pow"} : tensor<4x8xf32>
  %q = mp.sqrt %h : tensor<4x8xf32>
  return %s, %r, %q : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Averages of windows and running sums are sums, too.
// CHECK-LABEL: func.func @windows(
// CHECK: mp.mul %{{.*}}, %{{.*}} : tensor<1x4x4x2xf32>, tensor<1x4x4x2xf32>
// CHECK: mp.avg_pool %{{.*}} : tensor<1x4x4x2xf32>
// CHECK: mp.mul %{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4x8xf32>
// CHECK: mp.cumsum
// PLAN-LABEL: # @windows
// PLAN: mp.mul f32: deny (a square on its way to mp.avg_pool)
// PLAN: mp.mul f32: deny (a square on its way to mp.cumsum)
func.func @windows(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> (tensor<1x2x2x2xf32>, tensor<4x8xf32>) {
  %h = mp.matmul %x, %w acc f32 : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %image = mp.reshape %h : tensor<4x8xf32> -> tensor<1x4x4x2xf32>
  %s = mp.mul %image, %image : tensor<1x4x4x2xf32>, tensor<1x4x4x2xf32> -> tensor<1x4x4x2xf32>
  %a = mp.avg_pool %s {window = [2, 2], strides = [2, 2]} : tensor<1x4x4x2xf32> -> tensor<1x2x2x2xf32>
  %t = mp.mul %h, %h : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %c = mp.cumsum %t dimension 1 : tensor<4x8xf32>
  return %a, %c : tensor<1x2x2x2xf32>, tensor<4x8xf32>
}
