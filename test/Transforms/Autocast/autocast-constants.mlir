// RUN: mp-opt %s -split-input-file -mp-autocast=clamp-constants | FileCheck %s --check-prefixes=CHECK,CLAMP
// RUN: mp-opt %s -split-input-file -mp-autocast=policy=mixed_bfloat16 | FileCheck %s --check-prefix=BF16

// Constants are rounded here, to nearest even: 1 + 2^-11 is half way between 1 and the next f16, 1 + 3 * 2^-11 half way
// to the one after it. What nothing uses any more is erased.
// CHECK-LABEL: func.func @rounded_to_nearest_even(
// CHECK-NEXT: %[[C:.*]] = mp.constant dense<{{\[}}[1.000000e+00, 1.001950e+00], [1.000980e+00, -1.000000e+00]]> : tensor<2x2xf16>
// CHECK: mp.matmul %{{.*}}, %[[C]]
func.func @rounded_to_nearest_even(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %c = mp.constant dense<[[1.00048828125, 1.00146484375], [1.0009765625, -1.0]]> : tensor<2x2xf32>
  %0 = mp.matmul %x, %c acc f32 : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

// The nearest f16 that is neither infinite nor 0; infinities and zeros of the model stay.
// CLAMP-LABEL: func.func @clamped(
// CLAMP-NEXT: mp.constant dense<{{\[}}[6.550400e+04, -6.550400e+04], [5.960460e-08, -0.000000e+00]]> : tensor<2x2xf16>
// CLAMP: mp.constant dense<{{\[}}[0x7C00, 0xFC00], [0x7E00, 1.000000e+00]]> : tensor<2x2xf16>
// BF16-LABEL: func.func @clamped(
// BF16: mp.constant dense<{{\[}}[7.014400e+04, -9.982440e+08], [1.001870e-12, -0.000000e+00]]> : tensor<2x2xbf16>
func.func @clamped(%x: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %c = mp.constant dense<[[70000.0, -1.0e+09], [1.0e-12, -0.0]]> : tensor<2x2xf32>
  %d = mp.constant dense<[[0x7F800000, 0xFF800000], [0x7FC00000, 1.0]]> : tensor<2x2xf32>
  %0 = mp.matmul %x, %c acc f32 : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
  %1 = mp.matmul %x, %d acc f32 : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
  return %0, %1 : tensor<4x2xf32>, tensor<4x2xf32>
}
