// Two convolutions through every stage that makes a model train.

// RUN: mp-opt %S/../Integration/Inputs/two_convs.mlir --mp-training="batch=4 derived-weights=false" | FileCheck %s
// RUN: mp-opt %S/../Integration/Inputs/two_convs.mlir --mp-training="batch=4 policy=pytorch derived-weights=false" | FileCheck %s
// RUN: mp-opt %S/../Integration/Inputs/two_convs.mlir --mp-training="batch=4 policy=tensorflow derived-weights=false" | FileCheck %s

// Forward in f16, the filter gradients too, each cast to f32, unscaled and given to Adam. No gradient of the images is
// made; that of the second layer's is.
// CHECK: func.func @train_step(
// CHECK: mp.conv %{{.*}}, %{{.*}} bias %{{.*}} : tensor<4xf16> acc f32 {strides = [1, 1], padding = [1, 1, 1, 1], dilations = [1, 1], groups = 1} : tensor<4x8x8x2xf16>, tensor<4x3x3x2xf16> -> tensor<4x8x8x4xf16>
// CHECK: mp.relu %{{.*}} : tensor<4x8x8x4xf16>
// CHECK: mp.conv %{{.*}}, %{{.*}} acc f32 {strides = [2, 2], padding = [0, 1, 0, 1], dilations = [1, 1], groups = 2} : tensor<4x8x8x4xf16>, tensor<6x3x3x2xf16> -> tensor<4x4x4x6xf16>
// CHECK: mp.scale_loss
// CHECK: %[[GX:.*]] = mp.conv_transpose {{.*}} -> tensor<4x8x8x4xf16>
// CHECK: %[[GW2:.*]] = mp.conv_filter_grad {{.*}} -> tensor<6x3x3x2xf16>
// CHECK-NOT: mp.conv_transpose
// CHECK: %[[GW1:.*]] = mp.conv_filter_grad {{.*}} -> tensor<4x3x3x2xf16>
// CHECK: mp.unscale
// CHECK-COUNT-4: mp.adam

// RUN: mp-opt %S/../Integration/Inputs/two_convs.mlir --mp-specialize=batch=4 --mp-autocast="policy=mixed_bfloat16 deny=mp.conv" | FileCheck %s --check-prefix=DENY
// DENY-COUNT-2: mp.conv {{.*}} -> tensor<4x{{[0-9]x[0-9]x[0-9]}}xf32>
