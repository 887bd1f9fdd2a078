// Ops are denied by the place that mp-run explain prints, and where a pattern matches none, places are listed.
//
// RUN: mp-opt %s -mp-specialize=batch=2 -mp-autocast="deny=loc:26:8" 2>&1 | FileCheck %s --implicit-check-not=warning
// CHECK: mp.matmul %{{.*}}, %{{.*}} acc f32 : tensor<2x4xf32>
// CHECK: mp.matmul {{.*}} -> tensor<2x8xf16>
// RUN: mp-run explain %s --policy=mixed_float16 --deny=loc:26:8 | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: 26:8 {{ *}}mp.matmul {{ *}}f32 {{ *}}f32 {{ *}}deny (deny=loc:26:8)
// A number in the place of the line is a line: no op is at line 8, though one is at column 8.
// RUN: mp-opt %s -mp-specialize=batch=2 -mp-autocast="deny=loc:*:8" 2>&1 | FileCheck %s --check-prefix=COLUMN
// COLUMN: warning: mp-autocast: 'loc:*:8' matches the location of no op
// RUN: mp-opt %s -mp-specialize=batch=2 -mp-autocast="deny=loc:*places.mlir:26:8" 2>&1 | FileCheck %s --implicit-check-not=warning
// RUN: mp-opt %s -mp-specialize=batch=2 -mp-autocast="deny=loc:haed,loc:26:9,loc:zork" 2>&1 | FileCheck %s --check-prefix=NEAR
// NEAR: 'loc:haed' matches the location of no op; did you mean 'loc:head'? ops are at loc:head, loc:26:8, loc:a1, loc:a2, loc:a3 and 3 other places
// NEAR: 'loc:26:9' matches the location of no op; did you mean 'loc:26:8'? ops are at loc:26:8, loc:head
// NEAR: 'loc:zork' matches the location of no op; ops are at loc:26:8, loc:head
// A name is one though it looks like a place; quotes leave the places of the file out.
// RUN: mp-run explain %s --policy=mixed_float16 --deny='loc:b*' | FileCheck %s --check-prefix=NAME
// NAME: b:0:1 {{.*}}mp.tanh {{.*}}deny (deny=loc:b*)
// RUN: mp-run explain %s --policy=mixed_float16 '--deny=loc:"*:1"' | FileCheck %s --check-prefix=QUOTED
// QUOTED-NOT: deny=
// QUOTED: b:0:1 {{.*}}mp.tanh {{.*}}deny (deny=loc:"*:1")
// QUOTED-NOT: deny=

func.func @model(%x: tensor<?x4xf32> {mp.input = "x"}, %w: tensor<4x4xf32> {mp.parameter = "w", mp.initializer = #mp.zeros},
                 %v: tensor<4x8xf32> {mp.parameter = "v", mp.initializer = #mp.zeros}) -> (tensor<?x8xf32> {mp.output = "y"}) attributes {mp.program = "model"} {
  %h = mp.matmul %x, %w acc f32 : tensor<?x4xf32>, tensor<4x4xf32> -> tensor<?x4xf32>
  %y = mp.matmul %h, %v acc f32 : tensor<?x4xf32>, tensor<4x8xf32> -> tensor<?x8xf32> loc("head")
  %a = mp.relu %y : tensor<?x8xf32> loc("a1")
  %b = mp.relu %a : tensor<?x8xf32> loc("a2")
  %c = mp.relu %b : tensor<?x8xf32> loc("a3")
  %d = mp.relu %c : tensor<?x8xf32> loc("a4")
  %e = mp.relu %d : tensor<?x8xf32> loc("a5")
  %f = mp.tanh %e : tensor<?x8xf32> loc("b:0:1")
  return %f : tensor<?x8xf32>
}
