// The questions asked of every op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_INTERFACES_TD
#define MP_INTERFACES_TD

include "mlir/IR/OpBase.td"

def MP_PrecisionOpInterface : OpInterface<"PrecisionOpInterface"> {
  let cppNamespace = "::mp";
  let description = [{ How an operation behaves when its operands change precision. }];
  let methods = [
    StaticInterfaceMethod<"What autocast may do with the operation by default.",
      "::mp::PrecisionCategory", "getPrecisionCategory">,
    StaticInterfaceMethod<"The attributes that are values of its element type, so that each is to autocast what a constant operand is.",
      "::llvm::ArrayRef<::llvm::StringRef>", "getElementAttributes">,
    InterfaceMethod<[{
      Whether this operand takes the precision decided for the operation; by default every float operand does, but of a
      contraction that states its types none.
    }],
      "bool", "operandFollows", (ins "::mlir::OpOperand &":$operand),
      /*methodBody=*/"", /*defaultImplementation=*/"return ::mp::detail::followsByDefault($_op, operand.get().getType());">,
    InterfaceMethod<"Whether this result takes the precision decided for the operation; by default as operands.",
      "bool", "resultFollows", (ins "::mlir::OpResult":$result),
      /*methodBody=*/"", /*defaultImplementation=*/"return ::mp::detail::followsByDefault($_op, result.getType());">,
    InterfaceMethod<"Whether only the shape of this operand is read, so that its type does not matter.",
      "bool", "readsOnlyShape", (ins "::mlir::OpOperand &":$operand),
      /*methodBody=*/"", /*defaultImplementation=*/"return false;">,
    InterfaceMethod<"The operation to use instead of one of category error, for the message.",
      "::llvm::StringRef", "getSaferOp", (ins), /*methodBody=*/"", /*defaultImplementation=*/"return {};">,
  ];
}

def MP_DefinitionOpInterface : OpInterface<"DefinitionOpInterface"> {
  let cppNamespace = "::mp";
  let description = [{ What the definition of an operation says of its operands and attributes, as data. }];
  let methods = [
    StaticInterfaceMethod<"The operands, in the order of the definition.",
      "::llvm::ArrayRef<::mp::OperandSpec>", "getOperandSpecs">,
    StaticInterfaceMethod<"The attributes, in the order of the definition.",
      "::llvm::ArrayRef<::mp::AttributeSpec>", "getAttributeSpecs">,
  ];
}

def MP_ShapeOpInterface : OpInterface<"ShapeOpInterface"> {
  let cppNamespace = "::mp";
  let description = [{
    The shape of an operation's result as it follows from operands and attributes, where the type does not follow from them:
    its element type, or sizes of it, are stated. The verifier compares the two; `mp-specialize` fills in open sizes. An
    operation whose result types follow altogether has `InferTypeOpInterface` instead.
  }];
  let methods = [
    InterfaceMethod<[{
      Appends the shape of the result; by default that of the first operand. Emits an error and fails where the operands do
      not fit together.
    }], "::llvm::LogicalResult", "inferShape", (ins "::llvm::SmallVector<int64_t> &":$shape),
      /*methodBody=*/"", /*defaultImplementation=*/"return ::mp::detail::inferShapeOfFirstOperand($_op, shape);">,
  ];
  let verify = [{ return ::mp::detail::verifyShape($_op); }];
  let verifyWithRegions = 0;
}

def MP_ScalingOpInterface : OpInterface<"ScalingOpInterface"> {
  let cppNamespace = "::mp";
  let description = [{ What an operation does to a value that carries the loss scale as a factor. }];
  let methods = [
    StaticInterfaceMethod<"How results depend on a factor of each operand of the operation's definition.",
      "::llvm::ArrayRef<::mp::Scaling>", "getScalings">,
    InterfaceMethod<"How results depend on a factor of this operand.", "::mp::Scaling", "getScaling",
      (ins "::mlir::OpOperand &":$operand), /*methodBody=*/"",
      /*defaultImplementation=*/"return ::mp::detail::getScalingOf($_op, operand.getOperandNumber());">,
  ];
}

