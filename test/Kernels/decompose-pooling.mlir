// RUN: mp-opt %s -mp-decompose | FileCheck %s

// Behind the pooling nothing reads what was pooled.
// CHECK-LABEL: @relu_of_what_won
func.func @relu_of_what_won(%z: tensor<2x13x13x4xbf16>, %g: tensor<2x6x6x4xbf16>) -> (tensor<2x6x6x4xbf16>, tensor<2x13x13x4xbf16>) {
  // CHECK: %[[Y:.*]] = mp.relu
  // CHECK-NEXT: %[[P:.*]], %[[I:.*]] = mp.max_pool_with_indices %[[Y]] window [2, 2] : tensor<2x13x13x4xbf16> -> tensor<2x6x6x4xbf16>, tensor<2x6x6x4xui8>
  // CHECK-NOT: %[[Y]]
  // CHECK: %[[G:.*]] = mp.relu_grad %[[P]], %{{.*}} : tensor<2x6x6x4xbf16>
  // CHECK-NEXT: %[[U:.*]] = mp.max_unpool %[[I]], %[[G]] window [2, 2] : tensor<2x6x6x4xui8>, tensor<2x6x6x4xbf16> -> tensor<2x13x13x4xbf16>
  // CHECK-NEXT: return %[[P]], %[[U]]
  %y = mp.relu %z : tensor<2x13x13x4xbf16>
  %p = mp.max_pool %y {window = [2, 2]} : tensor<2x13x13x4xbf16> -> tensor<2x6x6x4xbf16>
  %a = mp.max_pool_grad %y, %g {window = [2, 2]} : tensor<2x13x13x4xbf16>, tensor<2x6x6x4xbf16> -> tensor<2x13x13x4xbf16>
  %b = mp.relu_grad %y, %a : tensor<2x13x13x4xbf16>
  return %p, %b : tensor<2x6x6x4xbf16>, tensor<2x13x13x4xbf16>
}

// CHECK-LABEL: @three_dimensions_without_relu
func.func @three_dimensions_without_relu(%y: tensor<2x3x5x6x4xf32>, %g: tensor<2x1x5x2x4xf32>) -> (tensor<2x1x5x2x4xf32>, tensor<2x3x5x6x4xf32>) {
  // CHECK: mp.max_pool_with_indices %{{.*}} window [2, 1, 3]
  // CHECK-NEXT: mp.max_unpool %{{.*}} window [2, 1, 3]
  %p = mp.max_pool %y {window = [2, 1, 3]} : tensor<2x3x5x6x4xf32> -> tensor<2x1x5x2x4xf32>
  %a = mp.max_pool_grad %y, %g {window = [2, 1, 3]} : tensor<2x3x5x6x4xf32>, tensor<2x1x5x2x4xf32> -> tensor<2x3x5x6x4xf32>
  return %p, %a : tensor<2x1x5x2x4xf32>, tensor<2x3x5x6x4xf32>
}

// Of two poolings of one image each has its own winners.
// CHECK-LABEL: @two_poolings
func.func @two_poolings(%y: tensor<2x6x4xf32>, %g: tensor<2x3x4xf32>, %h: tensor<2x2x4xf32>)
    -> (tensor<2x3x4xf32>, tensor<2x2x4xf32>, tensor<2x6x4xf32>, tensor<2x6x4xf32>) {
  // CHECK: %{{.*}}, %[[I:.*]] = mp.max_pool_with_indices %{{.*}} window [2]
  // CHECK: %{{.*}}, %[[J:.*]] = mp.max_pool_with_indices %{{.*}} window [3]
  // CHECK: mp.max_unpool %[[J]], %{{.*}} window [3]
  // CHECK: mp.max_unpool %[[I]], %{{.*}} window [2]
  %p = mp.max_pool %y {window = [2]} : tensor<2x6x4xf32> -> tensor<2x3x4xf32>
  %q = mp.max_pool %y {window = [3]} : tensor<2x6x4xf32> -> tensor<2x2x4xf32>
  %b = mp.max_pool_grad %y, %h {window = [3]} : tensor<2x6x4xf32>, tensor<2x2x4xf32> -> tensor<2x6x4xf32>
  %a = mp.max_pool_grad %y, %g {window = [2]} : tensor<2x6x4xf32>, tensor<2x3x4xf32> -> tensor<2x6x4xf32>
  return %p, %q, %b, %a : tensor<2x3x4xf32>, tensor<2x2x4xf32>, tensor<2x6x4xf32>, tensor<2x6x4xf32>
}

