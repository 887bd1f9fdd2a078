// Pooling over windows of images.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_POOLING_OPS_TD
#define MP_POOLING_OPS_TD

include "mp/IR/MPKernelOps.td"

// A pooling of images [N, spatial..., C], or its gradient. Channels and images are apart: neighbours in memory are
// neighbours among channels.
class MP_PoolingOp<string mnemonic, I32EnumCase category, I32EnumCase derivative, list<Trait> shape>
    : MP_Op<mnemonic, category, derivative, MP_RoleMap, [Pure, SameOperandsAndResultElementType] # shape> {
  let rows = MP_EachRow;
  let extraClassDeclaration = [{
    /// Of each spatial dimension: image, window and result of the pooling that this is, or that this is a gradient of.
    ::llvm::SmallVector<::mp::Window, 3> getWindows();
    /// The pixels of a window, those of padding among them.
    int64_t getWindowSize() { return ::mlir::ShapedType::getNumElements(getWindow()); }
    bool readsWhole(::mlir::OpOperand &) { return true; }
    int64_t getOperationsPerElement();
  }];
  let results = (outs MP_FloatTensor:$result);
}

def MP_MaxPoolOp : MP_PoolingOp<"max_pool", MP_Clear, MP_Differentiable,
    [MP_InferredTypes, MP_PoolingOpInterface]> {
  let scaling = [MP_Term];
  let listedAs = "max_pool (+grad)";
  let summary = "the largest value of each window of images [N, spatial..., C]";
  let description = [{
    In one, two or three spatial dimensions; of two:
    `result[n, p, q, c] = max_{r, s} image[n, p * stride - low + r * dilation, q * stride - low + s * dilation, c]`, over
    the pixels that the image has: padding never wins. The first of equal ones wins, in row-major order, and the first NaN
    before all of them. No rounding.

    In each spatial dimension a window spans `D = (window - 1) * dilation + 1` pixels, and the result has
    `floor((size + low + high - D) / stride) + 1`.

    In the text `strides` are those of the window where they are left out, as in PyTorch and Keras, `dilations` are 1 and
    `padding` is 0. It has two numbers for each spatial dimension, `[top, bottom, left, right]`, or is a word: `valid` for
    none, `same` for what gives the result `ceil(size / stride)` pixels, the odd one bottom and right, as TensorFlow and
    Keras have it.

    Constraints:
    - (C1) Operand and result have one float element type.
    - (C2) The image has rank 3 to 5. Only its first size, N, may be open.
    - (C3) `window`, `strides` and `dilations` are at least 1, `padding` is at least 0; there is one for each spatial
      dimension, two of `padding`.
    - (C4) Spatial sizes of image and result are at least 1.
    - (C5) Every window has a pixel of the image: on each side less is padded than a window spans, and where anything is,
      `dilations` are at most the size of the image.
    - (C6) The result has the shape that follows from the operand.
    - (C7) No dimension has 2^63 pixels or more with its padding, and no window has.

    Example:

    ```mlir
    %y = mp.max_pool %x {window = [2, 2]} : tensor<?x30x30x32xf16> -> tensor<?x15x15x32xf16>
    %z = mp.max_pool %x {window = [3, 3], strides = [2, 2], padding = same} : tensor<?x30x30x32xf16> -> tensor<?x15x15x32xf16>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$image, DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$padding, DenseI64ArrayAttr:$dilations);
  let assemblyFormat = "$image custom<MaxPool>(attr-dict, type($image), type($result))";
}

def MP_MaxPoolGradOp : MP_PoolingOp<"max_pool_grad", MP_Clear, MP_NotDifferentiable, [MP_InferredTypes]> {
  let scaling = [MP_Independent, MP_Term];
  let listedAs = "max_pool (+grad)";
  let summary = "gradient of mp.max_pool";
  let description = [{
    Each element of `gradient` goes to the pixel of `image` that won its window. Where windows overlap, sums are in f32
    (f64 for f64), windows in row-major order, rounded once.

    Constraints as `mp.max_pool`, with `gradient` for its result, and the image's type for that of this result.

    Example:

    ```mlir
    %gx = mp.max_pool_grad %x, %g {window = [2, 2]} : tensor<?x30x30x32xf16>, tensor<?x15x15x32xf16> -> tensor<?x30x30x32xf16>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$image, MP_FloatTensor:$gradient, DenseI64ArrayAttr:$window,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$padding, DenseI64ArrayAttr:$dilations);
  let assemblyFormat = "$image `,` $gradient custom<MaxPoolGrad>(attr-dict, type($image), type($gradient), type($result))";
}

def MP_AvgPoolOp : MP_PoolingOp<"avg_pool", MP_Infer, MP_Differentiable,
    [MP_InferredTypes, MP_PoolingOpInterface]> {
  let scaling = [MP_Term];
  let listedAs = "avg_pool (+grad)";
  let summary = "the mean of each window of images [N, spatial..., C]";
  let description = [{
    `result[n, p, q, c] = sum_{r, s} image[n, p * stride - low + r, q * stride - low + s, c] / count`, summed in row-major
    order, in f32 (f64 for f64), and rounded once. `count` is that of all pixels of a window with `count_padding`, padding
    being 0, or of those that the image has without it. PyTorch counts padding unless told, TensorFlow and Keras do not:
    wherever there is padding the text says which.

    Windows, strides, padding and their text are those of `mp.max_pool`.

    Constraints as `mp.max_pool`.

    Example:

    ```mlir
    %y = mp.avg_pool %x {window = [2, 2]} : tensor<?x30x30x32xf16> -> tensor<?x15x15x32xf16>
    %z = mp.avg_pool %x {window = [3, 3], strides = [2, 2], padding = same, count_padding = false} : tensor<?x30x30x32xf16> -> tensor<?x15x15x32xf16>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$image, DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$padding, BoolAttr:$count_padding);
  let assemblyFormat = "$image custom<AvgPool>(attr-dict, type($image), type($result))";
}

def MP_AvgPoolGradOp : MP_PoolingOp<"avg_pool_grad", MP_Infer, MP_NotDifferentiable,
    [DeclareOpInterfaceMethods<MP_ShapeOpInterface, ["inferShape"]>]> {
  let scaling = [MP_Term];
  let listedAs = "avg_pool (+grad)";
  let summary = "gradient of mp.avg_pool";
  let description = [{
    Each pixel of the image, which the result's type says, gets of each window that has it `gradient / count`, windows in
    row-major order; in f32 (f64 for f64), rounded once.

    Constraints as `mp.max_pool`, with the result for its image and `gradient` for its result.

    Example:

    ```mlir
    %gx = mp.avg_pool_grad %g {window = [2, 2]} : tensor<?x15x15x32xf16> -> tensor<?x30x30x32xf16>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$gradient, DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$padding, BoolAttr:$count_padding);
  let assemblyFormat = "$gradient custom<AvgPoolGrad>(attr-dict, type($gradient), type($result))";
}

// What mp-decompose makes of mp.max_pool and its gradient where windows neither overlap nor are padded: a window follows
// the one before, and its pixels without dilation.
class MP_ApartPoolingOp<string mnemonic, list<Trait> traits> : MP_KernelLevelOp<mnemonic, MP_RoleMap, traits> {
  let rows = MP_EachRow;
  let extraClassDeclaration = [{
    /// Of each spatial dimension: image, window and result of the pooling that this is, or that this is a gradient of.
    ::llvm::SmallVector<::mp::Window, 3> getWindows();
    /// So many pixels of a window a byte tells apart.
    static constexpr int64_t kMostPixels = 256;
    /// The pixels of a window.
    int64_t getWindowSize() { return ::mlir::ShapedType::getNumElements(getWindow()); }
    bool readsWhole(::mlir::OpOperand &) { return true; }
    int64_t getOperationsPerElement();
  }];
}

def MP_MaxPoolWithIndicesOp : MP_ApartPoolingOp<"max_pool_with_indices",
    [MP_InferredTypes, MP_PoolingOpInterface]> {
  let scaling = [MP_Term];
  let summary = "the largest value of each window, and which of its pixels that is";
  let description = [{
    `values` are those of `mp.max_pool` with strides of `window`, without padding and dilations. `indices` are the numbers of
    the pixels that won, in row-major order of their window.

    Constraints as `mp.max_pool`, and:
    - (C8) A window has at most 256 pixels.

    Example:

    ```mlir
    %p, %i = mp.max_pool_with_indices %y window [2, 2] : tensor<2x13x13x8xf16> -> tensor<2x6x6x8xf16>, tensor<2x6x6x8xui8>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$image, DenseI64ArrayAttr:$window);
  let results = (outs MP_FloatTensor:$values, RankedTensorOf<[UI<8>]>:$indices);
  let assemblyFormat = [{
    $image `window` $window attr-dict `:` type($image) `->` type($values) `,` type($indices)
  }];
}

def MP_MaxUnpoolOp : MP_ApartPoolingOp<"max_unpool",
    [DeclareOpInterfaceMethods<MP_ShapeOpInterface, ["inferShape"]>, AllElementTypesMatch<["values", "result"]>]> {
  let scaling = [MP_Independent, MP_Term];
  let summary = "each value at the pixel of its window that an index says, 0 elsewhere";
  let description = [{
    The gradient of `mp.max_pool_with_indices` in its image, whose sizes the result's type says. A pixel that no window
    has is 0, and so is what would be -0: `mp.max_pool_grad` adds up.

    Constraints as `mp.max_pool`, with the result for its image and `values` for its result, and:
    - (C8) A window has at most 256 pixels.
    - (C9) `indices` and `values` have one shape.

    Example:

    ```mlir
    %gy = mp.max_unpool %i, %gp window [2, 2] : tensor<2x6x6x8xui8>, tensor<2x6x6x8xf16> -> tensor<2x13x13x8xf16>
    ```
  }];
  let arguments = (ins RankedTensorOf<[UI<8>]>:$indices, MP_FloatTensor:$values, DenseI64ArrayAttr:$window);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = [{
    $indices `,` $values `window` $window attr-dict `:` type($indices) `,` type($values) `->` type($result)
  }];
}

#endif // MP_POOLING_OPS_TD