def MP_RowsOpInterface : OpInterface<"RowsOpInterface"> {
  let cppNamespace = "::mp";
  let description = [{ Whether an operation keeps the rows of the batch apart. }];
  let methods = [
    InterfaceMethod<[{
      Whether a row of a result depends on more than one row of the batch, which is an open size of the operands: only
      `mp-specialize` can ask, and marks the operation `mp.combines_rows`.
    }], "bool", "combinesRows">,
  ];
}

def MP_DerivativeOpInterface : OpInterface<"DerivativeOpInterface"> {
  let cppNamespace = "::mp";
  let description = [{ How gradients flow backwards through an operation, in terms of mp operations. }];
  let methods = [
    StaticInterfaceMethod<"Whether gradients flow through the operation.",
      "::mp::Differentiability", "getDifferentiability">,
    InterfaceMethod<[{
      Builds the gradient of each operand from the gradients of the results and stores it in `operandGradients`, which
      has one null entry per operand on entry; a null entry left means no gradient. A result gradient may be null where
      no gradient reaches that result. An operand's gradient has the operand's type.
    }], "::llvm::LogicalResult", "differentiate",
      (ins "::mlir::OpBuilder &":$builder, "::llvm::ArrayRef<::mlir::Value>":$resultGradients,
           "::llvm::SmallVectorImpl<::mlir::Value> &":$operandGradients),
      /*methodBody=*/"", /*defaultImplementation=*/[{
        return $_op.emitOpError("has no derivative: ") << "it is declared not differentiable";
      }]>,
  ];
}

def MP_RowWeightsOpInterface : OpInterface<"RowWeightsOpInterface"> {
  let cppNamespace = "::mp";
  let description = [{
    An operation that combines rows of the batch, its first operand's first dimension, and takes a weight for each: a row of
    weight 0 does not count. By default the operand `weights` holds them.
  }];
  let methods = [
    InterfaceMethod<"The weights, or null while every row counts the same.", "::mlir::Value", "getRowWeights", (ins),
      /*methodBody=*/"", /*defaultImplementation=*/"return $_op.getWeights();">,
    InterfaceMethod<"The type that weights have here, or null where the operation takes none.",
      "::mlir::RankedTensorType", "getRowWeightsType">,
    InterfaceMethod<"Makes `weights` the weights; an operation without such an operand replaces and erases itself.",
      "void", "setRowWeights", (ins "::mlir::Value":$weights),
      /*methodBody=*/"", /*defaultImplementation=*/"$_op.getWeightsMutable().assign(weights);">,
  ];
}

def MP_ElementLossOpInterface : OpInterface<"ElementLossOpInterface"> {
  let cppNamespace = "::mp";
  let description = [{
    A loss that is a mean of a term of each element of a prediction and of its target. Values that build take and return
    are of f32, or f64 for f64.
  }];
  let methods = [
    InterfaceMethod<"What is judged.", "::mlir::Value", "getPrediction">,
    InterfaceMethod<"What it should be.", "::mlir::Value", "getTarget">,
    InterfaceMethod<"One weight for each row, or null.", "::mlir::Value", "getWeights">,
    InterfaceMethod<"Builds the term of each element.", "::mlir::Value", "buildTerm",
      (ins "::mlir::ImplicitLocOpBuilder &":$b, "::mlir::Value":$prediction, "::mlir::Value":$target)>,
    InterfaceMethod<"Builds the derivative of each term in the prediction.", "::mlir::Value", "buildSlope",
      (ins "::mlir::ImplicitLocOpBuilder &":$b, "::mlir::Value":$prediction, "::mlir::Value":$target)>,
    InterfaceMethod<"Builds the derivative of each term in the target.", "::mlir::Value", "buildTargetSlope",
      (ins "::mlir::ImplicitLocOpBuilder &":$b, "::mlir::Value":$prediction, "::mlir::Value":$target)>,
    InterfaceMethod<"Checks what is the term's alone.", "::llvm::LogicalResult", "verifyTerm", (ins),
      /*methodBody=*/"", /*defaultImplementation=*/"return ::mlir::success();">,
  ];
}