// A relu of something else is not that of the winners.
// CHECK-LABEL: @another_relu
func.func @another_relu(%y: tensor<2x6x4xf32>, %z: tensor<2x6x4xf32>, %g: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x6x4xf32>) {
  // CHECK: mp.max_unpool
  // CHECK: mp.relu_grad {{.*}} : tensor<2x6x4xf32>
  %p = mp.max_pool %y {window = [2]} : tensor<2x6x4xf32> -> tensor<2x3x4xf32>
  %a = mp.max_pool_grad %y, %g {window = [2]} : tensor<2x6x4xf32>, tensor<2x3x4xf32> -> tensor<2x6x4xf32>
  %b = mp.relu_grad %z, %a : tensor<2x6x4xf32>
  return %p, %b : tensor<2x3x4xf32>, tensor<2x6x4xf32>
}

// Nothing asks who won, nobody says so, or a pixel is of several windows, or of one that is padded, has gaps, or has more
// pixels than a byte tells apart.
// CHECK-LABEL: @as_they_are
// CHECK-NOT: indices
// CHECK-NOT: unpool
func.func @as_they_are(%x: tensor<2x8x4xf32>, %w: tensor<2x600x1xf32>, %g: tensor<2x4x4xf32>, %h: tensor<2x3x4xf32>, %v: tensor<2x2x1xf32>)
    -> (tensor<2x4x4xf32>, tensor<2x8x4xf32>, tensor<2x3x4xf32>, tensor<2x8x4xf32>, tensor<2x3x4xf32>, tensor<2x8x4xf32>, tensor<2x3x4xf32>, tensor<2x8x4xf32>, tensor<2x3x4xf32>, tensor<2x8x4xf32>, tensor<2x2x1xf32>, tensor<2x600x1xf32>) {
  %m = mp.relu %x : tensor<2x8x4xf32>
  %p0 = mp.max_pool %m {window = [2]} : tensor<2x8x4xf32> -> tensor<2x4x4xf32>
  %a0 = mp.max_pool_grad %x, %g {window = [2]} : tensor<2x8x4xf32>, tensor<2x4x4xf32> -> tensor<2x8x4xf32>
  %p1 = mp.max_pool %x {window = [3], strides = [2]} : tensor<2x8x4xf32> -> tensor<2x3x4xf32>
  %a1 = mp.max_pool_grad %x, %h {window = [3], strides = [2]} : tensor<2x8x4xf32>, tensor<2x3x4xf32> -> tensor<2x8x4xf32>
  %p2 = mp.max_pool %x {window = [3], padding = [1, 0]} : tensor<2x8x4xf32> -> tensor<2x3x4xf32>
  %a2 = mp.max_pool_grad %x, %h {window = [3], padding = [1, 0]} : tensor<2x8x4xf32>, tensor<2x3x4xf32> -> tensor<2x8x4xf32>
  %p3 = mp.max_pool %x {window = [3], padding = [0, 1]} : tensor<2x8x4xf32> -> tensor<2x3x4xf32>
  %a3 = mp.max_pool_grad %x, %h {window = [3], padding = [0, 1]} : tensor<2x8x4xf32>, tensor<2x3x4xf32> -> tensor<2x8x4xf32>
  %p4 = mp.max_pool %x {window = [2], dilations = [2]} : tensor<2x8x4xf32> -> tensor<2x3x4xf32>
  %a4 = mp.max_pool_grad %x, %h {window = [2], dilations = [2]} : tensor<2x8x4xf32>, tensor<2x3x4xf32> -> tensor<2x8x4xf32>
  %p5 = mp.max_pool %w {window = [300]} : tensor<2x600x1xf32> -> tensor<2x2x1xf32>
  %a5 = mp.max_pool_grad %w, %v {window = [300]} : tensor<2x600x1xf32>, tensor<2x2x1xf32> -> tensor<2x600x1xf32>
  return %p0, %a0, %p1, %a1, %p2, %a2, %p3, %a3, %p4, %a4, %p5, %a5 : tensor<2x4x4xf32>, tensor<2x8x4xf32>, tensor<2x3x4xf32>, tensor<2x8x4xf32>, tensor<2x3x4xf32>, tensor<2x8x4xf32>, tensor<2x3x4xf32>, tensor<2x8x4xf32>, tensor<2x3x4xf32>, tensor<2x8x4xf32>, tensor<2x2x1xf32>, tensor<2x600x1xf32>
}
