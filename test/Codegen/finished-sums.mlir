// RUN: mp-run compile %s --training=false --policy=float32 --batch-size=1 --target=nvptx --chip=sm_80 --compile-to=asm | FileCheck %s

// Lanes add the bias and round where they have the sums; what passes through shared memory is f16. Of four vectors of a
// lane all is read before any is stored.
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK: add.rn.f32
// CHECK: cvt.rn.f16x2.f32
// CHECK: st.shared.b32
// CHECK: bar.warp.sync
// CHECK-NOT: cvt.rn.f16x2.f32
// CHECK: ld.shared.v4.b32
// CHECK-COUNT-4: ld.global.v4.b32
// CHECK-NOT: ld.global
// CHECK-COUNT-4: st.global.v4.b32
func.func @infer(%a: tensor<512x256xf16> {mp.input = "a"}, %b: tensor<256x256xf16> {mp.input = "b"}, %w: tensor<256xf16> {mp.input = "w"}, %r: tensor<512x256xf16> {mp.input = "r"}) -> (tensor<512x256xf16> {mp.output = "z"}) attributes {mp.program = "infer"} {
  %c = mp.matmul %a, %b bias %w : tensor<256xf16> acc f32 {mp.schedule = #mp.mma<block_m = 128, block_n = 128, block_k = 32, warps_m = 2, warps_n = 2, stages = 3, instruction = mma.m16n8k16>} : tensor<512x256xf16>, tensor<256x256xf16> -> tensor<512x256xf16>
  %z = mp.add %c, %r : tensor<512x256xf16>, tensor<512x256xf16> -> tensor<512x256xf16>
  return %z : tensor<512x256xf16>
}
