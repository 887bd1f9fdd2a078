// RUN: mp-opt %s -split-input-file -mp-form-kernels -mp-schedule-kernels="features=sm_75" -verify-diagnostics

func.func @newer(%a: tensor<256x512xf16>, %b: tensor<512x128xf16>) -> tensor<256x128xf16> {
  // expected-error@+1 {{mp.schedule needs the instruction mma.m16n8k16, which sm_75 does not have}}
  %0 = mp.matmul %a, %b acc f32 {mp.schedule = #mp.mma<block_m = 64, block_n = 64, block_k = 32, warps_m = 2, warps_n = 2, stages = 3, instruction = mma.m16n8k16>} : tensor<256x512xf16>, tensor<512x128xf16> -> tensor<256x128xf16>
  return %0 : tensor<256x128xf16>
}

// -----

func.func @wide(%a: tensor<256x512xf16>, %b: tensor<512x128xf16>) -> tensor<256x128xf16> {
  // expected-error-re@+1 {{mp.schedule needs about {{[0-9]+}} registers in a thread; there are 255}}
  %0 = mp.matmul %a, %b acc f32 {mp.schedule = #mp.mma<block_m = 128, block_n = 256, block_k = 32, warps_m = 1, warps_n = 2, stages = 2, instruction = mma.m16n8k8>} : tensor<256x512xf16>, tensor<512x128xf16> -> tensor<256x128xf16>
  return %0 : tensor<256x128xf16>
}

// -----

func.func @crowded(%a: tensor<256x512xf16>, %b: tensor<512x128xf16>) -> tensor<256x128xf16> {
  // expected-error-re@+1 {{mp.schedule needs about {{[0-9]+}} registers in each of 512 threads; a multiprocessor has 65536}}
  %0 = mp.matmul %a, %b acc f32 {mp.schedule = #mp.mma<block_m = 256, block_n = 128, block_k = 32, warps_m = 4, warps_n = 4, stages = 2, instruction = mma.m16n8k8>} : tensor<256x512xf16>, tensor<512x128xf16> -> tensor<256x128xf16>
  return %0 : tensor<256x128xf16>
}

// -----

func.func @large(%a: tensor<256x512xf16>, %b: tensor<512x128xf16>) -> tensor<256x128xf16> {
  // expected-error-re@+1 {{mp.schedule needs {{[0-9]+}} bytes of shared memory in a block; sm_75 has 65536}}
  %0 = mp.matmul %a, %b acc f32 {mp.schedule = #mp.mma<block_m = 128, block_n = 128, block_k = 64, warps_m = 2, warps_n = 4, stages = 4, instruction = mma.m16n8k8>} : tensor<256x512xf16>, tensor<512x128xf16> -> tensor<256x128xf16>
  return %0 : tensor<256x128xf16>
}

// -----

func.func @tf32(%a: tensor<256x512xf32>, %b: tensor<512x128xf32>) -> tensor<256x128xf32> {
  // expected-error@+1 {{mp.schedule needs operands in tf32, which only allow-tf32 permits}}
  %0 = mp.matmul %a, %b acc f32 {mp.schedule = #mp.mma<block_m = 64, block_n = 64, block_k = 32, warps_m = 2, warps_n = 2, stages = 3, instruction = mma.m16n8k8.tf32>} : tensor<256x512xf32>, tensor<512x128xf32> -> tensor<256x128xf32>
  return %0 : tensor<256x128xf32>
}

// -----

func.func @cut(%a: tensor<32x64xf16>, %b: tensor<64x16xf16>) -> tensor<2x32x16xf32> {
  // expected-error@+1 {{mp.schedule needs other parts of k than the product has}}
  %0 = mp.matmul_parts %a, %b depth 32 acc f32 {mp.schedule = #mp.mma<block_m = 64, block_n = 64, block_k = 32, warps_m = 2, warps_n = 2, stages = 3, split_k = 3, instruction = mma.m16n8k8>} : tensor<32x64xf16>, tensor<64x16xf16> -> tensor<2x32x16xf32>
  return %0 : tensor<2x32x16xf32>
}

// -----

func.func @elsewhere(%a: tensor<256x512xf16>) -> tensor<256x512xf16> {
  // expected-error@+1 {{mp.schedule is #mp.mma<}}
  %0 = mp.relu %a {mp.schedule = #mp.mma<block_m = 64, block_n = 64, block_k = 32, warps_m = 2, warps_n = 2, stages = 3, instruction = mma.m16n8k8>} : tensor<256x512xf16>
  return %0 : tensor<256x512xf16>
}

// -----

func.func @parts_of_a_convolution(%x: tensor<2x8x8x16xf16>, %w: tensor<32x3x3x16xf16>) -> tensor<2x8x8x32xf16> {
  // expected-error@+1 {{mp.schedule needs split_k of 1: the k of this op is not cut into parts}}
  %0 = mp.conv %x, %w acc f32 {padding = same, mp.schedule = #mp.mma<block_m = 32, block_n = 32, block_k = 32, warps_m = 2, warps_n = 2, stages = 2, split_k = 2, instruction = mma.m16n8k8>} : tensor<2x8x8x16xf16>, tensor<32x3x3x16xf16> -> tensor<2x8x8x32xf16>
  return %0 : tensor<2x8x8x32xf16>
}
