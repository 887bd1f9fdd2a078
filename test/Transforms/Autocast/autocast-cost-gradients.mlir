// What a step that trains takes: a product for the gradient of each factor that has one, which is what parameters have
// and what is computed of them.

// RUN: mp-opt %s -mp-autocast="policy=auto features=avx512bf16 plan-out=%t.plan" -remarks-filter=mp-autocast -o /dev/null 2> %t.remarks
// RUN: FileCheck %s --check-prefix=PLAN < %t.plan
// RUN: FileCheck %s --check-prefix=REMARKS < %t.remarks

// PLAN: # @plain
// PLAN-NEXT: 0 mp.matmul bf16: allow, [[TWO:[0-9.]+ us]] modelled, f32 [[TWO_WIDE:[0-9.]+ ms]]
func.func @plain(%x: tensor<200x512xf32>, %w: tensor<512x512xf32> {mp.parameter = "w"}) -> tensor<200x512xf32> {
  %0 = mp.matmul %x, %w acc f32 : tensor<200x512xf32>, tensor<512x512xf32> -> tensor<200x512xf32>
  return %0 : tensor<200x512xf32>
}

// The gradient of a bias is no product.
// PLAN: # @biased
// PLAN-NEXT: 0 mp.matmul bf16: allow, [[TWO]] modelled, f32 [[TWO_WIDE]]
func.func @biased(%x: tensor<200x512xf32>, %w: tensor<512x512xf32> {mp.parameter = "w"}, %b: tensor<512xf32> {mp.parameter = "b"}) -> tensor<200x512xf32> {
  %0 = mp.matmul %x, %w bias %b : tensor<512xf32> acc f32 : tensor<200x512xf32>, tensor<512x512xf32> -> tensor<200x512xf32>
  return %0 : tensor<200x512xf32>
}

// What is computed of inputs alone has no gradient.
// PLAN: # @image
// PLAN-NEXT: 0 mp.cast
// PLAN-NEXT: 1 mp.matmul bf16: allow, [[TWO]] modelled, f32 [[TWO_WIDE]]
func.func @image(%x: tensor<200x512xui8>, %w: tensor<512x512xf32> {mp.parameter = "w"}) -> tensor<200x512xf32> {
  %0 = mp.cast %x : tensor<200x512xui8> -> tensor<200x512xf32>
  %1 = mp.matmul %0, %w acc f32 : tensor<200x512xf32>, tensor<512x512xf32> -> tensor<200x512xf32>
  return %1 : tensor<200x512xf32>
}

// The second product has three, half as long again.
// PLAN: # @second
// PLAN-NEXT: 0 mp.matmul bf16: allow, {{6[0-9]+}} us modelled, f32 {{1.3[0-9]*}} ms
// PLAN-NEXT: 1 mp.matmul bf16: allow, {{9[0-9]+|1[01][0-9][0-9]}} us modelled, f32 {{(1.9|2)[0-9.]*}} ms
func.func @second(%x: tensor<200x512xf32>, %w: tensor<512x512xf32> {mp.parameter = "w"}, %v: tensor<512x512xf32> {mp.parameter = "v"}) -> tensor<200x512xf32> {
  %0 = mp.matmul %x, %w acc f32 : tensor<200x512xf32>, tensor<512x512xf32> -> tensor<200x512xf32>
  %1 = mp.matmul %0, %v acc f32 : tensor<200x512xf32>, tensor<512x512xf32> -> tensor<200x512xf32>
  return %1 : tensor<200x512xf32>
}

// Where nothing is left to the cost, nothing is said to be too little.
// REMARKS-COUNT-4: Modelled | {{.*}} f32 {{[0-9.]+ ms}}"
// REMARKS: Modelled | {{.*}}bf16 [[SAME:[0-9.]+ us]], f16 [[SAME]], f32 [[SAME]]"
// REMARKS: Modelled | {{.*}}; f32, for low types save less than 8 %"
func.func @requested(%x: tensor<256x64xf32>, %w: tensor<64x64xf32> {mp.parameter = "w"}) -> tensor<256x64xf32> {
  %0 = mp.matmul %x, %w acc f32 {mp.precision = bf16} : tensor<256x64xf32>, tensor<64x64xf32> -> tensor<256x64xf32>
  return %0 : tensor<256x64xf32>
}

func.func @little(%x: tensor<256x64xf32>, %w: tensor<64x64xf32> {mp.parameter = "w"}, %y: tensor<65536xf32> {mp.parameter = "y"}) -> (tensor<256x64xf32>, tensor<65536xf32>) {
  %0 = mp.matmul %x, %w acc f32 : tensor<256x64xf32>, tensor<64x64xf32> -> tensor<256x64xf32>
  %1 = mp.exp %y : tensor<65536xf32>
  %2 = mp.exp %1 : tensor<65536xf32>
  %3 = mp.exp %2 : tensor<65536xf32>
  return %0, %3 : tensor<256x64xf32>, tensor<65536xf32>
}
