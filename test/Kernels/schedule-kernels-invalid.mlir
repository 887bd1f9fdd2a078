// RUN: mp-opt %s -mp-schedule-kernels=features=mmx -verify-diagnostics

// expected-error@+1 {{no level of CPU features is called 'mmx'; there are sse2, avx2, avx512; and no chip is called 'mmx'; there are sm_70, }}
func.func @unknown() { return }
