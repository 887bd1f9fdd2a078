// Results of 16 MiB and more are stored past the caches, those of 16 bits, too, by tiles and by vectors; not where tiles
// would store parts of lines, as of a group of 24 channels, or of every other pixel of 16.

// RUN: mp-run compile %s --policy=float32 --target=cpu:amx-bf16 --compile-to=asm | FileCheck %s --check-prefixes=CHECK,TILES
// RUN: mp-run compile %s --policy=float32 --target=cpu:avx512 --compile-to=asm | FileCheck %s --check-prefixes=CHECK,VECTORS

// CHECK-LABEL: mp_matmul_0:
// TILES: vmovnt{{.*}} %zmm
// VECTORS: vmovnt{{.*}} %ymm
// CHECK-LABEL: mp_matmul_1:
// TILES: vmovnt{{.*}} %zmm
// VECTORS: vmovnt{{.*}} %ymm
// CHECK-LABEL: mp_matmul_2:
// CHECK-NOT: vmovnt
// CHECK-LABEL: mp_matmul_3:
// CHECK-NOT: vmovnt
// CHECK-LABEL: mp_conv_4:
// CHECK-NOT: vmovnt
// CHECK-LABEL: mp_conv_5:
// CHECK: vmovnt
// CHECK-LABEL: mp_conv_transpose_6:
// CHECK-NOT: vmovnt
// CHECK-LABEL: Lfunc_end{{.*}}:

func.func @infer(%a: tensor<8192x64xbf16> {mp.input = "a"}, %b: tensor<64x1024xbf16> {mp.input = "b"},
                 %c: tensor<8192x64xf16> {mp.input = "c"}, %d: tensor<64x1024xf16> {mp.input = "d"},
                 %e: tensor<8064x64xbf16> {mp.input = "e"}, %g: tensor<64x1032xbf16> {mp.input = "g"},
                 %x: tensor<43x64x64x4xbf16> {mp.input = "x"}, %w24: tensor<48x3x3x2xbf16> {mp.input = "w24"},
                 %w32: tensor<64x3x3x2xbf16> {mp.input = "w32"},
                 %dy: tensor<64x56x56x32xbf16> {mp.input = "dy"}, %w2: tensor<32x3x3x16xbf16> {mp.input = "w2"})
    -> (tensor<8192x1024xbf16> {mp.output = "y"}, tensor<8192x1024xf16> {mp.output = "z"},
        tensor<8064x1024xbf16> {mp.output = "u"}, tensor<8192x1032xbf16> {mp.output = "v"},
        tensor<43x64x64x48xbf16> {mp.output = "p"}, tensor<43x64x64x64xbf16> {mp.output = "q"},
        tensor<64x112x112x16xbf16> {mp.output = "dx"}) attributes {mp.program = "infer"} {
  %y = mp.matmul %a, %b acc f32 : tensor<8192x64xbf16>, tensor<64x1024xbf16> -> tensor<8192x1024xbf16>
  %z = mp.matmul %c, %d acc f32 : tensor<8192x64xf16>, tensor<64x1024xf16> -> tensor<8192x1024xf16>
  %u = mp.matmul %e, %b acc f32 : tensor<8064x64xbf16>, tensor<64x1024xbf16> -> tensor<8064x1024xbf16>
  %v = mp.matmul %a, %g acc f32 : tensor<8192x64xbf16>, tensor<64x1032xbf16> -> tensor<8192x1032xbf16>
  %p = mp.conv %x, %w24 acc f32 {padding = same, groups = 2} : tensor<43x64x64x4xbf16>, tensor<48x3x3x2xbf16> -> tensor<43x64x64x48xbf16>
  %q = mp.conv %x, %w32 acc f32 {padding = same, groups = 2} : tensor<43x64x64x4xbf16>, tensor<64x3x3x2xbf16> -> tensor<43x64x64x64xbf16>
  %dx = mp.conv_transpose %dy, %w2 acc f32 {strides = [2, 2], padding = same} : tensor<64x56x56x32xbf16>, tensor<32x3x3x16xbf16> -> tensor<64x112x112x16xbf16>
  return %y, %z, %u, %v, %p, %q, %dx : tensor<8192x1024xbf16>, tensor<8192x1024xf16>, tensor<8064x1024xbf16>, tensor<8192x1032xbf16>, tensor<43x64x64x48xbf16>, tensor<43x64x64x64xbf16>, tensor<64x112x112x16xbf16>
}
