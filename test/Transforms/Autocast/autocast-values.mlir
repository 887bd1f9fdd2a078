// RUN: mp-opt %s -mp-specialize=batch=4 -mp-autocast="policy=%S/Inputs/values.policy" | FileCheck %s
// RUN: mp-run compile %s --compile-to=autocast --batch-size=4 --policy=mixed_bfloat16 "--clear=mp.reduce_sum[dimensions=[0, 1]],mp.elu[alpha=.5]" "--deny=mp.compare[predicate=gt],mp.matmul[acc=f32],mp.gelu[approximate=none],mp.transpose[permutation=[1,0]]" | FileCheck %s

// Entries of a list name an attribute's value: each kind of it, however it is written.
// CHECK-LABEL: func.func @model(
func.func @model(%x: tensor<4x4xf32> {mp.input = "x"}, %w: tensor<4x4xf32> {mp.parameter = "w", mp.initializer = #mp.ones})
    -> (tensor<f32> {mp.output = "a"}, tensor<4xf32> {mp.output = "b"}, tensor<4x4xi1> {mp.output = "c"},
        tensor<4x4xi1> {mp.output = "d"}, tensor<4x4xf32> {mp.output = "e"}, tensor<4x4xf32> {mp.output = "f"},
        tensor<4x4xf32> {mp.output = "g"}, tensor<4x4xf32> {mp.output = "h"}, tensor<4x4xf32> {mp.output = "i"})
    attributes {mp.program = "model"} {
  // CHECK: mp.conv {{.*}} -> tensor<1x4x4x1xbf16>
  %image = mp.reshape %x : tensor<4x4xf32> -> tensor<1x4x4x1xf32>
  %filter = mp.constant dense<2.0> : tensor<1x1x1x1xf32>
  %convolved = mp.conv %image, %filter acc f32 : tensor<1x4x4x1xf32>, tensor<1x1x1x1xf32> -> tensor<1x4x4x1xf32>
  %low = mp.reshape %convolved : tensor<1x4x4x1xf32> -> tensor<4x4xf32>
  // CHECK: mp.matmul {{.*}} : tensor<4x4xf32>
  %0 = mp.matmul %x, %w acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  // CHECK: mp.reduce_sum {{.*}} dimensions [0, 1] : tensor<4x4xbf16>
  %1 = mp.reduce_sum %low dimensions [0, 1] : tensor<4x4xf32> -> tensor<f32>
  // CHECK: mp.reduce_sum {{.*}} dimensions [1] : tensor<4x4xf32>
  %2 = mp.reduce_sum %low dimensions [1] : tensor<4x4xf32> -> tensor<4xf32>
  // CHECK: mp.compare gt {{.*}} : tensor<4x4xf32>
  %3 = mp.compare gt %low, %low : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xi1>
  // CHECK: mp.compare lt {{.*}} : tensor<4x4xbf16>
  %4 = mp.compare lt %low, %low : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xi1>
  // CHECK: mp.gelu {{.*}} : tensor<4x4xf32>
  %5 = mp.gelu %low : tensor<4x4xf32>
  // CHECK: mp.gelu {{.*}} : tensor<4x4xbf16>
  %6 = mp.gelu %low approximate tanh : tensor<4x4xf32>
  // CHECK: mp.transpose {{.*}} : tensor<4x4xf32>
  %7 = mp.transpose %low permutation [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  // CHECK: mp.elu {{.*}}alpha = 5.000000e-01{{.*}} : tensor<4x4xbf16>
  %8 = mp.elu %low {alpha = 0.5 : f64} : tensor<4x4xf32>
  return %1, %2, %3, %4, %5, %6, %7, %8, %0 : tensor<f32>, tensor<4xf32>, tensor<4x4xi1>, tensor<4x4xi1>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
