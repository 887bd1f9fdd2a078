// Nothing is cast where nothing is allowed: the text of the program is the same.
// RUN: mp-opt %s -o %t.input
// RUN: mp-opt %s -mp-autocast=policy=float32 | diff %t.input -
// RUN: mp-opt %s -mp-autocast=deny=matmul,add,mul,relu,softmax,exp,argmax,compare,select,reshape,transpose,dropout | diff %t.input -
// RUN: mp-opt %s -mp-autocast=not-allow=mp.matmul | diff %t.input -

// A second run changes nothing more.
// RUN: mp-opt %s -mp-autocast -o %t.once
// RUN: mp-opt %t.once -mp-autocast | diff %t.once -
// RUN: not diff %t.input %t.once > %t.diff
// RUN: mp-opt %s -mp-autocast="policy=tensorflow deny=add" -o %t.edited
// RUN: mp-opt %t.edited -mp-autocast="policy=tensorflow deny=add" | diff %t.edited -

// RUN: FileCheck %s < %t.once

// Ops in another order get the same types.
// CHECK-LABEL: func.func @order(
// CHECK-DAG: mp.exp {{.*}} : tensor<4x4xf32>
// CHECK-DAG: mp.relu {{.*}} : tensor<4x4xf16>
// CHECK-DAG: mp.add {{.*}} -> tensor<4x4xf32>
// CHECK: return
func.func @order(%x: tensor<4x4xf32>, %rng: tensor<2xi64>) -> tensor<4x4xf32> {
  %c = mp.constant dense<0.1> : tensor<f32>
  %0 = mp.matmul %x, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = mp.exp %x : tensor<4x4xf32>
  %2 = mp.mul %0, %c : tensor<4x4xf32>, tensor<f32> -> tensor<4x4xf32>
  %3 = mp.dropout %2, %rng {rate = 0.5, stream = 0} : tensor<4x4xf32>
  %4 = mp.relu %3 : tensor<4x4xf32>
  %5 = mp.add %1, %4 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %5 : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @another_order(
// CHECK-DAG: mp.exp {{.*}} : tensor<4x4xf32>
// CHECK-DAG: mp.relu {{.*}} : tensor<4x4xf16>
// CHECK-DAG: mp.add {{.*}} -> tensor<4x4xf32>
// CHECK: return
func.func @another_order(%x: tensor<4x4xf32>, %rng: tensor<2xi64>) -> tensor<4x4xf32> {
  %1 = mp.exp %x : tensor<4x4xf32>
  %0 = mp.matmul %x, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %c = mp.constant dense<0.1> : tensor<f32>
  %2 = mp.mul %0, %c : tensor<4x4xf32>, tensor<f32> -> tensor<4x4xf32>
  %3 = mp.dropout %2, %rng {rate = 0.5, stream = 0} : tensor<4x4xf32>
  %4 = mp.relu %3 : tensor<4x4xf32>
  %5 = mp.add %1, %4 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  return %5 : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @attention(
func.func @attention(%q: tensor<2x4x8xf32>, %k: tensor<2x4x8xf32>, %v: tensor<2x4x8xf32>, %m: tensor<4x4xi1>) -> (tensor<2x8x4xf32>, tensor<2x4xi32>) {
  %mask = mp.constant dense<-1.0e+09> : tensor<f32>
  %0 = mp.matmul %q, %k transpose_rhs acc f32 : tensor<2x4x8xf32>, tensor<2x4x8xf32> -> tensor<2x4x4xf32>
  %1 = mp.select %m, %0, %mask : tensor<4x4xi1>, tensor<2x4x4xf32>, tensor<f32> -> tensor<2x4x4xf32>
  %2 = mp.softmax %1 : tensor<2x4x4xf32>
  %3 = mp.matmul %2, %v acc f32 : tensor<2x4x4xf32>, tensor<2x4x8xf32> -> tensor<2x4x8xf32>
  %4 = mp.transpose %3 permutation [0, 2, 1] : tensor<2x4x8xf32> -> tensor<2x8x4xf32>
  %5 = mp.argmax %3 dimension 2 : tensor<2x4x8xf32> -> tensor<2x4xi32>
  return %4, %5 : tensor<2x8x4xf32>, tensor<2x4xi32>
}
