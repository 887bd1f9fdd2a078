// An op that says which operand it follows has its type, whatever the others have; ops of one group have the widest type of
// what comes to the group, as functions do that PyTorch's autocast promotes.
// RUN: mp-opt %s -mp-autocast -o %t.once
// RUN: FileCheck %s --check-prefixes=CHECK,LOW < %t.once
// RUN: mp-opt %t.once -mp-autocast | diff %t.once -
// RUN: mp-opt %s -mp-autocast=policy=pytorch -o %t.pytorch
// RUN: FileCheck %s --check-prefixes=CHECK,LOW < %t.pytorch
// RUN: mp-opt %t.pytorch -mp-autocast=policy=pytorch | diff %t.pytorch -
// RUN: mp-opt %s -mp-autocast=policy=mxnet | FileCheck %s --check-prefixes=CHECK,LOW
// RUN: mp-opt %s -mp-autocast=policy=float32 | FileCheck %s --check-prefix=OFF
// OFF-NOT: f16
// RUN: mp-opt %s -mp-autocast="deny=mp.matmul" | FileCheck %s --check-prefix=DENY
// RUN: mp-opt %s -mp-autocast="allow=mp.mul" | FileCheck %s --check-prefix=ALLOW
// RUN: mp-opt %s -mp-autocast -remarks-filter=mp-autocast -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: Narrowed {{.*}}f16: infer, follows mp.matmul; mp.matmul: allow
// REMARK: Narrowed {{.*}}f16: promote (mp.promote_group), follows mp.matmul; mp.matmul: allow

// CHECK-LABEL: @follows(
// LOW: mp.add {{.*}} {mp.follows = 1 : i64} : tensor<4x4xf16>, tensor<4x4xf16> -> tensor<4x4xf16>
// DENY-LABEL: @follows(
// DENY: mp.add {{.*}} {mp.follows = 1 : i64} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
func.func @follows(%x: tensor<4x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = mp.matmul %x, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = mp.add %c, %0 {mp.follows = 1 : i64} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// f64 is never narrowed.
// CHECK-LABEL: @follows_what_autocast_leaves(
// CHECK: mp.add {{.*}} : tensor<4xf64>, tensor<4xf64> -> tensor<4xf64>
func.func @follows_what_autocast_leaves(%x: tensor<4xf64>) -> tensor<4xf64> {
  %0 = mp.add %x, %x {mp.follows = 0 : i64} : tensor<4xf64>, tensor<4xf64> -> tensor<4xf64>
  return %0 : tensor<4xf64>
}

// One operand that is f32 makes all of the group f32, also ops that it does not come to; and a product that nothing lowered
// stays so.
// CHECK-LABEL: @wide(
// CHECK: mp.mul {{.*}} {mp.promote_group = 1 : i64} : tensor<4x4xf32>
// CHECK: mp.add {{.*}} {mp.promote_group = 1 : i64} : tensor<4x4xf32>
// CHECK: mp.matmul {{.*}} {mp.promote_group = 2 : i64} : tensor<4x4xf32>
// ALLOW-LABEL: @wide(
// ALLOW: mp.mul {{.*}} {mp.promote_group = 1 : i64} : tensor<4x4xf16>
// ALLOW: mp.add {{.*}} {mp.promote_group = 1 : i64} : tensor<4x4xf32>
func.func @wide(%x: tensor<4x4xf32>, %c: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = mp.matmul %x, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = mp.mul %0, %0 {mp.promote_group = 1 : i64} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %2 = mp.add %1, %c {mp.promote_group = 1 : i64} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %3 = mp.matmul %x, %c acc f32 {mp.promote_group = 2 : i64} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %2, %3 : tensor<4x4xf32>, tensor<4x4xf32>
}

// CHECK-LABEL: @narrow(
// LOW: mp.mul {{.*}} {mp.promote_group = 1 : i64} : tensor<4x4xf16>
// LOW: mp.matmul {{.*}} {mp.promote_group = 1 : i64} : tensor<4x4xf16>
func.func @narrow(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %half = mp.constant dense<0.5> : tensor<f32>
  %0 = mp.matmul %x, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = mp.mul %0, %half {mp.promote_group = 1 : i64} : tensor<4x4xf32>, tensor<f32> -> tensor<4x4xf32>
  %2 = mp.matmul %0, %1 acc f32 {mp.promote_group = 1 : i64} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// Values of rank 0 count here under every policy.
// CHECK-LABEL: @scalar(
// CHECK: mp.mul {{.*}} {mp.promote_group = 1 : i64} : tensor<4x4xf32>, tensor<f32> -> tensor<4x4xf32>
func.func @scalar(%x: tensor<4x4xf32>, %s: tensor<f32>) -> tensor<4x4xf32> {
  %0 = mp.matmul %x, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = mp.mul %0, %s {mp.promote_group = 1 : i64} : tensor<4x4xf32>, tensor<f32> -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// What is in f32 wherever autocast is on is so in a group, and what is off stays as written.
// CHECK-LABEL: @denied(
// LOW: mp.mul {{.*}} : tensor<4x4xf16>, tensor<4x4xf16> -> tensor<4x4xf16>
// CHECK: mp.exp {{.*}} : tensor<4x4xf32>
// CHECK: mp.neg {{.*}} : tensor<4x4xf32>
// LOW: mp.add {{.*}} : tensor<4x4xf16>, tensor<4x4xf16> -> tensor<4x4xf16>
func.func @denied(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = mp.matmul %x, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = mp.mul %0, %0 {mp.promote_group = 1 : i64} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %2 = mp.exp %1 {mp.promote_group = 1 : i64} : tensor<4x4xf32>
  %3 = mp.autocast enabled = false -> (tensor<4x4xf32>) {
    %5 = mp.neg %1 {mp.promote_group = 1 : i64} : tensor<4x4xf32>
    mp.yield %5 : tensor<4x4xf32>
  }
  %4 = mp.add %2, %3 {mp.promote_group = 1 : i64} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %4 : tensor<4x4xf32>
}
