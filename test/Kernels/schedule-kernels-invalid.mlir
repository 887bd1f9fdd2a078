// RUN: mp-opt %s -mp-schedule-kernels=features=mmx -verify-diagnostics

// expected-error@+1 {{unknown level of CPU features 'mmx'; expected one of sse2, avx2, avx512, avx512bf16, amx-bf16, amx-fp16; and unknown chip 'mmx'; expected one of sm_70, }}
func.func @unknown() { return }
