// Types by modelled seconds: low where that is faster on the level that is named, and never by the machine at hand.

// RUN: mp-opt %s -mp-autocast="policy=auto features=avx512bf16" | FileCheck %s --check-prefixes=ALL,DOTS
// RUN: mp-opt %s -mp-autocast="policy=auto features=sse2" | FileCheck %s --check-prefixes=ALL,PLAIN
// RUN: mp-opt %s -mp-autocast="policy=mixed_bfloat16 rule=cost features=avx512bf16" | FileCheck %s --check-prefix=DOTS
// RUN: mp-opt %s -mp-autocast="policy=mixed_float16 rule=cost features=avx2" | FileCheck %s --check-prefix=PLAIN
// RUN: mp-opt %s -mp-autocast="policy=auto type=f32 features=avx512bf16" | FileCheck %s --check-prefix=PLAIN
// RUN: mp-opt %s -mp-autocast="policy=auto type=f16 features=avx2" | FileCheck %s --check-prefix=PLAIN

// The types that were chosen are noted, and a second run changes nothing.
// RUN: mp-opt %s -mp-autocast="policy=auto features=avx512bf16" -o %t.once
// RUN: mp-opt %t.once -mp-autocast="policy=auto features=avx512bf16" | diff %t.once -
// RUN: FileCheck %s --check-prefix=NOTED < %t.once
// NOTED: module attributes {mp.low_type = bf16}

// Another policy's run forgets them.
// RUN: mp-opt %t.once -mp-autocast="policy=float32" | FileCheck %s --check-prefix=FORGOTTEN
// RUN: mp-opt %t.once -mp-autocast="policy=mixed_float16" | FileCheck %s --check-prefix=FORGOTTEN
// FORGOTTEN: {{^}}module {

// RUN: mp-opt %s -mp-autocast="policy=auto features=avx512bf16 plan-out=%t.plan" -remarks-filter=mp-autocast -o /dev/null 2>&1 | FileCheck %s --check-prefix=MODELLED
// MODELLED: [Analysis] Modelled | Category:mp-autocast | Remark="a step on avx512bf16, low where faster: bf16 {{[0-9.]+}} us, f16 {{[0-9.]+}} us, f32 {{[0-9.]+}} us"
// RUN: FileCheck %s --check-prefix=PLAN < %t.plan
// PLAN: # @large
// PLAN-NEXT: 0 mp.matmul bf16: allow, {{[0-9.]+}} us modelled, f32 {{[0-9.]+}} ms
// PLAN-NEXT: 1 mp.relu bf16: clear, follows mp.matmul; mp.matmul: allow, {{[0-9.]+}} us modelled
// PLAN: # @small
// PLAN-NEXT: 0 mp.matmul f32: allow, {{[0-9.e-]+}} us modelled, bf16 {{[0-9.e-]+}} us
// PLAN: # @regions
// PLAN-NEXT: 0 mp.matmul f16: allow
// PLAN-NEXT: 1 mp.matmul as written: autocast is off here

// RUN: mp-opt %s -mp-autocast="policy=float32 plan-in=%t.plan" | FileCheck %s --check-prefix=DOTS

// So does one of a program whose only op is faster low because its weight is cast once.
// RUN: sed -n '/^func.func @infer/,/^}/p' %s > %t.infer.mlir
// RUN: mp-opt %t.infer.mlir -mp-autocast="policy=auto features=avx512 training=false" -o %t.infer
// RUN: FileCheck %s --check-prefix=INFER < %t.infer
// RUN: mp-opt %t.infer -mp-autocast="policy=auto features=avx512 training=false" | diff %t.infer -

// A region that states the policy's own type is not left to the cost, either.
// RUN: mp-opt %s -mp-autocast="policy=mixed_float16 rule=cost features=avx512" | FileCheck %s --check-prefix=STATED

// What is replayed is noted as what was chosen.
// RUN: mp-opt %s -mp-autocast="policy=auto features=sse2 plan-in=%t.plan" | FileCheck %s --check-prefix=NOTED
// RUN: mp-opt %s -mp-autocast="policy=auto type=f32" | FileCheck %s --check-prefix=WIDE
// WIDE: module attributes {mp.low_type = f32}

