// RUN: mp-opt %s -mp-form-kernels -mp-split-contractions="features=sm_80" -mp-schedule-kernels="features=sm_80" -mp-verify-kernels=scheduled | FileCheck %s --implicit-check-not=mp.schedule
// RUN: mp-opt %s -mp-form-kernels -mp-split-contractions=features=avx2 -mp-schedule-kernels=features=avx2 | FileCheck %s --check-prefix=CPU --implicit-check-not=mp.schedule

// A product has the schedule that its text gives it; a CPU has schedules of its own.
// CHECK-LABEL: @whole
// CHECK: schedule(#mp.mma<block_m = 16, block_n = 128, block_k = 32, warps_m = 1, warps_n = 4, stages = 2, instruction = fma>)
// CPU-LABEL: @whole
// CPU: schedule(#mp.contraction<
func.func @whole(%a: tensor<256x512xf16>, %b: tensor<512x128xf16>) -> tensor<256x128xf16> {
  %0 = mp.matmul %a, %b acc f32 {mp.schedule = #mp.mma<block_m = 16, block_n = 128, block_k = 32, warps_m = 1, warps_n = 4, stages = 2, instruction = fma>} : tensor<256x512xf16>, tensor<512x128xf16> -> tensor<256x128xf16>
  return %0 : tensor<256x128xf16>
}

// Parts of whole steps: five were asked for, and four are enough.
// CPU-LABEL: @parts
// CPU: schedule(#mp.contraction<
// CHECK-LABEL: @parts
// CHECK: mp.kernel "matmul_0.parts"
// CHECK-SAME: schedule(#mp.mma<block_m = 64, block_n = 64, block_k = 64, warps_m = 2, warps_n = 2, stages = 3, split_k = 4, instruction = mma.m16n8k16>)
// CHECK: mp.matmul_parts {{.*}} depth 128
// CHECK: mp.kernel "matmul_0" {{.*}} schedule(#mp.column<
func.func @parts(%a: tensor<32x512xf16>, %b: tensor<512x128xf16>) -> tensor<32x128xf16> {
  %0 = mp.matmul %a, %b acc f32 {mp.schedule = #mp.mma<block_m = 64, block_n = 64, block_k = 64, warps_m = 2, warps_n = 2, stages = 3, split_k = 5, instruction = mma.m16n8k16>} : tensor<32x512xf16>, tensor<512x128xf16> -> tensor<32x128xf16>
  return %0 : tensor<32x128xf16>
}

// Sums over no k are one part.
// CHECK-LABEL: @nothing
// CHECK: mp.kernel "matmul_0.parts" {{.*}} -> tensor<1x32x128xf32>
func.func @nothing(%a: tensor<32x0xf16>, %b: tensor<0x128xf16>) -> tensor<32x128xf16> {
  %0 = mp.matmul %a, %b acc f32 {mp.schedule = #mp.mma<block_m = 64, block_n = 64, block_k = 64, warps_m = 2, warps_n = 2, stages = 3, split_k = 5, instruction = mma.m16n8k16>} : tensor<32x0xf16>, tensor<0x128xf16> -> tensor<32x128xf16>
  return %0 : tensor<32x128xf16>
}
