// Elements chosen by where they are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_INDEXING_OPS_TD
#define MP_INDEXING_OPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "mp/IR/MPBase.td"

// Elements of operands, at other places. What is read lies in memory: any element of a result may come of any of it.
class MP_IndexingOp<string mnemonic, I32EnumCase category, list<Trait> shape = [SameOperandsAndResultElementType,
                                                                               MP_InferredTypes]>
    : MP_Op<mnemonic, category, MP_Differentiable, MP_RoleMap, [Pure] # shape> {
  let rows = MP_EachRow;
  let extraClassDeclaration = [{ bool readsWhole(::mlir::OpOperand &) { return true; } }];
  let results = (outs MP_Tensor:$result);
}

class MP_MovingOp<string mnemonic, I32EnumCase category>
    : MP_IndexingOp<mnemonic, category, [SameOperandsAndResultElementType, MP_InferredTypes, MP_OrderOpInterface]>;

def MP_SliceOp : MP_MovingOp<"slice", MP_Clear> {
  let scaling = [MP_Term];
  let listedAs = "slice / strided_slice";
  let summary = "a range of each dimension";
  let description = [{
    `x[start:limit:stride]` of NumPy for each dimension, without negative numbers: `:` is all of it, no limit is its end,
    no stride is 1. The result has `ceil((limit - start) / stride)` elements there.

    Constraints:
    - (C1) There is one range for each dimension, with `start` at least 0 and `stride` at least 1.
    - (C2) A limit is at least its start and at most the size of the dimension.
    - (C3) An open dimension is taken whole.

    Example:

    ```mlir
    %s = mp.slice %x [:, 2:8, ::2] : tensor<?x10x6xf32> -> tensor<?x6x3xf32>
    ```
  }];
  let arguments = (ins MP_Tensor:$input, MP_EachDimension:$starts, MP_EachDimension:$limits,
                       MP_EachDimension:$strides);
  let assemblyFormat = [{
    $input custom<Ranges>($starts, $limits, $strides) attr-dict `:` type($input) `->` type($result)
  }];
  let extraClassDeclaration = [{
    bool readsWhole(::mlir::OpOperand &) { return true; }
    /// The limit of a range that goes to the end, whatever the size is.
    static constexpr int64_t kEnd = ::mlir::ShapedType::kDynamic;
  }];
  let hasFolder = 1;
}

