// RUN: mp-opt %s -mp-plan-buffers -verify-diagnostics

func.func @outside(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{has no buffer outside of a kernel; run mp-form-kernels first}}
  %0 = mp.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
