// RUN: mp-opt %s -pass-pipeline='builtin.module(func.func(mp-pad-channels{features=sm_80},cse))' -split-input-file | FileCheck %s
// RUN: mp-opt %s -pass-pipeline='builtin.module(func.func(mp-pad-channels{features=sm_75},cse))' -split-input-file | FileCheck %s --check-prefix=SM75
// RUN: mp-opt %s -pass-pipeline='builtin.module(func.func(mp-pad-channels{features=sm_80},cse,mp-form-kernels))' -split-input-file | FileCheck %s --check-prefix=FORMED
// RUN: mp-opt %s -pass-pipeline='builtin.module(func.func(mp-pad-channels{features=avx512}))' -split-input-file | FileCheck %s --check-prefix=CPU
// RUN: mp-opt %s -pass-pipeline='builtin.module(func.func(mp-pad-channels{features=sm_80}))' -split-input-file -remarks-filter=mp-pad-channels -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: remark: [Passed] PaddedChannels | {{.*}}3 channels, 6 bytes of a pixel, became 4
// REMARK: 3 channels, 6 bytes of a pixel, became 4
// REMARK: 6 channels, 12 bytes of a pixel, became 8
// REMARK-COUNT-3: 3 channels, 6 bytes of a pixel, became 4, of 2 pixels together
// REMARK-COUNT-3: 3 channels, 6 bytes of a pixel, became 4"
// REMARK: 3 channels, 6 bytes of a pixel, became 4, of 2 pixels together
// REMARK: 4 channels, 8 bytes of a pixel, became 4, of 2 pixels together
// REMARK: 3 channels, 6 bytes of a pixel, became 4"
// REMARK-NOT: remark

// No pixel of a CPU's panels begins an access.
// CPU-NOT: mp.pad

// Without cp.async a second step costs what single elements do: 27 of k are one, 36 are two.
// SM75-LABEL: @step(
// SM75: mp.conv %arg0, %arg1
// SM75: mp.conv_filter_grad %{{.*}}, %arg2 {{.*}} -> tensor<16x3x3x4xf16>
// SM75-LABEL: @pairs(
// SM75: mp.conv %{{.*}}, %{{.*}} acc f32 {{.*}} : tensor<2x16x8x8xf16>

// One padded image serves the convolution and the gradient of its filters.
// CHECK-LABEL: @step(
// CHECK-SAME: %[[X:.*]]: tensor<2x8x8x3xf16>, %[[W:.*]]: tensor<16x3x3x3xf16>, %[[G:.*]]: tensor<2x8x8x16xf16>)
// CHECK-DAG: %[[PX:.*]] = mp.pad %[[X]] low [0, 0, 0, 0] high [0, 0, 0, 1] : tensor<2x8x8x3xf16> -> tensor<2x8x8x4xf16>
// CHECK-DAG: %[[PW:.*]] = mp.pad %[[W]] low [0, 0, 0, 0] high [0, 0, 0, 1] : tensor<16x3x3x3xf16> -> tensor<16x3x3x4xf16>
// CHECK: %[[Y:.*]] = mp.conv %[[PX]], %[[PW]] acc f32 {{.*}}padding = [1, 1, 1, 1]
// CHECK-SAME: tensor<2x8x8x4xf16>, tensor<16x3x3x4xf16> -> tensor<2x8x8x16xf16>
// CHECK-NOT: mp.pad
// CHECK: %[[B:.*]] = mp.conv_filter_grad %[[PX]], %[[G]] acc f32 {{.*}}padding = [1, 1, 1, 1]
// CHECK-SAME: -> tensor<16x3x3x4xf16>
// CHECK: %[[S:.*]] = mp.slice %[[B]] [:, :, :, :3] : tensor<16x3x3x4xf16> -> tensor<16x3x3x3xf16>
// CHECK: return %[[Y]], %[[S]]
func.func @step(%x: tensor<2x8x8x3xf16>, %w: tensor<16x3x3x3xf16>, %g: tensor<2x8x8x16xf16>) -> (tensor<2x8x8x16xf16>, tensor<16x3x3x3xf16>) {
  %y = mp.conv %x, %w acc f32 {padding = same} : tensor<2x8x8x3xf16>, tensor<16x3x3x3xf16> -> tensor<2x8x8x16xf16>
  %b = mp.conv_filter_grad %x, %g acc f32 {padding = same} : tensor<2x8x8x3xf16>, tensor<2x8x8x16xf16> -> tensor<16x3x3x3xf16>
  return %y, %b : tensor<2x8x8x16xf16>, tensor<16x3x3x3xf16>
}

// -----