def MP_PadOp : MP_MovingOp<"pad", MP_Clear> {
  let scaling = [MP_Term];
  let listedAs = "pad";
  let summary = "elements of one value before, behind and between those of each dimension";
  let description = [{
    `low` before the first, `high` behind the last and `interior` between two neighbours of each dimension; without
    `interior` none. All are `value`, rounded to the element type once, 0 unless it is given. As StableHLO's `pad`, without
    negative numbers.

    Constraints:
    - (C1) `low` and `high` have one number for each dimension, and so has `interior` unless it is left out.
    - (C2) No number is negative or makes a dimension of 2^48 elements or more.
    - (C3) An open dimension is not padded.

    Example:

    ```mlir
    %p = mp.pad %x low [0, 1] high [0, 2] : tensor<?x8xf32> -> tensor<?x11xf32>
    %q = mp.pad %x low [0, 0] high [0, 0] interior [0, 1] value -1.0 : tensor<?x8xf32> -> tensor<?x15xf32>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$input, MP_EachDimension:$low, MP_EachDimension:$high,
                       DefaultValuedAttr<MP_EachDimension, "{}">:$interior,
                       DefaultValuedAttr<MP_ElementAttr, "0.0">:$value);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = [{
    $input `low` $low `high` $high (`interior` $interior^)? (`value` $value^)? attr-dict
    `:` type($input) `->` type($result)
  }];
  let extraClassDeclaration = [{
    bool readsWhole(::mlir::OpOperand &) { return true; }
    /// Of a scaled gradient what is padded with anything but 0 is no multiple.
    ::mp::Scaling getScaling(::mlir::OpOperand &) {
      return getValue().isZero() ? ::mp::Scaling::Term : ::mp::Scaling::Nonlinear;
    }
    /// What is between two neighbours of a dimension.
    int64_t getBetween(size_t dimension) { return getInterior().empty() ? 0 : getInterior()[dimension]; }
  }];
  let hasFolder = 1;
}

def MP_ConcatOp : MP_MovingOp<"concat", MP_Promote> {
  let scaling = [MP_Term];
  let listedAs = "concat";
  let summary = "tensors one behind another along a dimension";
  let description = [{
    NumPy's `concatenate`. Of `mp.slice` it is the way back.

    Constraints:
    - (C1) There is at least one operand, and all have one element type.
    - (C2) `dimension` is inside the operands' rank, which all have.
    - (C3) Operands agree in every other size, and none is open along `dimension`.

    Example:

    ```mlir
    %c = mp.concat %a, %b dimension 1 : tensor<?x3xf16>, tensor<?x5xf16> -> tensor<?x8xf16>
    ```
  }];
  let arguments = (ins Variadic<MP_Tensor>:$inputs, MP_Dimension:$dimension);
  let assemblyFormat = "$inputs `dimension` $dimension attr-dict `:` type($inputs) `->` type($result)";
  let hasFolder = 1;
}

def MP_FlipOp : MP_MovingOp<"flip", MP_Clear> {
  let scaling = [MP_Term];
  let listedAs = "reverse / sequence_reverse";
  let summary = "elements of some dimensions from the last to the first";
  let description = [{
    NumPy's `flip`.

    Constraints:
    - (C1) `dimensions` are distinct, ascending and inside the operand's rank.
    - (C2) None of them is open.

    Example:

    ```mlir
    %f = mp.flip %x dimensions [1] : tensor<?x8xf16> -> tensor<?x8xf16>
    ```
  }];
  let arguments = (ins MP_Tensor:$input, MP_Dimensions:$dimensions);
  let assemblyFormat = "$input `dimensions` $dimensions attr-dict `:` type($input) `->` type($result)";
}

def MP_GatherOp : MP_IndexingOp<"gather", MP_Clear,
    [MP_InferredTypes, DeclareOpInterfaceMethods<MP_OrderOpInterface, ["inferOrders"]>]> {
  let scaling = [MP_Term, MP_Independent];
  let rows = MP_RowsAlong<"{static_cast<int64_t>(getDimension())}">;
  let listedAs = "gather";
  let summary = "slices of a tensor by their indices along a dimension: rows of an embedding";
  let description = [{
    NumPy's `take`: `result[i..., j..., k...] = input[i..., indices[j...], k...]`, where `dimension` is that of the index;
    with 0 the lookup of an embedding, PyTorch's `nn.Embedding` and Keras' `Embedding`. An index that is none of the
    dimension's, a negative one too, gives NaN, and 0 of integers, as in JAX.

    Its gradient adds up in f32 (f64 for f64) what each slice got, in the order of the indices: see `mp.scatter_add`.

    Constraints:
    - (C1) `dimension` is inside the operand's rank.

    Example:

    ```mlir
    %e = mp.gather %table, %tokens dimension 0 : tensor<100x64xf32>, tensor<?x28xi32> -> tensor<?x28x64xf32>
    ```
  }];
  let arguments = (ins MP_Tensor:$input, MP_IntegerTensor:$indices, MP_Dimension:$dimension);
  let assemblyFormat = [{
    $input `,` $indices `dimension` $dimension attr-dict `:` type($input) `,` type($indices) `->` type($result)
  }];
}

def MP_ScatterAddOp : MP_IndexingOp<"scatter_add", MP_Promote,
    [MP_InferredTypes, DeclareOpInterfaceMethods<MP_OrderOpInterface, ["inferOrders"]>]> {
  let scaling = [MP_Term, MP_Independent, MP_Term];
  let rows = MP_AllRows;
  let listedAs = "scatter / scatter_add";
  let summary = "adds slices to those of a tensor by their indices along a dimension";
  let description = [{
    PyTorch's `index_add`, JAX's `x.at[indices].add(updates)`: to each slice of the operand all updates whose index it is,
    in the order of the indices, in f32 (f64 for f64) and rounded once. An index that is none of the dimension's adds
    nothing. Each element of the result looks at every index: the time is that of a product of the operand's slices and
    the indices, and the bits are those of any number of threads.

    Constraints:
    - (C1) `dimension` is inside the operand's rank.
    - (C2) Operand and updates have one element type, and updates the shape that `mp.gather` of the operand by the indices
      has.

    Example:

    ```mlir
    %s = mp.scatter_add %table, %tokens, %g dimension 0 : tensor<100x64xf32>, tensor<4x28xi32>, tensor<4x28x64xf32> -> tensor<100x64xf32>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$input, MP_IntegerTensor:$indices, MP_FloatTensor:$updates, MP_Dimension:$dimension);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $indices `,` $updates `dimension` $dimension attr-dict
    `:` type($input) `,` type($indices) `,` type($updates) `->` type($result)
  }];
  let extraClassDeclaration = [{
    bool readsWhole(::mlir::OpOperand &operand) { return operand.getOperandNumber() != 0; }
    int64_t getOperationsPerElement();
  }];
}

