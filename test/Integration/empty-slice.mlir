// A slice of nothing, and its gradient, which pads nothing to something: neither has data anywhere.
//
// RUN: mp-run compile %s --batch-size=4 --policy=float32 -o %t.mpx && mp-exec infer %t.mpx --random-inputs=1 --output=logits=@%t.cpu.npy
// RUN: mp-run infer %s --batch-size=4 --policy=float32 --device=reference --random-inputs=1 --expected_output=logits=@%t.cpu.npy --tolerance=1e-6
// RUN: mp-run compile %s --batch-size=4 --target=simt --chip=sm_80 -o %t.simt.mpx
// RUN: mp-exec benchmark %t.mpx --program=train_step --warmup=1 --repeat=1 --runs=1 | FileCheck %s
// CHECK: train_step on cpu

func.func @sliced(%x: tensor<?x16xf32> {mp.input = "x"}, %y: tensor<?xui8> {mp.input = "y"},
                  %w: tensor<16x4xf32> {mp.parameter = "w", mp.initializer = #mp.glorot_uniform<seed = 1>})
    -> (tensor<f32> {mp.loss}, tensor<?x4xf32> {mp.output = "logits"}) attributes {mp.program = "model"} {
  %z = mp.matmul %x, %w acc f32 : tensor<?x16xf32>, tensor<16x4xf32> -> tensor<?x4xf32>
  %e = mp.slice %z [:, 0:0] : tensor<?x4xf32> -> tensor<?x0xf32>
  %s = mp.reduce_sum %e dimensions [1] keep_dims : tensor<?x0xf32> -> tensor<?x1xf32>
  %l = mp.add %z, %s : tensor<?x4xf32>, tensor<?x1xf32> -> tensor<?x4xf32>
  %loss = mp.softmax_cross_entropy %l, %y : tensor<?x4xf32>, tensor<?xui8> -> tensor<f32>
  return %loss, %l : tensor<f32>, tensor<?x4xf32>
}
