// The flags of a product's tiles are made where the product is. Without one they are an error on every target.

// RUN: not mp-run compile %s --target=cpu --training=false --policy=float32 -o %t.mpx 2>&1 | FileCheck %s
// RUN: not mp-run compile %s --target=nvptx --chip=sm_80 --training=false --policy=float32 -o %t.mpx 2>&1 | FileCheck %s
// CHECK: error: 'mp.nonfinite_tiles' op reduces the tiles of a product, of which its kernel has none

func.func @infer(%h: tensor<2x100x40xf32> {mp.input="h"}) -> (tensor<8xi32> {mp.output="f"}) attributes {mp.program = "infer"} {
  %f = mp.nonfinite_tiles %h tile 64 x 32 : tensor<2x100x40xf32> -> tensor<8xi32>
  return %f : tensor<8xi32>
}
