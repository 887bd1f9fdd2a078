// RUN: mp-opt %s -canonicalize | FileCheck %s
// RUN: mp-opt %s -mp-specialize=batch=4 -mp-autocast -mp-autodiff | FileCheck %s --check-prefix=STEP

// CHECK-LABEL: @forms
func.func @forms(%a: tensor<?x8xi32>, %b: tensor<8xi32>, %c: tensor<ui8>, %x: tensor<?x8xbf16>, %y: tensor<bf16>) -> (tensor<?x8xi32>, tensor<ui8>, tensor<?x8xbf16>) {
  // CHECK: mp.remainder %{{.*}}, %{{.*}} : tensor<?x8xi32>, tensor<8xi32> -> tensor<?x8xi32>
  %0 = mp.remainder %a, %b : tensor<?x8xi32>, tensor<8xi32> -> tensor<?x8xi32>
  // CHECK: mp.floor_divide
  %1 = mp.floor_divide %0, %b : tensor<?x8xi32>, tensor<8xi32> -> tensor<?x8xi32>
  // CHECK: mp.bitwise_and
  %2 = mp.bitwise_and %1, %b : tensor<?x8xi32>, tensor<8xi32> -> tensor<?x8xi32>
  // CHECK: mp.bitwise_or
  %3 = mp.bitwise_or %2, %b : tensor<?x8xi32>, tensor<8xi32> -> tensor<?x8xi32>
  // CHECK: mp.bitwise_xor
  %4 = mp.bitwise_xor %3, %b : tensor<?x8xi32>, tensor<8xi32> -> tensor<?x8xi32>
  // CHECK: mp.shift_left
  %5 = mp.shift_left %c, %c : tensor<ui8>, tensor<ui8> -> tensor<ui8>
  // CHECK: mp.shift_right
  %6 = mp.shift_right %5, %c : tensor<ui8>, tensor<ui8> -> tensor<ui8>
  // CHECK: mp.remainder %{{.*}}, %{{.*}} : tensor<?x8xbf16>, tensor<bf16> -> tensor<?x8xbf16>
  %7 = mp.remainder %x, %y : tensor<?x8xbf16>, tensor<bf16> -> tensor<?x8xbf16>
  return %4, %6, %7 : tensor<?x8xi32>, tensor<ui8>, tensor<?x8xbf16>
}

// The divisor was taken away a whole number of times.
// STEP-LABEL: func.func @train_step(
func.func @model(%x: tensor<4x3xf32> {mp.parameter = "x", mp.initializer = #mp.zeros}, %y: tensor<3xf32> {mp.parameter = "y", mp.initializer = #mp.ones})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  // STEP: %[[R:.*]] = mp.remainder %[[X:.*]], %[[Y:.*]] : tensor<4x3xf32>, tensor<3xf32> -> tensor<4x3xf32>
  %r = mp.remainder %x, %y : tensor<4x3xf32>, tensor<3xf32> -> tensor<4x3xf32>
  %l = mp.reduce_sum %r dimensions [0, 1] : tensor<4x3xf32> -> tensor<f32>
  // STEP: %[[G:.*]] = mp.broadcast %{{.*}} -> tensor<4x3xf32>
  // STEP: %[[TAKEN:.*]] = mp.sub %[[X]], %[[R]]
  // STEP: %[[TIMES:.*]] = mp.div %[[TAKEN]], %[[Y]]
  // STEP: %[[WHOLE:.*]] = mp.round %[[TIMES]]
  // STEP: mp.mul %[[G]], %[[WHOLE]]
  return %l : tensor<f32>
}
