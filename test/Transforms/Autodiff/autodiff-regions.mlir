// RUN: mp-opt %s -mp-autodiff -verify-diagnostics | FileCheck %s

// A region that runs once is opened where mp-autocast has not done it, nested ones, too; its ops keep their types.
// CHECK-LABEL: func.func @train_step(
// CHECK-NOT: mp.autocast
// CHECK: %[[E:.*]] = mp.exp %{{.*}} : tensor<f32>
// CHECK-NOT: mp.autocast
// CHECK: %[[G:.*]] = mp.mul %{{.*}}, %[[E]] : tensor<f32>, tensor<f32> -> tensor<f32>
// CHECK: return %{{.*}}, %[[G]]
func.func @nested(%w: tensor<f32> {mp.parameter = "w", mp.initializer = #mp.ones}) -> (tensor<f32> {mp.loss}) attributes {mp.program = "model"} {
  // expected-warning@+1 {{mp-autocast has not run on this region: its ops keep the types they have}}
  %l = mp.autocast type = f16 -> (tensor<f32>) {
    // expected-warning@+1 {{mp-autocast has not run on this region}}
    %n = mp.autocast enabled = false -> (tensor<f32>) {
      %e = mp.exp %w : tensor<f32>
      mp.yield %e : tensor<f32>
    }
    %r = mp.relu %n : tensor<f32>
    mp.yield %r : tensor<f32>
  }
  return %l : tensor<f32>
}
