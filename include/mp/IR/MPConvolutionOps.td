// Convolutions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_CONVOLUTION_OPS_TD
#define MP_CONVOLUTION_OPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "mp/IR/MPBase.td"

// A convolution or a gradient of one: each is a sum of products of two of the three tensors that are images
// [N, spatial..., C], filters [K, spatial..., C / groups] and results [N, spatial..., K].
class MP_ConvolutionOp<string mnemonic, I32EnumCase derivative,
                       Trait contraction = DeclareOpInterfaceMethods<MP_ContractionOpInterface>>
    : MP_Op<mnemonic, MP_Allow, derivative, MP_RoleContraction,
        [Pure, contraction, DeclareOpInterfaceMethods<MP_ShapeOpInterface, ["inferShape"]>]> {
  let extraClassDeclaration = [{
    /// The convolution that this is, or that this is a gradient of.
    ::mp::Convolution getConvolution();
    /// The number of products that an element of the result is the sum of, those with padding among them; -1 while it
    /// is open.
    int64_t getContractionSize();
    int64_t getOperationsPerElement() { return 2 * getContractionSize(); }
  }];
  // One number per spatial dimension, two of the padding: [low, high, low, high] is [top, bottom, left, right].
  dag windows = (ins TypeAttr:$acc, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$padding,
                     DenseI64ArrayAttr:$dilations, I64Attr:$groups);
  let results = (outs MP_FloatTensor:$result);
  let hasVerifier = 1;
}

def MP_ConvOp : MP_ConvolutionOp<"conv", MP_Differentiable> {
  let scaling = [MP_Factor, MP_Factor, MP_Term];
  let rows = MP_EachRow;
  let listedAs = "conv (1d/2d/3d)";
  let summary = "convolution of images [N, spatial..., C] with filters [K, spatial..., C / groups]";
  let description = [{
    Cross-correlation, in one, two or three spatial dimensions; of two:
    `result[n, p, q, k] = sum_{r, s, c} image[n, h, w, g * C / groups + c] * filter[k, r, s, c] + bias[k]` with
    `h = p * stride - low + r * dilation`, `w` likewise, and `g` the group of k: the filters are `groups` runs of as
    many each, and the channels, too. A product with a pixel beyond the image is 0; where the filter holds an infinity
    or a NaN it may be NaN. Beside an infinite pixel, or one that is NaN, a result or two of its line may be NaN that
    have no part in it, where a GPU joins pixels. Products and sums are kept in `acc`, to which `bias` is added; the result is rounded once,
    at the end, to nearest even.

    In each spatial dimension a window spans `D = (taps - 1) * dilation + 1` pixels, and the result has
    `floor((size + low + high - D) / stride) + 1`.

    In the text `strides`, `dilations` and `groups` are 1 where they are left out, and `padding` is 0. It has two numbers
    for each spatial dimension, `[top, bottom, left, right]`, or is a word: `valid` for none, `same` for what gives the
    result `ceil(size / stride)` pixels, the odd one bottom and right, as TensorFlow and Keras have it.

    Constraints:
    - (C1) Image and filter have one float element type, the result that type or `acc`; `acc` is f32 for f16, bf16 and
      f32 operands (f16 operands may state f16), f64 for f64 operands.
    - (C2) Image and filter have one rank, from 3 to 5. Only the first size of the image, N, may be open.
    - (C3) The image has `groups` times as many channels as the filter's last size.
    - (C4) `groups` is at least 1 and divides the number of filters.
    - (C5) `strides` and `dilations` are at least 1, `padding` is at least 0; there is one for each spatial dimension, two
      of `padding`.
    - (C6) Spatial sizes of image, filter and result are at least 1.
    - (C7) `bias` has rank 1, size K, and the element type of the image or `acc`.
    - (C8) The result has the shape that follows from the operands.
    - (C9) No dimension has 2^63 pixels or more with its padding.

    Example:

    ```mlir
    %y = mp.conv %x, %w acc f32 {padding = [1, 1, 1, 1]} : tensor<?x32x32x3xf16>, tensor<16x3x3x3xf16> -> tensor<?x32x32x16xf16>
    %z = mp.conv %y, %v bias %b : tensor<32xf32> acc f32 {strides = [2, 2], padding = same, groups = 2} : tensor<?x32x32x16xf16>, tensor<32x3x3x8xf16> -> tensor<?x16x16x32xf16>
    ```
  }];
  let arguments = !con((ins MP_FloatTensor:$image, MP_FloatTensor:$filter, Optional<MP_FloatTensor>:$bias), windows);
  let assemblyFormat = [{
    $image `,` $filter (`bias` $bias^ `:` type($bias))? `acc` $acc
    custom<Conv>(attr-dict, type($image), type($filter), type($result))
  }];
}