// CHECK-LABEL: @image_gradient(
// CHECK: %[[W:.*]] = mp.pad %{{.*}} low [0, 0, 0] high [0, 0, 2] : tensor<16x3x6xbf16> -> tensor<16x3x8xbf16>
// CHECK: %[[A:.*]] = mp.conv_transpose %{{.*}}, %[[W]]
// CHECK: mp.slice %[[A]] [:, :, :6] : tensor<2x10x8xbf16> -> tensor<2x10x6xbf16>
func.func @image_gradient(%g: tensor<2x8x16xbf16>, %w: tensor<16x3x6xbf16>) -> tensor<2x10x6xbf16> {
  %a = mp.conv_transpose %g, %w acc f32 : tensor<2x8x16xbf16>, tensor<16x3x6xbf16> -> tensor<2x10x6xbf16>
  return %a : tensor<2x10x6xbf16>
}

// -----

// Windows that advance by two pixels read pairs of 8 channels. With three pixels of padding they would begin with the
// second of a pair: a tap of zeros is in front of the others.
// CHECK-LABEL: @pairs(
// CHECK-DAG: %[[PX:.*]] = mp.pad %arg0 low [0, 0, 0, 0] high [0, 0, 0, 1] : tensor<2x16x16x3xf16> -> tensor<2x16x16x4xf16>
// CHECK-DAG: %[[X:.*]] = mp.reshape %[[PX]] : tensor<2x16x16x4xf16> -> tensor<2x16x8x8xf16>
// CHECK-DAG: %[[PW:.*]] = mp.pad %arg1 low [0, 0, 1, 0] high [0, 0, 0, 1] : tensor<16x7x7x3xf16> -> tensor<16x7x8x4xf16>
// CHECK-DAG: %[[W:.*]] = mp.reshape %[[PW]] : tensor<16x7x8x4xf16> -> tensor<16x7x4x8xf16>
// CHECK: mp.conv %[[X]], %[[W]] acc f32 {strides = [2, 1], padding = [3, 3, 2, 1], {{.*}} : tensor<2x16x8x8xf16>, tensor<16x7x4x8xf16> -> tensor<2x8x8x16xf16>
// CHECK: %[[A:.*]] = mp.conv_transpose %arg2, %[[W]] acc f32 {strides = [2, 1], padding = [3, 3, 2, 1], {{.*}} -> tensor<2x16x8x8xf16>
// CHECK: %[[P:.*]] = mp.reshape %[[A]] : tensor<2x16x8x8xf16> -> tensor<2x16x16x4xf16>
// CHECK: mp.slice %[[P]] [:, :, :16, :3]
// CHECK: %[[B:.*]] = mp.conv_filter_grad %[[X]], %arg2 acc f32 {strides = [2, 1], padding = [3, 3, 2, 1], {{.*}} -> tensor<16x7x4x8xf16>
// CHECK: %[[T:.*]] = mp.reshape %[[B]] : tensor<16x7x4x8xf16> -> tensor<16x7x8x4xf16>
// CHECK: mp.slice %[[T]] [:, :, 1:8, :3] : tensor<16x7x8x4xf16> -> tensor<16x7x7x3xf16>
func.func @pairs(%x: tensor<2x16x16x3xf16>, %w: tensor<16x7x7x3xf16>, %g: tensor<2x8x8x16xf16>) -> (tensor<2x8x8x16xf16>, tensor<2x16x16x3xf16>, tensor<16x7x7x3xf16>) {
  %y = mp.conv %x, %w acc f32 {strides = [2, 2], padding = [3, 3, 3, 3]} : tensor<2x16x16x3xf16>, tensor<16x7x7x3xf16> -> tensor<2x8x8x16xf16>
  %a = mp.conv_transpose %g, %w acc f32 {strides = [2, 2], padding = [3, 3, 3, 3]} : tensor<2x8x8x16xf16>, tensor<16x7x7x3xf16> -> tensor<2x16x16x3xf16>
  %b = mp.conv_filter_grad %x, %g acc f32 {strides = [2, 2], padding = [3, 3, 3, 3]} : tensor<2x16x16x3xf16>, tensor<2x8x8x16xf16> -> tensor<16x7x7x3xf16>
  return %y, %a, %b : tensor<2x8x8x16xf16>, tensor<2x16x16x3xf16>, tensor<16x7x7x3xf16>
}

// -----

