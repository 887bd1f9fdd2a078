// Rows of f16 that are no whole vectors are copied to panels as one, sixteen elements at once: none is loaded by itself, and waits for the
// one before. Rows of a tile then lie at their places.

// RUN: mp-run compile %s --target=cpu:avx512 --training=false --policy=float32 --compile-to=asm | FileCheck %s
// CHECK-LABEL: mp_matmul_0:
// CHECK-NOT: vpinsrw
// CHECK: vcvtph2ps {{.*}}, %zmm
// CHECK-NOT: vpinsrw
// CHECK: vfmadd

func.func @infer(%x: tensor<128x10xf16> {mp.input = "x"}, %w: tensor<10x128xf16> {mp.input = "w"}) -> (tensor<128x128xf16> {mp.output = "y"}) attributes {mp.program = "infer"} {
  %y = mp.matmul %x, %w acc f32 : tensor<128x10xf16>, tensor<10x128xf16> -> tensor<128x128xf16>
  return %y : tensor<128x128xf16>
}
