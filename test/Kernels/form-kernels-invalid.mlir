// RUN: mp-opt %s -mp-form-kernels -split-input-file -verify-diagnostics

func.func @composite(%x: tensor<4xf32>) -> tensor<f32> {
  // expected-error@+1 {{is composite; run mp-decompose first}}
  %0 = mp.global_norm %x : tensor<4xf32>
  return %0 : tensor<f32>
}

// -----

func.func @open(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{has a value of type 'tensor<?xf32>', expected a static shape; run mp-specialize first}}
  %0 = mp.relu %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @foreign(%x: f32) -> f32 {
  // expected-error@+1 {{cannot be in a kernel; only decomposed mp ops can}}
  %0 = arith.negf %x : f32
  return %0 : f32
}