// An image that lies in memory in f32 is padded as it is converted, by one kernel.
// CHECK-LABEL: @converted(
// CHECK: %[[X:.*]] = mp.pad %arg0 {{.*}} : tensor<2x8x8x3xf32> -> tensor<2x8x8x4xf32>
// CHECK: %[[H:.*]] = mp.cast %[[X]] {autocast} : tensor<2x8x8x4xf32> -> tensor<2x8x8x4xf16>
// CHECK: mp.conv %[[H]]
// FORMED-LABEL: @converted(
// FORMED-COUNT-2: mp.kernel
// FORMED-NOT: mp.kernel
// FORMED: return
func.func @converted(%x: tensor<2x8x8x3xf32>, %w: tensor<16x3x3x3xf16>) -> tensor<2x6x6x16xf16> {
  %h = mp.cast %x {autocast} : tensor<2x8x8x3xf32> -> tensor<2x8x8x3xf16>
  %y = mp.conv %h, %w acc f32 : tensor<2x8x8x3xf16>, tensor<16x3x3x3xf16> -> tensor<2x6x6x16xf16>
  return %y : tensor<2x6x6x16xf16>
}

// -----

// Bytes are copied and converted by one kernel, whose pixels end with their first channel once more: filters have zeros
// there. All that read the image share it.
// CHECK-LABEL: @bytes(
// CHECK-NOT: mp.pad %arg0
// CHECK-DAG: %[[N:.*]] = mp.constant dense<[0, 1, 2, 0]> : tensor<4xi32>
// CHECK-DAG: %[[X:.*]] = mp.gather %arg0, %[[N]] dimension 3 : tensor<2x8x8x3xui8>, tensor<4xi32> -> tensor<2x8x8x4xui8>
// CHECK: %[[F:.*]] = mp.cast %[[X]] : tensor<2x8x8x4xui8> -> tensor<2x8x8x4xf32>
// CHECK: %[[S:.*]] = mp.mul %[[F]], %{{.*}} : tensor<2x8x8x4xf32>, tensor<f32> -> tensor<2x8x8x4xf32>
// CHECK: %[[H:.*]] = mp.cast %[[S]] {autocast} : tensor<2x8x8x4xf32> -> tensor<2x8x8x4xf16>
// CHECK: mp.conv %[[H]],
// CHECK-NOT: mp.gather
// CHECK: mp.conv_filter_grad %[[H]],
// FORMED-LABEL: @bytes(
// FORMED: %[[C:.*]]:2 = mp.kernel "pad_0"
// FORMED: mp.gather
// FORMED: mp.mul
// FORMED: mp.pad
// FORMED: mp.yield {{.*}} : tensor<2x8x8x4xf16>, tensor<16x3x3x4xf16>
// FORMED: mp.kernel "conv_1" ({{.*}} = %[[C]]#0, {{.*}} = %[[C]]#1)
// FORMED-NOT: mp.cast
// FORMED: mp.kernel "conv_filter_grad_2" ({{.*}} = %[[C]]#0, {{.*}})
func.func @bytes(%x: tensor<2x8x8x3xui8>, %w: tensor<16x3x3x3xf16>, %g: tensor<2x8x8x16xf16>) -> (tensor<2x8x8x16xf16>, tensor<16x3x3x3xf16>) {
  %f = mp.cast %x : tensor<2x8x8x3xui8> -> tensor<2x8x8x3xf32>
  %c = mp.constant dense<0.00392156886> : tensor<f32>
  %s = mp.mul %f, %c : tensor<2x8x8x3xf32>, tensor<f32> -> tensor<2x8x8x3xf32>
  %h = mp.cast %s {autocast} : tensor<2x8x8x3xf32> -> tensor<2x8x8x3xf16>
  %y = mp.conv %h, %w acc f32 {padding = same} : tensor<2x8x8x3xf16>, tensor<16x3x3x3xf16> -> tensor<2x8x8x16xf16>
  %b = mp.conv_filter_grad %h, %g acc f32 {padding = same} : tensor<2x8x8x3xf16>, tensor<2x8x8x16xf16> -> tensor<16x3x3x3xf16>
  return %y, %b : tensor<2x8x8x16xf16>, tensor<16x3x3x3xf16>
}

// -----