def MP_GatherElementsOp : MP_IndexingOp<"gather_elements", MP_Clear, [MP_InferredTypes, MP_OrderOpInterface]> {
  let scaling = [MP_Term, MP_Independent];
  let rows = MP_RowsAlong<"{static_cast<int64_t>(getDimension())}">;
  let listedAs = "gather";
  let summary = "elements of a tensor by an index for each along a dimension";
  let description = [{
    NumPy's `take_along_axis`, PyTorch's `gather`, ONNX's `GatherElements`: an element of the result is that at its own place, but in `dimension`, where the
    index at its place says. An index that is none of the dimension's, a negative one too, gives NaN, and 0 of integers and bool, as of `mp.gather`.

    Its gradient adds up in f32 (f64 for f64) what each element got, in the order of the indices: see `mp.scatter_add_elements`.

    Constraints:
    - (C1) `dimension` is inside the operand's rank.
    - (C2) The indices have the operand's rank, and outside `dimension` its sizes.

    Example:

    ```mlir
    %p = mp.gather_elements %x, %labels dimension 1 : tensor<?x10xf32>, tensor<?x1xi32> -> tensor<?x1xf32>
    ```
  }];
  let arguments = (ins MP_Tensor:$input, MP_IntegerTensor:$indices, MP_Dimension:$dimension);
  let extraClassDeclaration = [{ bool readsWhole(::mlir::OpOperand &operand) { return operand.getOperandNumber() == 0; } }];
  let assemblyFormat = [{
    $input `,` $indices `dimension` $dimension attr-dict `:` type($input) `,` type($indices) `->` type($result)
  }];
}

// An open size of the indices along the dimension is of rows that meet in one element.
def MP_ScatteredRows : MP_RowRule<[{::mp::detail::isOpenAlong(*this, {static_cast<int64_t>(getDimension())}) ||
    ::llvm::cast<::mlir::RankedTensorType>(getIndices().getType()).isDynamicDim(getDimension()) ||
    ::mp::detail::hasSeveralOpenSizes(*this)}]>;