// RUN: echo 'func.func @f(%%x: tensor<?x4xf32>) -> tensor<?x4xf32> { %%0 = mp.relu %%x : tensor<?x4xf32> return %%0 : tensor<?x4xf32> }' > %t.open.mlir
// RUN: not mp-opt %t.open.mlir -mp-autocast=policy=auto 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: error: mp-autocast by cost needs static shapes: what an op takes follows from its size

// RUN: not mp-opt %s -mp-autocast="policy=auto features=sm_80" 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: mp-autocast: features=sm_80: what ops take is modelled of levels of CPU features alone: sse2, avx2
// RUN: not mp-opt %s -mp-autocast="policy=auto type=f64" 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error: mp-autocast: type=f64: expected f16, bf16 or f32
// RUN: not mp-opt %s -mp-autocast="policy=mixed_float16 type=f32" 2>&1 | FileCheck %s --check-prefix=LOW
// LOW: error: mp-autocast: type=f32: expected f16 or bf16

// ALL: module attributes {mp.low_type =
// STATED: module attributes {mp.low_type =
// DOTS-LABEL: @large
// DOTS: mp.matmul {{.*}} -> tensor<512x512xbf16>
// DOTS: mp.relu {{.*}} : tensor<512x512xbf16>
// PLAIN-LABEL: @large
// PLAIN-NOT: mp.cast
// PLAIN: mp.matmul {{.*}} -> tensor<512x512xf32>
func.func @large(%x: tensor<512x512xf32>, %w: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = mp.matmul %x, %w acc f32 : tensor<512x512xf32>, tensor<512x512xf32> -> tensor<512x512xf32>
  %1 = mp.relu %0 : tensor<512x512xf32>
  return %1 : tensor<512x512xf32>
}

// Casts of what it reads would take longer than the product.
// DOTS-LABEL: @small
// DOTS-NOT: mp.cast
// DOTS: mp.matmul {{.*}} -> tensor<256x1xf32>
// PLAIN-LABEL: @small
// PLAIN: mp.matmul {{.*}} -> tensor<256x1xf32>
func.func @small(%x: tensor<256x4xf32>, %w: tensor<4x1xf32>) -> tensor<256x1xf32> {
  %0 = mp.matmul %x, %w acc f32 : tensor<256x4xf32>, tensor<4x1xf32> -> tensor<256x1xf32>
  return %0 : tensor<256x1xf32>
}

// A region that states its type is believed, and one that is off is off.
// DOTS-LABEL: @regions
// PLAIN-LABEL: @regions
func.func @regions(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = mp.autocast type = f16 -> (tensor<4x4xf32>) {
    // ALL: mp.matmul {{.*}} -> tensor<4x4xf16>
    // STATED: mp.matmul {{.*}} -> tensor<4x4xf16>
    %2 = mp.matmul %x, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    mp.yield %2 : tensor<4x4xf32>
  }
  %1 = mp.autocast enabled = false -> (tensor<4x4xf32>) {
    // ALL: mp.matmul {{.*}} -> tensor<4x4xf32>
    %3 = mp.matmul %x, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    mp.yield %3 : tensor<4x4xf32>
  }
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// INFER: mp.matmul {{.*}} -> tensor<1x256xbf16>
func.func @infer(%x: tensor<1x256xf32>, %w: tensor<256x256xf32> {mp.parameter = "w"}) -> tensor<1x256xf32> {
  %0 = mp.matmul %x, %w acc f32 : tensor<1x256xf32>, tensor<256x256xf32> -> tensor<1x256xf32>
  return %0 : tensor<1x256xf32>
}

// Attention has a modelled time as products have, in f32 whatever its type.
// ALL-LABEL: @attention
// ALL: mp.attention
func.func @attention(%q: tensor<2x4x64x32xf32>, %k: tensor<2x4x64x32xf32>) -> tensor<2x4x64x32xf32> {
  %y, %lse = mp.attention %q, %k, %k : tensor<2x4x64x32xf32>, tensor<2x4x64x32xf32>, tensor<2x4x64x32xf32>
  return %y : tensor<2x4x64x32xf32>
}
