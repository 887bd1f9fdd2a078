// A product of f64 adds with one rounding: where the level has no instruction for it, another level is named.
//
// RUN: not mp-run compile %s --policy=float32 --training=false --batch-size=4 --target=cpu:sse2 -o %t.mpx 2>&1 | FileCheck %s
// RUN: not mp-run compile %s --policy=float32 --training=false --batch-size=4 --target=cpu:sse2+avx2 -o %t.mpx 2>&1 | FileCheck %s
// CHECK: f64-without-fma.mlir:[[#@LINE+6]]:8: error: multiplies and adds f64 with one rounding, for which the target has no instruction; compile for cpu:avx2 or a later level
// RUN: mp-run compile %s --policy=float32 --training=false --batch-size=4 --target=cpu:avx2 -o %t.mpx | FileCheck %s --check-prefix=LATER
// LATER: needs avx2 f16c fma

func.func @model(%x: tensor<?x4xf64> {mp.input = "x"}, %w: tensor<4x2xf64> {mp.parameter = "w", mp.initializer = #mp.ones})
    -> (tensor<?x2xf64> {mp.output = "y"}) attributes {mp.program = "model"} {
  %0 = mp.matmul %x, %w acc f64 : tensor<?x4xf64>, tensor<4x2xf64> -> tensor<?x2xf64>
  return %0 : tensor<?x2xf64>
}
