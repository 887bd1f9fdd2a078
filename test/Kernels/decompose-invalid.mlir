// RUN: mp-opt %s -mp-decompose -split-input-file -verify-diagnostics

func.func @open(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{has a value of type 'tensor<?xf32>', expected a static shape; run mp-specialize first}}
  %0 = mp.relu %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @region(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{a program of kernels has no region op; run mp-autocast first}}
  %0 = mp.autocast -> (tensor<4xf32>) {
    mp.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