def MP_ScatterAddElementsOp : MP_IndexingOp<"scatter_add_elements", MP_Promote, [MP_InferredTypes, MP_OrderOpInterface]> {
  let scaling = [MP_Term, MP_Independent, MP_Term];
  let rows = MP_ScatteredRows;
  let listedAs = "scatter / scatter_add";
  let summary = "adds each element of one tensor to one of another by its index along a dimension";
  let description = [{
    PyTorch's `scatter_add`, ONNX's `ScatterElements` that adds: to each element of the operand all updates that have its place, but in `dimension`, where their
    index is its own; in the order of the indices, in f32 (f64 for f64) and rounded once. An index that is none of the dimension's adds nothing. Each element of
    the result looks along `dimension` of the indices alone, and the bits are those of any number of threads.

    Constraints:
    - (C1) `dimension` is inside the operand's rank.
    - (C2) The indices have the operand's rank, and outside `dimension` its sizes.
    - (C3) Operand and updates have one element type, and updates the shape of the indices.

    Example:

    ```mlir
    %s = mp.scatter_add_elements %x, %places, %u dimension 1 : tensor<?x10xf32>, tensor<?x3xi32>, tensor<?x3xf32> -> tensor<?x10xf32>
    ```
  }];
  let arguments = (ins MP_FloatTensor:$input, MP_IntegerTensor:$indices, MP_FloatTensor:$updates, MP_Dimension:$dimension);
  let results = (outs MP_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $indices `,` $updates `dimension` $dimension attr-dict
    `:` type($input) `,` type($indices) `,` type($updates) `->` type($result)
  }];
  let extraClassDeclaration = [{
    bool readsWhole(::mlir::OpOperand &operand) { return operand.getOperandNumber() != 0; }
    int64_t getOperationsPerElement();
  }];
}

def MP_ScatterElementsOp : MP_IndexingOp<"scatter_elements", MP_Promote, [MP_InferredTypes, MP_OrderOpInterface]> {
  let scaling = [MP_Term, MP_Independent, MP_Term];
  let rows = MP_ScatteredRows;
  let listedAs = "scatter / scatter_add";
  let summary = "writes each element of one tensor over one of another by its index along a dimension";
  let description = [{
    PyTorch's `scatter`, ONNX's `ScatterElements`: an element of the operand, or in its place the last of the updates that have its place, but in `dimension`,
    where their index is its own. An index that is none of the dimension's, a negative one too, writes nothing. Each element of the result looks along `dimension` of
    the indices alone. What was written over has the gradient 0, and so has an update in whose place another stands.

    Constraints:
    - (C1) `dimension` is inside the operand's rank.
    - (C2) The indices have the operand's rank, and outside `dimension` its sizes.
    - (C3) Operand and updates have one element type, and updates the shape of the indices.

    Example:

    ```mlir
    %s = mp.scatter_elements %x, %places, %u dimension 1 : tensor<?x10xf32>, tensor<?x3xi32>, tensor<?x3xf32> -> tensor<?x10xf32>
    ```
  }];
  let arguments = (ins MP_Tensor:$input, MP_IntegerTensor:$indices, MP_Tensor:$updates, MP_Dimension:$dimension);
  let assemblyFormat = [{
    $input `,` $indices `,` $updates `dimension` $dimension attr-dict
    `:` type($input) `,` type($indices) `,` type($updates) `->` type($result)
  }];
  let extraClassDeclaration = [{
    bool readsWhole(::mlir::OpOperand &operand) { return operand.getOperandNumber() != 0; }
    int64_t getOperationsPerElement();
  }];
}

def MP_OneHotOp : MP_Op<"one_hot", MP_Fixed, MP_Constant, MP_RoleMap,
    [Pure, DeclareOpInterfaceMethods<MP_ShapeOpInterface, ["inferShape"]>]> {
  let scaling = [MP_Independent];
  let rows = MP_EachRow;
  let summary = "1 in the column of a label, 0 in the others";
  let description = [{
    `result[..., j] = labels[...] == j`, with as many columns as the result's type says. A label that is none of them gives
    a row of zeros, as in JAX and TensorFlow.

    Constraints:
    - (C1) The result has the labels' shape and one dimension more, whose size is not open.

    Example:

    ```mlir
    %t = mp.one_hot %labels : tensor<?xui8> -> tensor<?x10xf32>
    ```
  }];
  let arguments = (ins MP_IntegerTensor:$labels);
  let results = (outs MP_Tensor:$result);
  let assemblyFormat = "$labels attr-dict `:` type($labels) `->` type($result)";
}