def MP_ExpansionOpInterface : OpInterface<"ExpansionOpInterface"> {
  let cppNamespace = "::mp";
  let description = [{
    An operation that is written as others: `mp-autodiff` puts those in its place and differentiates them, and so does what
    forms kernels. Until then it is one operation to everybody: to autocast, to whoever reads the model, to the evaluator.
  }];
  let methods = [
    InterfaceMethod<"Builds a value for each result; none where the operation, as it is used here, stands for itself.",
      "::llvm::SmallVector<::mlir::Value>", "expand", (ins "::mlir::ImplicitLocOpBuilder &":$b)>,
  ];
}

def MP_LabelsOpInterface : OpInterface<"LabelsOpInterface"> {
  let cppNamespace = "::mp";
  let description = [{ An operation that reads classes, integers from 0 to below their number. }];
  let methods = [
    InterfaceMethod<"The classes.", "::mlir::Value", "getLabels">,
    InterfaceMethod<"How many there are, or 0 where labels are probabilities.", "int64_t", "getClassCount">,
    InterfaceMethod<"The label of rows that do not count, which may be none of the classes.",
      "::std::optional<int64_t>", "getIgnoredLabel", (ins), /*methodBody=*/"",
      /*defaultImplementation=*/"return $_op.getIgnoreLabel();">,
  ];
}

def MP_RandomOpInterface : OpInterface<"RandomOpInterface"> {
  let cppNamespace = "::mp";
  let description = [{ An operation that draws random numbers while a model is trained, and none where it is used. }];
  let methods = [
    InterfaceMethod<"Leaves what the operation computes without them; one that is nothing else replaces and erases itself.",
      "void", "dropRandomness">,
  ];
}

def MP_OrderOpInterface : OpInterface<"OrderOpInterface"> {
  let cppNamespace = "::mp";
  let description = [{
    An operation that gives the same elements where the dimensions of its operands come in another order, with those of its results in
    another order, too: relu(transpose(x)) is transpose(relu(x)). What it says of dimensions it says in attributes that are
    `MP_Dimension`, `MP_Dimensions` or `MP_EachDimension`.
  }];
  let methods = [
    InterfaceMethod<[{
      Adds to `orders`, which has that of one operand or result, those of the others; returns false where they do not follow or the
      operation would give other elements. By default all are of the first result's dimensions, with which operands of lower
      rank are aligned at the last, and what works along its last dimension keeps it there.
    }], "bool", "inferOrders", (ins "::mp::DimensionOrders &":$orders),
      /*methodBody=*/"", /*defaultImplementation=*/"return ::mp::detail::inferOrders($_op, orders);">,
  ];
}

def MP_KernelOpInterface : OpInterface<"KernelOpInterface"> {
  let cppNamespace = "::mp";
  let description = [{ What an operation is inside a kernel. }];
  let methods = [
    StaticInterfaceMethod<"The role that kernel forming gives the operation.", "::mp::KernelRole", "getKernelRole">,
    InterfaceMethod<[{
      Arithmetic for each element of the first result, or of the first operand where the operation reduces; what the cost
      model counts and what tells an operation that is cheap to repeat from one that is not.
    }], "int64_t", "getOperationsPerElement", (ins), /*methodBody=*/"", /*defaultImplementation=*/"return 1;">,
    InterfaceMethod<[{
      The dimensions of the first operand that an operation of role row works along; by default the last.
    }], "::llvm::SmallVector<int64_t>", "getReducedDimensions", (ins),
      /*methodBody=*/"", /*defaultImplementation=*/"return ::mp::detail::lastDimension($_op);">,
    InterfaceMethod<[{
      Whether any element of a result may read any element of this operand, which therefore lies in memory: the state of a
      random generator does, and a mask of bits.
    }], "bool", "readsWhole", (ins "::mlir::OpOperand &":$operand),
      /*methodBody=*/"", /*defaultImplementation=*/"return false;">,
    InterfaceMethod<"The elements that an operation of role partial makes one value of.", "int64_t", "getPartialBlock",
      (ins), /*methodBody=*/"", /*defaultImplementation=*/"return 1;">,
  ];
}

