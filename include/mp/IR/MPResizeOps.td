// Images of other sizes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_RESIZE_OPS_TD
#define MP_RESIZE_OPS_TD

include "mp/IR/MPKernelOps.td"

def MP_ResizeMode : I32Enum<"ResizeMode", "how many pixels of an image a pixel of a resized one is made of, along a dimension", [
    I32EnumCase<"nearest", 0>, I32EnumCase<"linear", 1>, I32EnumCase<"cubic", 2>]> {
  let cppNamespace = "::mp";
}
def MP_ResizeModeAttr : EnumAttr<MP_Dialect, MP_ResizeMode, "resize_mode">;
def MP_ResizeCoordinates : I32Enum<"ResizeCoordinates", "where in an image a pixel of a resized one is", [
    I32EnumCase<"half_pixel", 0>, I32EnumCase<"pytorch_half_pixel", 1>, I32EnumCase<"align_corners", 2>,
    I32EnumCase<"asymmetric", 3>]> {
  let cppNamespace = "::mp";
}
def MP_ResizeCoordinatesAttr : EnumAttr<MP_Dialect, MP_ResizeCoordinates, "resize_coordinates">;
def MP_ResizeRounding : I32Enum<"ResizeRounding", "which pixel is the nearest to a coordinate", [
    I32EnumCase<"floor", 0>, I32EnumCase<"ceil", 1>, I32EnumCase<"round_prefer_floor", 2>,
    I32EnumCase<"round_prefer_ceil", 3>]> {
  let cppNamespace = "::mp";
}
def MP_ResizeRoundingAttr : EnumAttr<MP_Dialect, MP_ResizeRounding, "resize_rounding">;

class MP_ResizingOp<string mnemonic, I32EnumCase derivative>
    : MP_Op<mnemonic, MP_Infer, derivative, MP_RoleComposite,
            [Pure, SameOperandsAndResultElementType, DeclareOpInterfaceMethods<MP_ShapeOpInterface, ["inferShape"]>]> {
  let scaling = [MP_Term];
  let rows = MP_EachRow;
  let listedAs = "linear/bilinear/bicubic resize";
  let extraClassDeclaration = [{ int64_t getOperationsPerElement(); }];
  dag numbers = (ins MP_ResizeModeAttr:$mode, MP_ResizeCoordinatesAttr:$coordinates,
                     DefaultValuedAttr<MP_ResizeRoundingAttr, "::mp::ResizeRounding::floor">:$rounding,
                     OptionalAttr<ElementsAttr>:$scales);
}

def MP_ResizeOp : MP_ResizingOp<"resize", MP_Differentiable> {
  let summary = "images [N, spatial..., C] of other sizes";
  let description = [{
    In one, two or three spatial dimensions, whose sizes the result's type says. Pixel `o` of the result is at `x` of the image, along
    each dimension by itself; `s` is that dimension's number of `scales`, or where these are left out the size of the result over that of the image:

    | `coordinates` | `x` |
    |---|---|
    | `half_pixel` | `(o + 0.5) / s - 0.5` |
    | `pytorch_half_pixel` | the same, but 0 where the result has one pixel |
    | `align_corners` | `o * (size of the image - 1) / (size of the result - 1)`, 0 where the result has one pixel |
    | `asymmetric` | `o / s` |

    `nearest` takes the pixel that `rounding` makes of `x`: `floor`, `ceil`, or the nearest, of two that are as near the first
    (`round_prefer_floor`) or the second (`round_prefer_ceil`). `linear` takes the two about `x`, each by 1 less how far it is; `cubic` takes four, by
    Keys' polynomial with `a = -0.75`. A pixel beyond the image is the nearest that it has, and so is `x` to `linear`.

    PyTorch's `interpolate` is `nearest` with `asymmetric` and `floor`, its `nearest-exact` is `half_pixel` and `round_prefer_ceil`; the others have `half_pixel` or
    `align_corners`. TensorFlow and Keras have `half_pixel`, and `round_prefer_ceil` of `nearest`. ONNX's `Resize` has these names.

    Coordinates and weights are computed in f64, and a weight is rounded to f32 (f64 for f64) once. Sums are in that type, those along the last dimension
    first, and rounded once; `nearest` moves elements.

    Constraints:
    - (C1) Operand and result have one element type, a float but for `nearest`.
    - (C2) The image has rank 3 to 5. Only its first size, N, may be open.
    - (C3) The result has the shape of the image but for spatial sizes, which are in both at least 1 and less than 2^24.
    - (C4) `rounding` is of `nearest` alone.
    - (C5) `scales` are f64, one for each spatial dimension, finite and greater than 0.

    Example:

    ```mlir
    %y = mp.resize %x mode linear coordinates half_pixel : tensor<?x14x14x32xf16> -> tensor<?x28x28x32xf16>
    %z = mp.resize %x mode nearest coordinates asymmetric rounding ceil scales dense<[0.55, 0.55]> : tensor<2xf64> : tensor<?x14x14x32xf16> -> tensor<?x7x7x32xf16>
    ```
  }];
  let arguments = !con((ins MP_Tensor:$image), numbers);
  let results = (outs MP_Tensor:$result);
  let assemblyFormat = [{
    $image `mode` $mode `coordinates` $coordinates (`rounding` $rounding^)? (`scales` $scales^)? attr-dict
    `:` type($image) `->` type($result)
  }];
  let hasVerifier = 1;
}

