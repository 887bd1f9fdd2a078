// RUN: mp-opt %s -split-input-file -mp-autocast=plan-out=- | FileCheck %s
// RUN: mp-opt %s -split-input-file -mp-autocast=policy=mixed_bfloat16 | FileCheck %s --check-prefix=BF16
// RUN: mp-opt %s -split-input-file -mp-autocast=clamp-constants | FileCheck %s --check-prefix=CLAMP
// RUN: not mp-opt %s -split-input-file -mp-autocast=allow=mp.clamp 2>&1 | FileCheck %s --check-prefix=ALLOWED

// Attributes that are values of the element type are constants: where the low type makes 0 or an infinity of one, the op is f32.
// CHECK-LABEL: # @bounds
// CHECK: 1 mp.clamp f32: clear, but constant 1e-08 becomes 0 in f16
// CHECK: 2 mp.clamp f32: clear, but constant -1e+09 becomes infinite in f16
// CHECK: 3 mp.clamp f16: clear, follows mp.matmul
// CHECK: func.func @bounds(
// CHECK: mp.clamp %{{.*}} {max = 1.000000e+00 : f64, min = 1.000000e-08 : f64} : tensor<4x8xf32>
// CHECK: mp.log %{{.*}} : tensor<4x8xf32>
// BF16-LABEL: func.func @bounds(
// BF16: mp.clamp %{{.*}} {max = 1.000000e+00 : f64, min = 1.000000e-08 : f64} : tensor<4x8xbf16>
// CLAMP-LABEL: func.func @bounds(
// CLAMP: mp.clamp %{{.*}} {max = 1.000000e+00 : f64, min = 5.9604644775390625E-8 : f64} : tensor<4x8xf16>
// CLAMP: mp.clamp %{{.*}} {max = 1.000000e+00 : f64, min = -6.550400e+04 : f64} : tensor<4x8xf16>
// CLAMP: mp.clamp %{{.*}} {max = 0x7FF0000000000000 : f64, min = 1.000000e-01 : f64} : tensor<4x8xf16>
// ALLOWED: error: 'mp.clamp' op constant 1e-08 becomes 0 in f16
// ALLOWED: note: this is the constant; clamp-constants would round it to the nearest number that fits
func.func @bounds(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %h = mp.matmul %x, %w acc f32 : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %c = mp.clamp %h {min = 1.0e-8 : f64, max = 1.0 : f64} : tensor<4x8xf32>
  %d = mp.clamp %h {min = -1.0e9 : f64, max = 1.0 : f64} : tensor<4x8xf32>
  %e = mp.clamp %h {min = 0.1 : f64, max = 0x7FF0000000000000 : f64} : tensor<4x8xf32>
  %l = mp.log %c : tensor<4x8xf32>
  return %l, %d, %e : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// CHECK-LABEL: # @padded
// CHECK: 1 mp.pad f32: clear, but constant -1e+09 becomes infinite in f16
// CHECK: 2 mp.pad f16: clear, follows mp.matmul
func.func @padded(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> (tensor<4x9xf32>, tensor<4x9xf32>) {
  %h = mp.matmul %x, %w acc f32 : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %p = mp.pad %h low [0, 1] high [0, 0] value -1.0e9 : tensor<4x8xf32> -> tensor<4x9xf32>
  %q = mp.pad %h low [0, 1] high [0, 0] : tensor<4x8xf32> -> tensor<4x9xf32>
  return %p, %q : tensor<4x9xf32>, tensor<4x9xf32>
}

// -----

// What was written in the low type stays: its author chose the bounds for that.
// CHECK-LABEL: # @written
// CHECK: mp.clamp f16: clear, follows argument #0
// CLAMP-LABEL: func.func @written(
// CLAMP: min = 1.000000e-08
func.func @written(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %c = mp.clamp %x {min = 1.0e-8 : f64, max = 1.0 : f64} : tensor<4x8xf16>
  return %c : tensor<4x8xf16>
}
