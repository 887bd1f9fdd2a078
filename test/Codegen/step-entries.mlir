// RUN: mp-run compile %s --training=false --policy=float32 --batch-size=1 --target=nvptx --chip=sm_90 --compile-to=asm > %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx

// What a step adds and the bits of its tap are two accesses: of one, a word would be nobody's.
// CHECK-LABEL: .entry mp_conv_0(
// CHECK-NOT: ld.global.nc.v2.b64
// CHECK: ld.global.nc.b64
// CHECK-NOT: ld.global.nc.v2.b64
// CHECK: ld.global.nc.b32
// CHECK-NOT: ld.global.nc.v2.b64
// CHECK: mma.sync

// They are one where a thread has few multiplications.
// CHECK-LABEL: .entry mp_conv_1(
// CHECK: ld.global.nc.v2.b64
// CHECK: mma.sync
func.func @infer(%a: tensor<4x28x28x64xf16> {mp.input = "a"}, %b: tensor<64x3x3x64xf16> {mp.input = "b"}, %c: tensor<16x3x3x64xf16> {mp.input = "c"}) -> (tensor<4x28x28x64xf16> {mp.output = "y"}, tensor<4x28x28x16xf16> {mp.output = "z"}) attributes {mp.program = "infer"} {
  %y = mp.conv %a, %b acc f32 {padding = same, mp.schedule = #mp.mma<block_m = 128, block_n = 64, block_k = 32, warps_m = 2, warps_n = 2, stages = 3, instruction = mma.m16n8k16>} : tensor<4x28x28x64xf16>, tensor<64x3x3x64xf16> -> tensor<4x28x28x64xf16>
  %z = mp.conv %a, %c acc f32 {padding = same, mp.schedule = #mp.mma<block_m = 128, block_n = 16, block_k = 32, warps_m = 4, warps_n = 1, stages = 3, instruction = mma.m16n8k16>} : tensor<4x28x28x64xf16>, tensor<16x3x3x64xf16> -> tensor<4x28x28x16xf16>
  return %y, %z : tensor<4x28x28x64xf16>, tensor<4x28x28x16xf16>
}
