// RUN: mp-opt %s -mp-schedule-kernels=features=mmx -verify-diagnostics

// expected-error@+1 {{no target 'cpu' with level 'mmx'; there are cpu:sse2 cpu:avx2 cpu:avx512}}
func.func @unknown() { return }