// Written as the others are, and differentiated as those.
class MP_IndexingCompositeOp<string mnemonic, list<Trait> types>
    : MP_Op<mnemonic, MP_Clear, MP_ByExpansion, MP_RoleComposite, [Pure] # types> {
  let scaling = [MP_Term];
  let rows = MP_EachRow;
}

def MP_SplitOp : MP_IndexingCompositeOp<"split", [MP_InferredTypes, MP_OrderOpInterface]> {
  let listedAs = "split";
  let summary = "parts of a tensor, one behind another along a dimension";
  let description = [{
    A part for each of `sizes`, in that order, as PyTorch's `split` and ONNX's `Split` have it: of `mp.concat` it is the way back.

    Constraints:
    - (C1) `dimension` is inside the operand's rank, and not open.
    - (C2) There is at least one size, none is negative, and their sum is the size of the dimension.

    Example:

    ```mlir
    %q, %k = mp.split %x sizes [3, 5] dimension 1 : tensor<?x8xf16> -> tensor<?x3xf16>, tensor<?x5xf16>
    ```
  }];
  let arguments = (ins MP_Tensor:$input, DenseI64ArrayAttr:$sizes, MP_Dimension:$dimension);
  let results = (outs Variadic<MP_Tensor>:$parts);
  let assemblyFormat = "$input `sizes` $sizes `dimension` $dimension attr-dict `:` type($input) `->` type($parts)";
}

def MP_TileOp : MP_IndexingCompositeOp<"tile",
    [MP_InferredTypes, SameOperandsAndResultElementType, MP_OrderOpInterface]> {
  let listedAs = "tile / broadcast / repeat";
  let summary = "the whole tensor several times along each dimension";
  let description = [{
    NumPy's `tile` with a number for each dimension. Its gradient adds up in f32 (f64 for f64) what each repetition got, rounded once.

    Constraints:
    - (C1) There is one of `repeats` for each dimension, and none is less than 1.
    - (C2) An open dimension is not repeated.
    - (C3) No dimension of the result has 2^48 elements or more.

    Example:

    ```mlir
    %t = mp.tile %x repeats [1, 3] : tensor<?x8xf16> -> tensor<?x24xf16>
    ```
  }];
  let arguments = (ins MP_Tensor:$input, MP_EachDimension:$repeats);
  let results = (outs MP_Tensor:$result);
  let assemblyFormat = "$input `repeats` $repeats attr-dict `:` type($input) `->` type($result)";
  let hasFolder = 1;
}

class MP_TriangleOp<string mnemonic> : MP_IndexingCompositeOp<mnemonic,
    [SameOperandsAndResultType, DeclareOpInterfaceMethods<MP_OrderOpInterface, ["inferOrders"]>]> {
  let listedAs = ""; // no list speaks of triangles
  let arguments = (ins MP_Tensor:$input, DefaultValuedAttr<I64Attr, "0">:$diagonal);
  let results = (outs MP_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
  let hasVerifier = 1;
}
def MP_TrilOp : MP_TriangleOp<"tril"> {
  let summary = "matrices with zeros above a diagonal";
  let description = [{
    NumPy's `tril`: the elements of the last two dimensions whose column is at most their row + `diagonal`, 0 in the place of the others.

    Constraints:
    - (C1) The operand has at least rank 2, and its last two dimensions are not open.

    Example:

    ```mlir
    %l = mp.tril %x : tensor<?x8x8xf16>
    %m = mp.tril %ones {diagonal = -1 : i64} : tensor<8x8xi1>
    ```
  }];
}
def MP_TriuOp : MP_TriangleOp<"triu"> {
  let summary = "matrices with zeros below a diagonal";
  let description = [{
    NumPy's `triu`: the elements of the last two dimensions whose column is at least their row + `diagonal`, 0 in the place of the others.
    Constraints as `mp.tril`.

    Example:

    ```mlir
    %u = mp.triu %x {diagonal = 1 : i64} : tensor<?x8x8xf16>
    ```
  }];
}

#endif // MP_INDEXING_OPS_TD
