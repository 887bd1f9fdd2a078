// A plan is written, and replayed as it is and edited.
// RUN: mp-opt %s -mp-autocast=plan-out=%t.plan -o %t.once
// RUN: mp-opt %s -mp-autocast="policy=float32 plan-in=%t.plan" | diff %t.once -
// RUN: sed -e "s/1 mp.relu f16/1 mp.relu f32/" -e "s/^0 mp.matmul f16/0 mp.matmul bf16/" %t.plan > %t.edited
// RUN: mp-opt %s -mp-autocast=plan-in=%t.edited | FileCheck %s

// RUN: not mp-opt %s -mp-autocast=plan-in=%t.no-such-file 2>&1 | FileCheck %s --check-prefix=NOFILE
// NOFILE: error: mp-autocast: plan-in={{.*}}.no-such-file: cannot open input file
// RUN: echo "# @f" > %t.short
// RUN: not mp-opt %s -mp-autocast=plan-in=%t.short 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: error: mp-autocast: plan-in={{.*}}.short: has 0 of the 2 ops of @f

// CHECK: mp.matmul {{.*}} -> tensor<4x4xbf16>
// CHECK: mp.relu {{.*}} : tensor<4x4xf32>
func.func @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = mp.matmul %x, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = mp.relu %0 : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
