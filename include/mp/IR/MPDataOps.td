// Values from nowhere and values moved.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_DATA_OPS_TD
#define MP_DATA_OPS_TD

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mp/IR/MPBase.td"

def MP_ConstantOp : MP_Op<"constant", MP_Fixed, MP_Constant, MP_RoleConstant,
    [Pure, ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let scaling = [];
  let rows = MP_EachRow;
  let summary = "a value known when the model is compiled";
  let description = [{
    Constraints:
    - (C1) The shape is static.

    Example:

    ```mlir
    %c = mp.constant dense<0.5> : tensor<f32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs MP_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def MP_IotaOp : MP_Op<"iota", MP_Fixed, MP_Constant, MP_RoleMap,
    [Pure, DeclareOpInterfaceMethods<MP_ShapeOpInterface, ["inferShape"]>,
     DeclareOpInterfaceMethods<MP_PrecisionOpInterface, ["operandFollows", "resultFollows", "readsOnlyShape"]>, MP_OrderOpInterface]> {
  let scaling = [MP_Independent];
  // A place in a batch is none of a row alone.
  let rows = MP_RowRule<[{::mp::detail::resultIsOpenAlong(*this, static_cast<int64_t>(getDimension())) ||
                         ::mp::detail::hasSeveralOpenSizes(*this)}]>;
  let summary = "each element its index along a dimension";
  let description = [{
    With `like` the result has that operand's shape; only its shape is read.

    Constraints:
    - (C1) `dimension` is inside the result's rank.
    - (C2) A result with an open size has `like`, whose shape is the result's.

    Example:

    ```mlir
    %i = mp.iota dimension 1 -> tensor<4x10xi64>
    %j = mp.iota dimension 0 like %x : tensor<?x10xf32> -> tensor<?x10xi32>
    ```
  }];
  let arguments = (ins Optional<MP_Tensor>:$like, MP_Dimension:$dimension);
  let results = (outs MP_NumberTensor:$result);
  let assemblyFormat = "`dimension` $dimension (`like` $like^ `:` type($like))? attr-dict `->` type($result)";
  let hasVerifier = 1;
}

def MP_RandomUniformOp : MP_Op<"random_uniform", MP_Fixed, MP_Constant, MP_RoleMap,
    [Pure, DeclareOpInterfaceMethods<MP_ShapeOpInterface, ["inferShape"]>,
     DeclareOpInterfaceMethods<MP_PrecisionOpInterface, ["operandFollows", "resultFollows", "readsOnlyShape"]>]> {
  let scaling = [MP_Independent, MP_Independent];
  // Of the batch each row has numbers of its own: none depends on another row.
  let rows = MP_EachRow;
  let extraClassDeclaration = [{
    int64_t getOperationsPerElement() { return 48; }
    bool readsWhole(::mlir::OpOperand &) { return true; }
  }];
  let summary = "random numbers from 0 to below 1";
  let description = [{
    Element i (row-major) is a pure function of (seed, step, stream, i), with `rng` = (seed, step): the upper 24 bits of the word by which
    `mp.dropout` of that stream keeps an element, as a fraction; each multiple of 2^-24 below 1 is as likely as any other. See Numerics/Philox.h. With `like`
    the result has that operand's shape; only its shape is read.

    Where a model that is evaluated or used has this op, each run advances the state `rng`.

    Constraints:
    - (C1) `stream` is at least 0.
    - (C2) A result with an open size has `like`, whose shape is the result's.

    Example:

    ```mlir
    %u = mp.random_uniform %rng {stream = 1} -> tensor<4x8xf32>
    %v = mp.random_uniform %rng like %x : tensor<?x8xf16> {stream = 2} -> tensor<?x8xf32>
    ```
  }];
  let arguments = (ins MP_Rng:$rng, Optional<MP_Tensor>:$like, I64Attr:$stream);
  let results = (outs MP_F32Tensor:$result);
  let assemblyFormat = "$rng (`like` $like^ `:` type($like))? attr-dict `->` type($result)";
  let hasVerifier = 1;
}

def MP_ReshapeOp : MP_Op<"reshape", MP_Clear, MP_Differentiable, MP_RoleMovement,
    [Pure, SameOperandsAndResultElementType, DeclareOpInterfaceMethods<MP_ShapeOpInterface, ["inferShape"]>,
     DeclareOpInterfaceMethods<MP_OrderOpInterface, ["inferOrders"]>]> {
  let scaling = [MP_Term];
  let rows = MP_EachRow;
  let listedAs = "reshape / squeeze / expand_dims";
  let summary = "the same elements, in row-major order, in another shape";
  let description = [{
    Constraints:
    - (C1) Operand and result have as many elements.
    - (C2) At most one size of the result is open, and its value follows exactly from the operand's.

    Example:

    ```mlir
    %r = mp.reshape %x : tensor<?x28x28xf32> -> tensor<?x784xf32>
    ```
  }];
  let arguments = (ins MP_Tensor:$input);
  let results = (outs MP_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasFolder = 1;
}

def MP_TransposeOp : MP_Op<"transpose", MP_Clear, MP_Differentiable, MP_RoleMovement,
    [Pure, SameOperandsAndResultElementType, MP_InferredTypes]> {
  let scaling = [MP_Term];
  let rows = MP_EachRow;
  let listedAs = "transpose";
  let summary = "dimensions in another order";
  let description = [{
    Dimension i of the result is dimension `permutation[i]` of the operand, as NumPy's `transpose`.

    Constraints:
    - (C1) `permutation` is a permutation of the operand's dimensions.

    Example:

    ```mlir
    %t = mp.transpose %x permutation [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins MP_Tensor:$input, DenseI64ArrayAttr:$permutation);
  let results = (outs MP_Tensor:$result);
  let assemblyFormat = "$input `permutation` $permutation attr-dict `:` type($input) `->` type($result)";
  let hasFolder = 1;
}

def MP_BroadcastOp : MP_Op<"broadcast", MP_Clear, MP_Differentiable, MP_RoleMovement,
    [Pure, DeclareOpInterfaceMethods<MP_ShapeOpInterface, ["inferShape"]>,
     DeclareOpInterfaceMethods<MP_PrecisionOpInterface, ["operandFollows", "readsOnlyShape"]>, MP_OrderOpInterface]> {
  let scaling = [MP_Term, MP_Independent];
  let rows = MP_EachRow;
  let listedAs = "tile / broadcast / repeat";
  let summary = "a tensor repeated to a larger shape by NumPy's rule";
  let description = [{
    With `like` the result has that operand's shape; only its shape is read.

    Constraints:
    - (C1) The operand's shape broadcasts to the result's, aligned at the last dimension.
    - (C2) A result with an open size that the operand lacks has `like`, whose shape is the result's.
    - (C3) Operand and result have one element type.

    Example:

    ```mlir
    %r = mp.broadcast %b : tensor<8xf32> -> tensor<4x8xf32>
    %s = mp.broadcast %b like %x : tensor<?x8xf16> : tensor<8xf32> -> tensor<?x8xf32>
    ```
  }];
  let arguments = (ins MP_Tensor:$input, Optional<MP_Tensor>:$like);
  let results = (outs MP_Tensor:$result);
  let assemblyFormat = "$input (`like` $like^ `:` type($like))? attr-dict `:` type($input) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

#endif // MP_DATA_OPS_TD
