// RUN: mp-opt %s -mp-decompose | FileCheck %s

// Coordinates become tables; what stays as it is has none.
// CHECK-LABEL: @tables
func.func @tables(%x: tensor<2x2x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x4x3xf32>, tensor<2x2x3xf32>, tensor<2x2x3xf32>) {
  // CHECK-SAME: (%[[X:.*]]: tensor<2x2x3xf32>)
  // CHECK-DAG: %[[I:.*]] = mp.constant dense<[0, 1, 0, 1, 0, 1, 1, 1]> : tensor<8xi32>
  // CHECK-DAG: %[[W:.*]] = mp.constant dense<[1.000000e+00, 0.000000e+00, 7.500000e-01, 2.500000e-01, 2.500000e-01, 7.500000e-01, 1.000000e+00, 0.000000e+00]> : tensor<8xf32>
  // CHECK-DAG: mp.resample %[[X]] indices %[[I]] weights %[[W]] : (tensor<2x2x3xf32>, tensor<8xi32>, tensor<8xf32>) -> tensor<2x4x3xf32>
  %0 = mp.resize %x mode linear coordinates half_pixel : tensor<2x2x3xf32> -> tensor<2x4x3xf32>
  // CHECK-DAG: %[[N:.*]] = mp.constant dense<[0, 0, 1, 1]> : tensor<4xi32>
  // CHECK-DAG: %[[Y:.*]] = mp.resample %[[X]] indices %[[N]] : (tensor<2x2x3xf32>, tensor<4xi32>) -> tensor<2x4x3xf32>
  %1 = mp.resize %x mode nearest coordinates asymmetric : tensor<2x2x3xf32> -> tensor<2x4x3xf32>
  %2 = mp.resize %x mode cubic coordinates half_pixel : tensor<2x2x3xf32> -> tensor<2x2x3xf32>
  // CHECK-DAG: %[[R:.*]] = mp.constant dense<[0, 1, 2, 3]> : tensor<4xi32>
  // CHECK-DAG: %[[O:.*]] = mp.constant dense<1.000000e+00> : tensor<4xf32>
  // CHECK-DAG: mp.resample %[[Y]] indices %[[R]] weights %[[O]] : (tensor<2x4x3xf32>, tensor<4xi32>, tensor<4xf32>) -> tensor<2x2x3xf32>
  %3 = mp.resize_grad %1 mode nearest coordinates asymmetric : tensor<2x4x3xf32> -> tensor<2x2x3xf32>
  // CHECK: return %{{.*}}, %{{.*}}, %[[X]], %{{.*}} :
  return %0, %1, %2, %3 : tensor<2x4x3xf32>, tensor<2x4x3xf32>, tensor<2x2x3xf32>, tensor<2x2x3xf32>
}

// Some pixels of a gradient's image have no reader; where all have some, a few less than the others, there is one more that weighs nothing.
// CHECK-LABEL: @readers
func.func @readers(%g: tensor<1x2x3xf32>, %h: tensor<1x6x3xf32>) -> (tensor<1x5x3xf32>, tensor<1x3x3xf32>) {
  // CHECK-DAG: %[[S:.*]] = mp.constant dense<[0, 1, 1, 2, 2, 2]> : tensor<6xi32>
  // CHECK-DAG: %[[I:.*]] = mp.constant dense<[0, 1]> : tensor<2xi32>
  // CHECK-DAG: mp.resample %{{.*}} starts %[[S]] indices %[[I]] weights %{{.*}} : (tensor<1x2x3xf32>, tensor<6xi32>, tensor<2xi32>, tensor<2xf32>) -> tensor<1x5x3xf32>
  %0 = mp.resize_grad %g mode nearest coordinates asymmetric : tensor<1x2x3xf32> -> tensor<1x5x3xf32>
  // CHECK-DAG: %[[J:.*]] = mp.constant dense<[0, 1, 2, 2, 1, 2, 3, 4, 3, 4, 5, 5]> : tensor<12xi32>
  // CHECK-DAG: %[[W:.*]] = mp.constant dense<[1.000000e+00, 7.500000e-01, 2.500000e-01, 0.000000e+00, 2.500000e-01, 7.500000e-01, 7.500000e-01, 2.500000e-01, 2.500000e-01, 7.500000e-01, 1.000000e+00, 0.000000e+00]> : tensor<12xf32>
  // CHECK-DAG: mp.resample %{{.*}} indices %[[J]] weights %[[W]] : (tensor<1x6x3xf32>, tensor<12xi32>, tensor<12xf32>) -> tensor<1x3x3xf32>
  %1 = mp.resize_grad %h mode linear coordinates half_pixel : tensor<1x6x3xf32> -> tensor<1x3x3xf32>
  return %0, %1 : tensor<1x5x3xf32>, tensor<1x3x3xf32>
}
