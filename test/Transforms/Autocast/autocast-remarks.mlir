// RUN: mp-opt %s -mp-autocast=deny=sqrt -remarks-filter=mp-autocast -verify-diagnostics -o /dev/null
// RUN: mp-opt %s -mp-autocast="deny=sqrt plan-out=%t.plan" -o /dev/null
// RUN: FileCheck %s < %t.plan

// CHECK: # @reasons
// CHECK-NEXT: 0 mp.constant as written: fixed
// CHECK-NEXT: 1 mp.matmul f16: allow
// CHECK-NEXT: 2 mp.relu f16: clear, follows mp.matmul; mp.matmul: allow

// expected-remark@+1 {{bf16=0, casts=3, f16=2, f32=6, f64=0}}
func.func @reasons(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %c = mp.constant dense<-1.0e+09> : tensor<f32>
  // expected-remark@+1 {{Narrowed | Category:mp-autocast | Remark="f16: allow"}}
  %0 = mp.matmul %x, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  // expected-remark@+1 {{Narrowed | Category:mp-autocast | Remark="f16: clear, follows mp.matmul; mp.matmul: allow"}}
  %1 = mp.relu %0 : tensor<4x4xf32>
  // expected-remark@+1 {{Kept | Category:mp-autocast | Remark="f32: deny (deny=sqrt)"}}
  %2 = mp.sqrt %1 : tensor<4x4xf32>
  // expected-remark@+1 {{Kept | Category:mp-autocast | Remark="f32: infer, follows argument #0"}}
  %3 = mp.mul %1, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  // expected-remark@+1 {{f32: infer, but constant -1e+09 becomes infinite in f16}}
  %4 = mp.add %0, %c : tensor<4x4xf32>, tensor<f32> -> tensor<4x4xf32>
  // expected-remark@+1 {{Kept | Category:mp-autocast | Remark="f32: asked for by mp.precision"}}
  %5 = mp.relu %4 {mp.precision = f32} : tensor<4x4xf32>
  %6 = mp.autocast enabled = false -> (tensor<4x4xf32>) {
    // expected-remark@+1 {{as written: autocast is off here}}
    %7 = mp.add %2, %3 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    mp.yield %7 : tensor<4x4xf32>
  }
  // expected-remark@+1 {{f32: infer, follows mp.relu; mp.relu: asked for by mp.precision}}
  %8 = mp.add %5, %6 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %8 : tensor<4x4xf32>
}

// expected-remark@+1 {{bf16=0, casts=2, f16=0, f32=1, f64=0}}
func.func @widened(%x: tensor<4xf16>) -> tensor<4xf16> {
  // expected-remark@+1 {{[Passed] Widened | Category:mp-autocast | Remark="f32: deny"}}
  %0 = mp.exp %x : tensor<4xf16>
  return %0 : tensor<4xf16>
}
