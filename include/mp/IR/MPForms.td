// What code generation knows of an op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interfaces that are declared here and attached from Codegen, so that the dialect depends on nothing that code is made
// of: it promises a ScalarFormInterface for every op of role map or movement. Codegen/Forms says in which types
// registers hold elements.

#ifndef MP_FORMS_TD
#define MP_FORMS_TD

include "mlir/IR/OpBase.td"

def MP_ScalarFormInterface : OpInterface<"ScalarFormInterface"> {
  let cppNamespace = "::mp";
  let description = [{ What an operation computes for one element of its results, from one element of each operand. }];
  let methods = [
    InterfaceMethod<[{
      Builds the values of all results, of their register types, from those of the operands. Emits an error and fails where
      there is no native code for an element type.
    }], "::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>>", "buildElement",
      (ins "::mlir::ImplicitLocOpBuilder &":$b, "const ::mp::ScalarOperands &":$operands)>,
    InterfaceMethod<[{
      The strides with which the dimensions of the first result walk an operand; nothing where both have their elements in
      one order.
    }], "std::optional<::mp::Sizes>", "getOperandStrides", (ins "::mlir::OpOperand &":$operand)>,
    InterfaceMethod<[{
      Elements of the first result, in row-major order, after which what it reads whole jumps: lanes side by side that are
      built at once start at a multiple of their number among so many. 0 for never.
    }], "int64_t", "getRun", (ins), /*methodBody=*/"", /*defaultImplementation=*/"return 0;">,
  ];
}

def MP_WindowFormInterface : OpInterface<"WindowFormInterface"> {
  let cppNamespace = "::mp";
  let description = [{
    What an emitter may know of an operation with a scalar form whose elements come of windows over images, to have
    several of them built together.
  }];
  let methods = [
    InterfaceMethod<[{
      Of a first result that is images: in each spatial dimension the first pixel, and the one behind the last, for which
      the operation reads no pixel that is not there. Empty where the result is none.
    }], "::mp::PixelRanges", "getInnerPixels", (ins), /*methodBody=*/"", /*defaultImplementation=*/"return {};">,
    InterfaceMethod<[{
      Of a first result [..., matrices, rows, columns]: so many matrices, `most` or fewer, share what they read, so that one
      element of each is built at once; a divisor of their number, and the first is a multiple of it.
    }], "int64_t", "countJoined", (ins "int64_t":$most), /*methodBody=*/"", /*defaultImplementation=*/"return 1;">,
  ];
}

def MP_ScalarPartsInterface : OpInterface<"ScalarPartsInterface"> {
  let cppNamespace = "::mp";
  let description = [{
    What an operation with a scalar form computes once for all elements: the bias corrections of Adam, the counter and
    key of a dropout. The operands that it takes for that are not read at each element.
  }];
  let methods = [
    InterfaceMethod<"The operands that the parts are made of.", "::llvm::SmallVector<::mlir::OpOperand *, 2>",
      "getPartOperands">,
    InterfaceMethod<"Builds the parts. `load` gives element `index` of one of their operands, of its register type.",
      "::llvm::FailureOr<::llvm::SmallVector<::mlir::Value, 4>>", "buildParts",
      (ins "::mlir::ImplicitLocOpBuilder &":$b,
           "::llvm::function_ref<::llvm::FailureOr<::mlir::Value>(::mlir::Value operand, int64_t index)>":$load)>,
    InterfaceMethod<"Whether the parts cost so much that no two threads of a block should build the same.",
      "bool", "hasCostlyParts", (ins), /*methodBody=*/"", /*defaultImplementation=*/"return false;">,
  ];
}

def MP_ReductionFormInterface : OpInterface<"ReductionFormInterface"> {
  let cppNamespace = "::mp";
  let description = [{
    How an operation makes one value of many elements: each becomes a term, terms are combined in an order that an
    emitter chooses, and what comes of them is finished. All in the register type of an element, in any number of lanes.
  }];
  let methods = [
    InterfaceMethod<"The term that an element is; by default itself.", "::mlir::Value", "buildTerm",
      (ins "::mlir::ImplicitLocOpBuilder &":$b, "::mlir::Value":$element),
      /*methodBody=*/"", /*defaultImplementation=*/"return element;">,
    InterfaceMethod<"The term that changes nothing, in one lane.", "::mlir::Value", "buildIdentity",
      (ins "::mlir::ImplicitLocOpBuilder &":$b)>,
    InterfaceMethod<"Both terms in one; the same in either order.", "::mlir::Value", "combine",
      (ins "::mlir::ImplicitLocOpBuilder &":$b, "::mlir::Value":$x, "::mlir::Value":$y)>,
    InterfaceMethod<"The result, of its register type, once `count` terms are combined.", "::mlir::Value", "finish",
      (ins "::mlir::ImplicitLocOpBuilder &":$b, "::mlir::Value":$combined, "int64_t":$count)>,
  ];
}

def MP_BlocksFormInterface : OpInterface<"BlocksFormInterface"> {
  let cppNamespace = "::mp";
  let description = [{ A reduction that gives one value for each block of consecutive elements, in row-major order. }];
  let methods = [
    InterfaceMethod<"How many elements a block has; the last may have fewer.", "int64_t", "getBlockSize">,
  ];
}

def MP_RowFormInterface : OpInterface<"RowFormInterface"> {
  let cppNamespace = "::mp";
  let description = [{
    What an operation over whole rows is made of: reductions of the last dimension and maps, in f32 (f64 for f64), which
    a kernel fuses as it fuses those of a model.
  }];
  let methods = [
    InterfaceMethod<"Builds the operation's results in primitive ops.", "::llvm::SmallVector<::mlir::Value>", "expand",
      (ins "::mlir::ImplicitLocOpBuilder &":$b)>,
  ];
}

#endif // MP_FORMS_TD