// So are bytes of pairs, two pixels of which are seen as one before they are copied.
// CHECK-LABEL: @pairs_of_bytes(
// CHECK-DAG: %[[P:.*]] = mp.reshape %arg0 : tensor<2x768xui8> -> tensor<2x16x8x6xui8>
// CHECK-DAG: %[[N:.*]] = mp.constant dense<[0, 1, 2, 0, 3, 4, 5, 3]> : tensor<8xi32>
// CHECK: %[[X:.*]] = mp.gather %[[P]], %[[N]] dimension 3 : {{.*}} -> tensor<2x16x8x8xui8>
// CHECK: %[[H:.*]] = mp.cast %[[X]] : tensor<2x16x8x8xui8> -> tensor<2x16x8x8xf16>
// CHECK: mp.conv %[[H]], %{{.*}} : tensor<2x16x8x8xf16>, tensor<16x7x4x8xf16>
// FORMED-LABEL: @pairs_of_bytes(
// FORMED-COUNT-2: mp.kernel
// FORMED-NOT: mp.kernel
// FORMED: return
func.func @pairs_of_bytes(%x: tensor<2x768xui8>, %w: tensor<16x7x7x3xf16>) -> tensor<2x8x8x16xf16> {
  %v = mp.reshape %x : tensor<2x768xui8> -> tensor<2x16x16x3xui8>
  %h = mp.cast %v : tensor<2x16x16x3xui8> -> tensor<2x16x16x3xf16>
  %y = mp.conv %h, %w acc f32 {strides = [2, 2], padding = [3, 3, 3, 3]} : tensor<2x16x16x3xf16>, tensor<16x7x7x3xf16> -> tensor<2x8x8x16xf16>
  return %y : tensor<2x8x8x16xf16>
}

// -----

// Four channels in bytes are whole as they are, and joined where they are converted. What a kernel computes of rows of
// its own is padded as it lies then.
// CHECK-LABEL: @whole(
// CHECK-NOT: mp.gather
// CHECK: %[[H:.*]] = mp.cast %arg0 : tensor<2x8x8x4xui8> -> tensor<2x8x8x4xf16>
// CHECK: mp.reshape %[[H]] : tensor<2x8x8x4xf16> -> tensor<2x8x4x8xf16>
// CHECK: %[[M:.*]] = mp.mul %arg2, %arg3
// CHECK: mp.pad %[[M]]
func.func @whole(%x: tensor<2x8x8x4xui8>, %w: tensor<16x4x4x4xf16>, %p: tensor<2x8x8x3xf16>, %c: tensor<3xf16>, %v: tensor<16x3x3x3xf16>) -> (tensor<2x3x3x16xf16>, tensor<2x6x6x16xf16>) {
  %h = mp.cast %x : tensor<2x8x8x4xui8> -> tensor<2x8x8x4xf16>
  %y = mp.conv %h, %w acc f32 {strides = [2, 2]} : tensor<2x8x8x4xf16>, tensor<16x4x4x4xf16> -> tensor<2x3x3x16xf16>
  %m = mp.mul %p, %c : tensor<2x8x8x3xf16>, tensor<3xf16> -> tensor<2x8x8x3xf16>
  %z = mp.conv %m, %v acc f32 : tensor<2x8x8x3xf16>, tensor<16x3x3x3xf16> -> tensor<2x6x6x16xf16>
  return %y, %z : tensor<2x3x3x16xf16>, tensor<2x6x6x16xf16>
}

// -----

// One channel would become four. Windows that share no pixel read each once, as the copy would. In f32 three channels
// are read one by one, and groups have channels of their own.
// CHECK-LABEL: @others(
// CHECK-NOT: mp.pad
func.func @others(%a: tensor<2x8x8x1xf16>, %v: tensor<16x3x3x1xf16>, %x: tensor<2x8x8x3xf16>, %p: tensor<16x4x4x3xf16>,
                  %y: tensor<2x8x8x3xf32>, %w: tensor<16x3x3x3xf32>, %z: tensor<2x8x8x6xf16>, %u: tensor<16x3x3x3xf16>)
    -> (tensor<2x6x6x16xf16>, tensor<2x2x2x16xf16>, tensor<2x6x6x16xf32>, tensor<2x6x6x16xf16>) {
  %0 = mp.conv %a, %v acc f32 : tensor<2x8x8x1xf16>, tensor<16x3x3x1xf16> -> tensor<2x6x6x16xf16>
  %1 = mp.conv %x, %p acc f32 {strides = [4, 4]} : tensor<2x8x8x3xf16>, tensor<16x4x4x3xf16> -> tensor<2x2x2x16xf16>
  %2 = mp.conv %y, %w acc f32 : tensor<2x8x8x3xf32>, tensor<16x3x3x3xf32> -> tensor<2x6x6x16xf32>
  %3 = mp.conv %z, %u acc f32 {groups = 2} : tensor<2x8x8x6xf16>, tensor<16x3x3x3xf16> -> tensor<2x6x6x16xf16>
  return %0, %1, %2, %3 : tensor<2x6x6x16xf16>, tensor<2x2x2x16xf16>, tensor<2x6x6x16xf32>, tensor<2x6x6x16xf16>
}
