// RUN: mp-opt %s -mp-decompose | FileCheck %s

// CHECK-LABEL: @pixels_of_each_image_come_first
func.func @pixels_of_each_image_come_first(%x: tensor<64x32x32x16xf32>) -> tensor<16xf32> {
  // CHECK: %[[IMAGES:.*]] = mp.reduce_sum %arg0 dimensions [1, 2] : tensor<64x32x32x16xf32> -> tensor<64x16xf32>
  // CHECK: %[[SUM:.*]] = mp.reduce_sum %[[IMAGES]] dimensions [0] : tensor<64x16xf32> -> tensor<16xf32>
  // CHECK: return %[[SUM]]
  %s = mp.reduce_sum %x dimensions [0, 1, 2] : tensor<64x32x32x16xf32> -> tensor<16xf32>
  return %s : tensor<16xf32>
}

// Sums between the steps are f32.
// CHECK-LABEL: @few_images_by_rows_of_pixels
func.func @few_images_by_rows_of_pixels(%x: tensor<2x256x256x8xbf16>) -> tensor<8xbf16> {
  // CHECK: %[[WIDE:.*]] = mp.cast %arg0 : tensor<2x256x256x8xbf16> -> tensor<2x256x256x8xf32>
  // CHECK: %[[ROWS:.*]] = mp.reduce_sum %[[WIDE]] dimensions [2] : tensor<2x256x256x8xf32> -> tensor<2x256x8xf32>
  // CHECK: %[[SUM:.*]] = mp.reduce_sum %[[ROWS]] dimensions [0, 1] : tensor<2x256x8xf32> -> tensor<8xf32>
  // CHECK: mp.cast %[[SUM]] : tensor<8xf32> -> tensor<8xbf16>
  %s = mp.reduce_sum %x dimensions [0, 1, 2] : tensor<2x256x256x8xbf16> -> tensor<8xbf16>
  return %s : tensor<8xbf16>
}

// CHECK-LABEL: @sequences
func.func @sequences(%x: tensor<4x512x256xf64>) -> tensor<256xf64> {
  // CHECK: mp.reduce_sum %arg0 dimensions [1] : tensor<4x512x256xf64> -> tensor<4x256xf64>
  // CHECK: mp.reduce_sum %{{.*}} dimensions [0] : tensor<4x256xf64> -> tensor<256xf64>
  %s = mp.reduce_sum %x dimensions [0, 1] : tensor<4x512x256xf64> -> tensor<256xf64>
  return %s : tensor<256xf64>
}

// Few elements, many columns, one image of one row, and sums of other dimensions are of one step.
// CHECK-LABEL: @others_stay
func.func @others_stay(%few: tensor<16x32x32x15xf32>, %wide: tensor<8x64x1024xf32>, %one: tensor<1x1x65536x8xf32>, %matrix: tensor<65536x16xf32>)
    -> (tensor<15xf32>, tensor<1024xf32>, tensor<8xf32>, tensor<16xf32>, tensor<1x1x65536xf32>) {
  // CHECK: mp.reduce_sum %arg0 dimensions [0, 1, 2]
  %a = mp.reduce_sum %few dimensions [0, 1, 2] : tensor<16x32x32x15xf32> -> tensor<15xf32>
  // CHECK: mp.reduce_sum %arg1 dimensions [0, 1]
  %b = mp.reduce_sum %wide dimensions [0, 1] : tensor<8x64x1024xf32> -> tensor<1024xf32>
  // CHECK: mp.reduce_sum %arg2 dimensions [0, 1, 2]
  %c = mp.reduce_sum %one dimensions [0, 1, 2] : tensor<1x1x65536x8xf32> -> tensor<8xf32>
  // CHECK: mp.reduce_sum %arg3 dimensions [0]
  %d = mp.reduce_sum %matrix dimensions [0] : tensor<65536x16xf32> -> tensor<16xf32>
  // CHECK: mp.reduce_sum %arg2 dimensions [3]
  %e = mp.reduce_sum %one dimensions [3] : tensor<1x1x65536x8xf32> -> tensor<1x1x65536xf32>
  return %a, %b, %c, %d, %e : tensor<15xf32>, tensor<1024xf32>, tensor<8xf32>, tensor<16xf32>, tensor<1x1x65536xf32>
}

// CHECK-LABEL: @of_no_dimension
func.func @of_no_dimension(%x: tensor<f32>, %y: tensor<8xf32>) -> (tensor<f32>, tensor<8xf32>, tensor<f32>) {
  %a = mp.reduce_sum %x dimensions [] : tensor<f32> -> tensor<f32>
  %b = mp.reduce_sum %y dimensions [] : tensor<8xf32> -> tensor<8xf32>
  // CHECK: mp.reduce_sum %arg1 dimensions [0] : tensor<8xf32> -> tensor<f32>
  %c = mp.reduce_sum %y dimensions [0] : tensor<8xf32> -> tensor<f32>
  return %a, %b, %c : tensor<f32>, tensor<8xf32>, tensor<f32>
}