def MP_ConvTransposeOp : MP_ConvolutionOp<"conv_transpose", MP_Differentiable> {
  let scaling = [MP_Factor, MP_Factor];
  let rows = MP_EachRow;
  let listedAs = "conv_transpose";
  let summary = "transposed convolution: the gradient of mp.conv in its image";
  let description = [{
    Spreads each pixel of `input` over the window that it was the result of:
    `result[n, h, w, c] = sum_{r, s, k} input[n, p, q, k] * filter[k, r, s, c]` over the r, s for which a p, q inside
    the input has `h = p * stride - low + r * dilation` and `w` likewise, and over the filters k of c's group. The
    result's type says its spatial sizes. Attributes, products, sums and rounding are those of `mp.conv`.

    In the text the braces are those of `mp.conv`.

    Constraints as `mp.conv`, with the result for its image and `input` for its result.

    Example:

    ```mlir
    %x = mp.conv_transpose %g, %w acc f32 {strides = [2, 2], padding = same} : tensor<?x16x16x8xf16>, tensor<8x3x3x4xf16> -> tensor<?x32x32x4xf16>
    ```
  }];
  let arguments = !con((ins MP_FloatTensor:$input, MP_FloatTensor:$filter), windows);
  let assemblyFormat = [{
    $input `,` $filter `acc` $acc custom<ConvTranspose>(attr-dict, type($input), type($filter), type($result))
  }];
}

def MP_ConvFilterGradOp : MP_ConvolutionOp<"conv_filter_grad", MP_NotDifferentiable,
    DeclareOpInterfaceMethods<MP_ContractionOpInterface, ["getLhs", "getRhs", "cloneAsParts"]>> {
  let scaling = [MP_Factor, MP_Factor];
  let rows = MP_AllRows;
  let listedAs = "conv grads";
  let summary = "the gradient of mp.conv in its filter";
  let description = [{
    `result[k, r, s, c] = sum_{n, p, q} gradient[n, p, q, k] * image[n, h, w, g * C / groups + c]`, with h, w, the group
    g and the attributes as in `mp.conv`, whose `gradient` this is given: the rows of the batch are summed. The result's
    type says the spatial sizes of the filter. Products, sums and rounding are those of `mp.conv`.

    In the text the braces are those of `mp.conv`.

    Constraints as `mp.conv`, with the result for its filter and `gradient` for its result.

    Example:

    ```mlir
    %gw = mp.conv_filter_grad %x, %g acc f32 {strides = [2, 2], padding = same} : tensor<?x32x32x4xf16>, tensor<?x16x16x8xf16> -> tensor<8x3x3x4xf16>
    ```
  }];
  let arguments = !con((ins MP_FloatTensor:$image, MP_FloatTensor:$gradient), windows);
  let assemblyFormat = [{
    $image `,` $gradient `acc` $acc custom<ConvFilterGrad>(attr-dict, type($image), type($gradient), type($result))
  }];
}

#endif // MP_CONVOLUTION_OPS_TD
