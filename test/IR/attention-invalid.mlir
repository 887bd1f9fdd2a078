// RUN: mp-opt %s -split-input-file -verify-diagnostics

// mp.attention (C1)
func.func @types(%q: tensor<2x4x8x16xf16>, %k: tensor<2x4x8x16xf32>) {
  // expected-error @+1 {{failed to verify that all of {query, key, value} have same element type}}
  %0:2 = mp.attention %q, %k, %k : tensor<2x4x8x16xf16>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>
  return
}
// -----
// mp.attention (C2)
func.func @rank(%q: tensor<4x8x16xf16>) {
  // expected-error @+1 {{query is [4x8x16], key [4x8x16], value [4x8x16], expected [B, H, T, d], [B, G, S, d] and [B, G, S, e], where G divides H}}
  %0:2 = mp.attention %q, %q, %q : tensor<4x8x16xf16>, tensor<4x8x16xf16>, tensor<4x8x16xf16>
  return
}
// -----
// mp.attention (C2)
func.func @heads(%q: tensor<2x4x8x16xf16>, %k: tensor<2x3x8x16xf16>) {
  // expected-error @+1 {{query is [2x4x8x16], key [2x3x8x16], value [2x3x8x16], expected [B, H, T, d]}}
  %0:2 = mp.attention %q, %k, %k : tensor<2x4x8x16xf16>, tensor<2x3x8x16xf16>, tensor<2x3x8x16xf16>
  return
}
// -----
// mp.attention (C2)
func.func @no_heads(%q: tensor<2x0x8x16xf16>) {
  // expected-error @+1 {{query is [2x0x8x16]}}
  %0:2 = mp.attention %q, %q, %q : tensor<2x0x8x16xf16>, tensor<2x0x8x16xf16>, tensor<2x0x8x16xf16>
  return
}
// -----
// mp.attention (C2)
func.func @depth(%q: tensor<2x4x8x16xf16>, %k: tensor<2x4x8x12xf16>) {
  // expected-error @+1 {{query is [2x4x8x16], key [2x4x8x12]}}
  %0:2 = mp.attention %q, %k, %k : tensor<2x4x8x16xf16>, tensor<2x4x8x12xf16>, tensor<2x4x8x12xf16>
  return
}
// -----
// mp.attention (C2)
func.func @no_depth(%q: tensor<2x4x8x0xf16>) {
  // expected-error @+1 {{query is [2x4x8x0]}}
  %0:2 = mp.attention %q, %q, %q : tensor<2x4x8x0xf16>, tensor<2x4x8x0xf16>, tensor<2x4x8x0xf16>
  return
}
// -----
// mp.attention (C2)
func.func @keys(%q: tensor<2x4x8x16xf16>, %v: tensor<2x4x9x16xf16>) {
  // expected-error @+1 {{key [2x4x8x16], value [2x4x9x16]}}
  %0:2 = mp.attention %q, %q, %v : tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>, tensor<2x4x9x16xf16>
  return
}
// -----
// mp.attention (C2)
func.func @batch(%q: tensor<2x4x8x16xf16>, %k: tensor<3x4x8x16xf16>) {
  // expected-error @+1 {{query is [2x4x8x16], key [3x4x8x16]}}
  %0:2 = mp.attention %q, %k, %k : tensor<2x4x8x16xf16>, tensor<3x4x8x16xf16>, tensor<3x4x8x16xf16>
  return
}
// -----
// mp.attention (C2)
func.func @open(%q: tensor<2x4x?x16xf16>) {
  // expected-error @+1 {{query is [2x4x?x16], key [2x4x?x16], value [2x4x?x16], expected [B, H, T, d], [B, G, S, d] and [B, G, S, e], where G divides H, d and e are at least 1, and no size is open but B}}
  %0:2 = mp.attention %q, %q, %q : tensor<2x4x?x16xf16>, tensor<2x4x?x16xf16>, tensor<2x4x?x16xf16>
  return
}
// -----
// mp.attention (C3)
func.func @mask(%q: tensor<2x4x8x16xf16>, %m: tensor<8x7xi1>) {
  // expected-error @+1 {{mask is 'tensor<8x7xi1>', expected i1 or a float no wider than 'f32' that broadcasts to [2x4x8x8]}}
  %0:2 = mp.attention %q, %q, %q mask %m : tensor<8x7xi1> : tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>
  return
}
// -----
// mp.attention (C3)
func.func @mask_of_more(%q: tensor<2x4x8x16xf16>, %m: tensor<1x1x1x8x8xi1>) {
  // expected-error @+1 {{mask is 'tensor<1x1x1x8x8xi1>'}}
  %0:2 = mp.attention %q, %q, %q mask %m : tensor<1x1x1x8x8xi1> : tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>
  return
}
// -----
// mp.attention (C3)
func.func @open_mask(%q: tensor<2x4x8x16xf16>, %m: tensor<?x8xi1>) {
  // expected-error @+1 {{mask is 'tensor<?x8xi1>'}}
  %0:2 = mp.attention %q, %q, %q mask %m : tensor<?x8xi1> : tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>
  return
}
// -----
// mp.attention (C3)
func.func @wide_mask(%q: tensor<2x4x8x16xf32>, %m: tensor<8x8xf64>) {
  // expected-error @+1 {{mask is 'tensor<8x8xf64>', expected i1 or a float no wider than 'f32'}}
  %0:2 = mp.attention %q, %q, %q mask %m : tensor<8x8xf64> : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>
  return
}
// -----
// mp.attention (C4)
func.func @causal(%q: tensor<2x4x8x16xf16>, %k: tensor<2x4x9x16xf16>) {
  // expected-error @+1 {{is causal with 8 queries and 9 keys, expected as many; a mask says which keys a query has}}
  %0:2 = mp.attention %q, %k, %k causal : tensor<2x4x8x16xf16>, tensor<2x4x9x16xf16>, tensor<2x4x9x16xf16>
  return
}
// -----
// mp.attention (C5)
func.func @rate(%q: tensor<2x4x8x16xf16>, %rng: tensor<2xi64>) {
  // expected-error @+1 {{rate is 1.000000e+00, expected at least 0 and less than 1}}
  %0:2 = mp.attention %q, %q, %q rng %rng {rate = 1.0 : f64} : tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>
  return
}
// -----
// mp.attention (C5)
func.func @stream(%q: tensor<2x4x8x16xf16>, %rng: tensor<2xi64>) {
  // expected-error @+1 {{stream is -1, expected at least 0}}
  %0:2 = mp.attention %q, %q, %q rng %rng {rate = 0.5 : f64, stream = -1 : i64} : tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>
  return
}
// -----
// mp.attention (C5)
func.func @no_rng(%q: tensor<2x4x8x16xf16>) {
  // expected-error @+1 {{has rate 5.000000e-01 and no rng, expected one}}
  %0:2 = mp.attention %q, %q, %q {rate = 0.5 : f64} : tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>
  return
}
// -----
// mp.attention (C5)
func.func @no_rate(%q: tensor<2x4x8x16xf16>, %rng: tensor<2xi64>) {
  // expected-error @+1 {{has rate 0.000000e+00 and an rng, expected none}}
  %0:2 = mp.attention %q, %q, %q rng %rng : tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>
  return
}
// -----
// mp.attention (C6)
func.func @scale(%q: tensor<2x4x8x16xf16>) {
  // expected-error @+1 {{scale is INF, expected a finite number}}
  %0:2 = mp.attention %q, %q, %q {scale = 0x7FF0000000000000 : f64} : tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>
  return
}
// -----
// mp.attention_grad (C1)
func.func @types_of_gradient(%q: tensor<2x4x8x16xf16>, %k: tensor<2x4x8x16xf32>, %lse: tensor<2x4x8xf32>) {
  // expected-error @+1 {{failed to verify that all of {query, key, value} have same element type}}
  %0:3 = mp.attention_grad %q, %k, %k, %lse, %q, %lse : tensor<2x4x8x16xf16>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8xf32>, tensor<2x4x8x16xf16>
  return
}
// -----
// mp.attention_grad (C2)
func.func @heads_of_gradient(%q: tensor<2x4x8x16xf16>, %k: tensor<2x3x8x16xf16>, %lse: tensor<2x4x8xf32>) {
  // expected-error @+1 {{query is [2x4x8x16], key [2x3x8x16], value [2x3x8x16], expected [B, H, T, d]}}
  %0:3 = mp.attention_grad %q, %k, %k, %lse, %q, %lse : tensor<2x4x8x16xf16>, tensor<2x3x8x16xf16>, tensor<2x3x8x16xf16>, tensor<2x4x8xf32>, tensor<2x4x8x16xf16>
  return
}
// -----
// mp.attention_grad (C3)
func.func @mask_of_gradient(%q: tensor<2x4x8x16xf16>, %lse: tensor<2x4x8xf32>, %m: tensor<7x8xi1>) {
  // expected-error @+1 {{mask is 'tensor<7x8xi1>'}}
  %0:3 = mp.attention_grad %q, %q, %q, %lse, %q, %lse mask %m : tensor<7x8xi1> : tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>, tensor<2x4x8xf32>, tensor<2x4x8x16xf16>
  return
}
// -----
// mp.attention_grad (C4)
func.func @causal_gradient(%q: tensor<2x4x8x16xf16>, %k: tensor<2x4x9x16xf16>, %lse: tensor<2x4x8xf32>) {
  // expected-error @+1 {{is causal with 8 queries and 9 keys, expected as many}}
  %0:3 = mp.attention_grad %q, %k, %k, %lse, %q, %lse causal : tensor<2x4x8x16xf16>, tensor<2x4x9x16xf16>, tensor<2x4x9x16xf16>, tensor<2x4x8xf32>, tensor<2x4x8x16xf16>
  return
}
// -----
// mp.attention_grad (C5)
func.func @rate_of_gradient(%q: tensor<2x4x8x16xf16>, %lse: tensor<2x4x8xf32>) {
  // expected-error @+1 {{has rate 5.000000e-01 and no rng, expected one}}
  %0:3 = mp.attention_grad %q, %q, %q, %lse, %q, %lse {rate = 0.5 : f64} : tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>, tensor<2x4x8xf32>, tensor<2x4x8x16xf16>
  return
}
// -----
// mp.attention_grad (C6)
func.func @scale_of_gradient(%q: tensor<2x4x8x16xf16>, %lse: tensor<2x4x8xf32>) {
  // expected-error @+1 {{scale is nan, expected a finite number}}
  %0:3 = mp.attention_grad %q, %q, %q, %lse, %q, %lse {scale = 0x7FF8000000000000 : f64} : tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>, tensor<2x4x8xf32>, tensor<2x4x8x16xf16>
  return
}
// -----
// mp.attention_grad (C7)
func.func @gradient(%q: tensor<2x4x8x16xf16>, %lse: tensor<2x4x8xf32>, %g: tensor<2x4x8x12xf16>) {
  // expected-error @+1 {{gradient is 'tensor<2x4x8x12xf16>' and lse 'tensor<2x4x8xf32>', expected 'tensor<2x4x8x16xf16>' and 'tensor<2x4x8xf32>'}}
  %0:3 = mp.attention_grad %q, %q, %q, %lse, %g, %lse : tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>, tensor<2x4x8xf32>, tensor<2x4x8x12xf16>
  return
}
// -----
// mp.attention_grad (C7)
func.func @lse(%q: tensor<2x4x8x16xf16>, %lse: tensor<2x4x8xf16>) {
  // expected-error @+1 {{lse 'tensor<2x4x8xf16>', expected 'tensor<2x4x8x16xf16>' and 'tensor<2x4x8xf32>'}}
  %0:3 = mp.attention_grad %q, %q, %q, %lse, %q, %lse : tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>, tensor<2x4x8xf16>, tensor<2x4x8x16xf16>
  return
}
