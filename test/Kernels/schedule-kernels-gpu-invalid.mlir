// RUN: mp-opt %s -mp-schedule-kernels="features=sm_61" -verify-diagnostics

// expected-error@+1 {{chip 'sm_61' is below compute capability 7.0}}
func.func @old() { return }