def MP_ResizeGradOp : MP_ResizingOp<"resize_grad", MP_NotDifferentiable> {
  let summary = "gradient of mp.resize";
  let description = [{
    Each pixel of the image, which the result's type says, gets of each pixel of `gradient` that it is a term of that times its weight. Sums are in
    f32 (f64 for f64), pixels of `gradient` in row-major order, those along the last dimension first, and rounded once.

    Constraints as `mp.resize`, with the result for its image and `gradient` for its result.

    Example:

    ```mlir
    %gx = mp.resize_grad %g mode linear coordinates half_pixel : tensor<?x28x28x32xf16> -> tensor<?x14x14x32xf16>
    ```
  }];
  let arguments = !con((ins MP_FloatTensor:$gradient), numbers);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = [{
    $gradient `mode` $mode `coordinates` $coordinates (`rounding` $rounding^)? (`scales` $scales^)? attr-dict
    `:` type($gradient) `->` type($result)
  }];
  let hasVerifier = 1;
}

// What mp-decompose makes of both: tables instead of coordinates.
def MP_ResampleOp : MP_KernelLevelOp<"resample", MP_RoleMap, [AttrSizedOperandSegments]> {
  let scaling = [MP_Term, MP_Independent, MP_Independent, MP_Independent];
  let rows = MP_EachRow;
  let extraClassDeclaration = [{
    bool readsWhole(::mlir::OpOperand &) { return true; }
    int64_t getOperationsPerElement();
    /// The terms of each pixel along spatial dimension `i`, where all have as many.
    int64_t countTerms(size_t i);
  }];
  let summary = "pixels of images [N, spatial..., C] as weighted sums of others, by tables";
  let description = [{
    Along each spatial dimension pixel `o` has the terms `j` from `starts[o]` to below `starts[o + 1]`, or where there are no
    `starts` as many as each other: pixel `indices[j]` of the image times `weights[j]`. Sums are in f32 (f64 for f64), those along the last dimension first, and
    rounded once. Without `weights` there is one term, which is moved.

    Constraints:
    - (C1) Image and result have one element type, ranks 3 to 5, and sizes that agree but for the spatial ones.
    - (C2) There are `indices` for each spatial dimension; `starts` and `weights` are there for each or for none, and no `starts` without
      `weights`.
    - (C3) Tables have one dimension: `starts` one element more than the result has pixels there, `weights` as many elements as
      `indices`, which without `starts` have a number for each pixel of the result, one without `weights`, and at least one.
    - (C4) Weights are f32, or f64 for f64.

    Example:

    ```mlir
    %y = mp.resample %x indices %i weights %w : (tensor<2x3x8xf16>, tensor<8xi32>, tensor<8xf32>) -> tensor<2x4x8xf16>
    ```
  }];
  let arguments = (ins MP_Tensor:$image, Variadic<RankedTensorOf<[I32]>>:$starts, Variadic<RankedTensorOf<[I32]>>:$indices,
                       Variadic<RankedTensorOf<[F32, F64]>>:$weights);
  let results = (outs MP_Tensor:$result);
  let assemblyFormat = [{
    $image (`starts` $starts^)? `indices` $indices (`weights` $weights^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // MP_RESIZE_OPS_TD
