// Convolutions of each channel by itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_DEPTHWISE_OPS_TD
#define MP_DEPTHWISE_OPS_TD

include "mp/IR/MPKernelOps.td"

// What mp-decompose makes of a convolution whose groups are single channels, and of its gradients: maps, for nothing is
// shared that a matrix product would read again. Neighbours in memory are neighbours among channels, of the taps too.
class MP_DepthwiseOp<string mnemonic>
    : MP_KernelLevelOp<mnemonic, MP_RoleMap, [DeclareOpInterfaceMethods<MP_ShapeOpInterface, ["inferShape"]>]> {
  let rows = MP_AllRows;
  let extraClassDeclaration = [{
    /// Of each spatial dimension: image, window and result of the convolution that this is, or a gradient of.
    ::llvm::SmallVector<::mp::Window, 3> getWindows();
    /// One for each channel.
    int64_t getGroups();
    bool readsWhole(::mlir::OpOperand &operand) { return operand.getOperandNumber() < 2; }
    int64_t getOperationsPerElement();
  }];
  // One number per spatial dimension, two of the padding.
  dag windows = (ins DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$padding,
                     DenseI64ArrayAttr:$dilations);
  let results = (outs MP_FloatTensor:$result);
  let hasVerifier = 1;
}

def MP_DepthwiseConvOp : MP_DepthwiseOp<"depthwise_conv"> {
  let scaling = [MP_Factor, MP_Factor, MP_Term];
  let summary = "convolution of images [N, spatial..., C], each channel with a filter of its own";
  let description = [{
    `mp.conv` of C groups and as many filters: `result[n, p, q, c] = sum_{r, s} image[n, h, w, c] * taps[r * S + s, c] +
    bias[c]`, with h and w as there; with `reversed` the taps go from the last to the first. A product with a pixel beyond
    the image is left out. Sums have the type of `taps`, each product is added by a fused multiply-add, in the order of
    the image's pixels; `bias` is added behind them, and the result is rounded once.

    Constraints as `mp.conv`, with filters [C, window..., 1] and C groups, and:
    - (C10) `taps` are f32, f64 for an image of f64; result and `bias` have the image's element type or that of `taps`.
    - (C11) `taps` have shape [taps of a window, C].

    Example:

    ```mlir
    %y = mp.depthwise_conv %x, %w window [3, 3] strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] : tensor<2x32x32x16xf16>, tensor<9x16xf32> -> tensor<2x32x32x16xf16>
    ```
  }];
  let arguments = !con((ins MP_FloatTensor:$image, MP_FloatTensor:$taps, Optional<MP_FloatTensor>:$bias), windows,
                       (ins UnitAttr:$reversed));
  let assemblyFormat = [{
    $image `,` $taps (`bias` $bias^ `:` type($bias))? (`reversed` $reversed^)? `window` $window `strides` $strides
    `padding` $padding `dilations` $dilations attr-dict `:` type($image) `,` type($taps) `->` type($result)
  }];
}

def MP_DepthwiseConvTransposeOp : MP_DepthwiseOp<"depthwise_conv_transpose"> {
  let scaling = [MP_Factor, MP_Factor];
  let summary = "transposed convolution of each channel by itself";
  let description = [{
    `mp.conv_transpose` of C groups and as many filters, with sums and rounding as `mp.depthwise_conv`; what reads a pixel
    is added in the order of `input`'s pixels. The result's type says its spatial sizes.

    Constraints as `mp.depthwise_conv`, with the result for its image and `input` for its result.

    Example:

    ```mlir
    %x = mp.depthwise_conv_transpose %g, %w window [3, 3] strides [2, 2] padding [0, 1, 0, 1] dilations [1, 1] : tensor<2x16x16x8xf16>, tensor<9x8xf32> -> tensor<2x32x32x8xf16>
    ```
  }];
  let arguments = !con((ins MP_FloatTensor:$input, MP_FloatTensor:$taps), windows);
  let assemblyFormat = [{
    $input `,` $taps `window` $window `strides` $strides `padding` $padding `dilations` $dilations attr-dict
    `:` type($input) `,` type($taps) `->` type($result)
  }];
}

def MP_DepthwiseConvRowSumsOp : MP_DepthwiseOp<"depthwise_conv_row_sums"> {
  let scaling = [MP_Factor, MP_Factor];
  let summary = "the gradient of a depthwise convolution in its taps, of each row of pixels";
  let description = [{
    `result[n, t, i, c] = sum_q image[n, h, w, c] * gradient[n, p, q, c]`, where i counts the rows p of the gradient, q are its
    last dimension, t the taps, and h and w are the pixel that tap t reads there; a product with a pixel that the image
    does not have is left out. Products are added by fused multiply-adds, in the order of q. Summed over i and over n they
    are the gradient in tap t.

    Constraints as `mp.conv`, with filters [C, window..., 1], C groups and `gradient` for its result, and:
    - (C10) `image` and `gradient` have one element type; the result is f32, or f64 for f64.
    - (C11) The result has shape [N, taps of a window, rows of `gradient`: its pixels without the last dimension, C].

    Example:

    ```mlir
    %t = mp.depthwise_conv_row_sums %x, %g window [3, 3] strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1] : tensor<2x32x32x16xf16>, tensor<2x32x32x16xf16> -> tensor<2x9x32x16xf32>
    ```
  }];
  let arguments = !con((ins MP_FloatTensor:$image, MP_FloatTensor:$gradient), windows);
  let assemblyFormat = [{
    $image `,` $gradient `window` $window `strides` $strides `padding` $padding `dilations` $dilations attr-dict
    `:` type($image) `,` type($gradient) `->` type($result)
  }];
}

#endif // MP_DEPTHWISE_OPS_TD