def MP_GuardedOpInterface : OpInterface<"GuardedOpInterface"> {
  let cppNamespace = "::mp";
  let description = [{
    An operation whose results are next values of some of its operands, and have the bits of those on a skipped step.
  }];
  let methods = [
    InterfaceMethod<"The i32 scalar that is at least 0 on a skipped step, or null where no step is skipped.",
      "::mlir::Value", "getGuard">,
    InterfaceMethod<"The operand that result `index` is the next value of.", "::mlir::Value", "getOldValue",
      (ins "unsigned":$index)>,
  ];
}

def MP_ContractionOpInterface : OpInterface<"ContractionOpInterface"> {
  let cppNamespace = "::mp";
  let description = [{
    An operation of role contraction: each element of its result is a sum of products of an element of its lhs and one of
    its rhs. Whoever forms, schedules or emits one asks here, and nothing about the operation itself.
  }];
  let methods = [
    InterfaceMethod<"The contraction as a value. Shapes are static.", "::mp::Contraction", "getContraction">,
    InterfaceMethod<"The operand whose rows are those of the result.", "::mlir::Value", "getLhs", (ins),
      /*methodBody=*/"", /*defaultImplementation=*/"return $_op->getOperand(0);">,
    InterfaceMethod<"The operand whose rows are the columns of the result.", "::mlir::Value", "getRhs", (ins),
      /*methodBody=*/"", /*defaultImplementation=*/"return $_op->getOperand(1);">,
    InterfaceMethod<"The type of products and sums.", "::mlir::Type", "getAcc">,
    InterfaceMethod<"Makes `acc` the type of products and sums.", "void", "setAcc", (ins "::mlir::Type":$acc)>,
    InterfaceMethod<"What is added to each row of the sums, or null.", "::mlir::Value", "getBias", (ins),
      /*methodBody=*/"", /*defaultImplementation=*/"return {};">,
    InterfaceMethod<[{
      Builds the operation that sums parts of k, `depth` each, as `type`: bias and rounding are left to who adds up the
      parts. Asked only where the contraction takes parts.
    }], "::mlir::Operation *", "cloneAsParts",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Value":$lhs, "::mlir::Value":$rhs, "int64_t":$depth,
           "::mlir::RankedTensorType":$type),
      /*methodBody=*/"", /*defaultImplementation=*/"return nullptr;">,
    InterfaceMethod<"Whether operands 0 and 1 may lie transposed, its last two dimensions exchanged.",
      "bool", "takesTransposes", (ins), /*methodBody=*/"", /*defaultImplementation=*/"return false;">,
    InterfaceMethod<"Reads `stored`, the transpose of what `operand` was. Asked only where it takes transposes.",
      "void", "readTransposed", (ins "::mlir::OpOperand &":$operand, "::mlir::Value":$stored),
      /*methodBody=*/"", /*defaultImplementation=*/[{ llvm_unreachable("takes no transposes"); }]>,
  ];
}

def MP_PoolingOpInterface : OpInterface<"PoolingOpInterface"> {
  let cppNamespace = "::mp";
  let description = [{
    An operation whose results have a pixel for each window of images, its first operand, and see of these that window alone.
  }];
  let methods = [
    InterfaceMethod<"Of each spatial dimension: image, window and result.", "::llvm::SmallVector<::mp::Window, 3>",
      "getWindows">,
  ];
}

def MP_ScheduleInterface : AttrInterface<"ScheduleInterface"> {
  let cppNamespace = "::mp";
  let description = [{ How the blocks of a kernel's grid divide its work: what passes and code generation ask of any schedule. }];
  let methods = [
    InterfaceMethod<"The kind of kernel that it is for.", "::mp::KernelKind", "getKind">,
    InterfaceMethod<"Threads of a block. On a CPU a block is one thread.", "int64_t", "getThreads", (ins),
      /*methodBody=*/"", /*defaultImplementation=*/"return 1;">,
    InterfaceMethod<"Whether a GPU runs it, by blocks of several threads.", "bool", "isForGPU", (ins),
      /*methodBody=*/"", /*defaultImplementation=*/"return $_attr.getThreads() > 1;">,
  ];
}

#endif // MP_INTERFACES_TD
