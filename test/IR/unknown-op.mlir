// An op that is not there is told which there are, and the nearest.
// RUN: not mp-opt %s -split-input-file 2>&1 | FileCheck %s

// CHECK: error: custom op 'mp.rleu' is unknown; docs/ops.md lists the ops of models; did you mean 'mp.relu'?
func.func @near(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = mp.rleu %x : tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// CHECK: error: custom op 'mp.frobnicate' is unknown; docs/ops.md lists the ops of models{{$}}
func.func @far() {
  mp.frobnicate
  return
}
