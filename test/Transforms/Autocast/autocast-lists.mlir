// RUN: mp-opt %s -mp-autocast="deny=relu" | FileCheck %s --check-prefix=NAME
// RUN: mp-opt %s -mp-autocast="allow=mp.reduce_sum[keep_dims]" | FileCheck %s --check-prefix=ATTRIBUTE
// RUN: mp-opt %s -mp-autocast="allow=mp.compare[predicate=gt]" | FileCheck %s --check-prefix=VALUE
// RUN: mp-opt %s -mp-autocast="deny=loc:encoder/* allow=loc:*exp" | FileCheck %s --check-prefix=PLACE
// RUN: mp-opt %s -mp-autocast="not-allow=matmul" | FileCheck %s --check-prefix=OUT
// RUN: mp-opt %s -mp-autocast="not-deny=mp.exp infer=mp.exp" | FileCheck %s --check-prefix=MOVED
// RUN: mp-opt %s -mp-autocast="policy=tensorflow" | FileCheck %s --check-prefix=TENSORFLOW
// RUN: mp-opt %s -mp-autocast="policy=pytorch" | FileCheck %s --check-prefix=PYTORCH
// RUN: mp-opt %s -mp-autocast="policy=%S/Inputs/brain.policy" | FileCheck %s --check-prefix=FILE
// RUN: mp-opt %s -mp-autocast="policy=%S/Inputs/brain.policy clear=mp.relu" | FileCheck %s --check-prefix=USER

// NAME: mp.matmul {{.*}} -> tensor<4x4xf16>
// NAME: mp.relu {{.*}} : tensor<4x4xf32>

// ATTRIBUTE: mp.reduce_sum {{.*}} keep_dims : tensor<4x4xf16>
// ATTRIBUTE: mp.reduce_sum {{.*}} dimensions [1] : tensor<4x4xf32>

// VALUE: mp.compare gt {{.*}} : tensor<4x4xf16>
// VALUE: mp.compare lt {{.*}} : tensor<4x4xf32>

// PLACE: mp.matmul {{.*}} -> tensor<4x4xf32>
// PLACE: mp.relu {{.*}} : tensor<4x4xf32>
// PLACE: mp.exp {{.*}} : tensor<4x4xf16>

// OUT-NOT: f16

// MOVED: mp.relu {{.*}} : tensor<4x4xf16>
// MOVED: mp.exp {{.*}} : tensor<4x4xf16>

// TensorFlow infers log and softmax, PyTorch and Halfstep deny them; PyTorch does not list mean.
// TENSORFLOW: mp.log {{.*}} : tensor<4x4xf16>
// TENSORFLOW: mp.reduce_mean {{.*}} : tensor<4x4xf32>
// PYTORCH: mp.log {{.*}} : tensor<4x4xf32>
// PYTORCH: mp.reduce_mean {{.*}} : tensor<4x4xf16>

// FILE: mp.matmul {{.*}} -> tensor<4x4xbf16>
// FILE: mp.relu {{.*}} : tensor<4x4xf32>
// USER: mp.matmul {{.*}} -> tensor<4x4xbf16>
// USER: mp.relu {{.*}} : tensor<4x4xbf16>
func.func @f(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x1xf32>, tensor<4xf32>, tensor<4x4xi1>, tensor<4x4xi1>, tensor<4x4xf32>, tensor<4xf32>) {
  %0 = mp.matmul %x, %x acc f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32> loc("encoder/matmul")
  %1 = mp.relu %0 : tensor<4x4xf32> loc("encoder/relu")
  %2 = mp.exp %1 : tensor<4x4xf32> loc("decoder/exp")
  %3 = mp.reduce_sum %0 dimensions [1] keep_dims : tensor<4x4xf32> -> tensor<4x1xf32>
  %4 = mp.reduce_sum %0 dimensions [1] : tensor<4x4xf32> -> tensor<4xf32>
  %5 = mp.compare gt %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xi1>
  %6 = mp.compare lt %x, %x : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xi1>
  %7 = mp.log %0 : tensor<4x4xf32>
  %8 = mp.reduce_mean %0 dimensions [1] : tensor<4x4xf32> -> tensor<4xf32>
  return %2, %3, %4, %5, %6, %7, %8 : tensor<4x4xf32>, tensor<4x1xf32>, tensor<4xf32>, tensor<4x4xi1>, tensor<4x4xi1>, tensor<4x4xf32>, tensor<4xf32>
}
