// RUN: mp-run compile %s --policy=float32 --batch-size=1 --optimizer=sgd --target=cpu:avx2 --compile-to=kernels | FileCheck %s
// RUN: mp-run compile %S/../../examples/cifar10_cnn.mlir --policy=float32 --batch-size=1 --target=cpu:sse2+avx2+avx512 -o %t.mpx

// A block of a product whose operands change places has so many rows of the result as it has columns, and checks those.
// CHECK: mp.kernel "conv_filter_grad{{[0-9_]*}}" {{.*}}block_m = [[COLUMNS:[0-9]+]], block_n = [[ROWS:[0-9]+]], {{.*}}transposed = true
// CHECK: mp.nonfinite_tiles %{{.*}} tile [[ROWS]] x [[COLUMNS]]
func.func @m(%x: tensor<?x7x7x5xf32> {mp.input = "x"}, %w: tensor<64x3x3x5xf32> {mp.parameter = "w", mp.initializer = #mp.zeros})
    -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  %z = mp.conv %x, %w acc f32 {padding = same} : tensor<?x7x7x5xf32>, tensor<64x3x3x5xf32> -> tensor<?x7x7x64xf32>
  %loss = mp.reduce_sum %z dimensions [0, 1, 2, 3] : tensor<?x7x7x64xf32> -> tensor<f32>
  return %loss : tensor<f32>
}
