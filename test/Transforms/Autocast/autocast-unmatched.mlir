// A pattern that matches nothing changes nothing: it may be a slip.
//
// RUN: mp-opt %s -mp-specialize=batch=2 -mp-autocast="deny=loc:hed,loc:he*" 2>&1 | FileCheck %s --implicit-check-not=warning
// CHECK: warning: mp-autocast: 'loc:hed' matches the location of no op; did you mean 'loc:head'? ops are at loc:head
// CHECK: mp.matmul {{.*}} -> tensor<2x8xf32>

func.func @model(%x: tensor<?x4xf32> {mp.input = "x"}, %w: tensor<4x8xf32> {mp.parameter = "w", mp.initializer = #mp.zeros})
    -> (tensor<?x8xf32> {mp.output = "y"}) attributes {mp.program = "model"} {
  %y = mp.matmul %x, %w acc f32 : tensor<?x4xf32>, tensor<4x8xf32> -> tensor<?x8xf32> loc("head")
  return %y : tensor<?x8xf32>
}
