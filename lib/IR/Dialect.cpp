// Registration and construction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/Forms.h"
#include "mp/IR/MP.h"
#include "mp/IR/ProductTiles.h"

#include "IR/ConvolutionFormat.h"
#include "IR/IndexingFormat.h"
#include "IR/KernelFormat.h"
#include "IR/PoolingFormat.h"
#include "IR/Sizes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "mp/Base/NearestName.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "mp/IR/MPAttrInterfaces.cpp.inc"
#include "mp/IR/MPDialect.cpp.inc"
#include "mp/IR/MPEnums.cpp.inc"

#include "mp/IR/MPInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "mp/IR/MPAttributes.cpp.inc"

/// Codegen attaches what one element of each of these ops is computed by.
template <typename... Ops> static void promiseForms(Dialect &dialect) {
  auto promise = [&]<typename Op>(Op *) {
    if (Op::getKernelRole() == mp::KernelRole::Map || Op::getKernelRole() == mp::KernelRole::Movement)
      dialect.declarePromisedInterface<mp::ScalarFormInterface, Op>();
  };
  (promise(static_cast<Ops *>(nullptr)), ...);
}

void mp::MPDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "mp/IR/MPAttributes.cpp.inc"
      >();
  registerMPDialectOperations(this);
  promiseForms<
#define GET_OP_LIST
#include "mp/IR/MPOps.cpp.inc"
      >(*this);
  attachProductTiles(getContext());
}

std::optional<Dialect::ParseOpHook> mp::MPDialect::getParseOperationHook(StringRef) const {
  // Asked only for a name that no registered op has.
  return [](OpAsmParser &parser, OperationState &state) -> ParseResult {
    std::vector<std::string> known;
    for (RegisteredOperationName op : parser.getContext()->getRegisteredOperations())
      if (op.getDialectNamespace() == getDialectNamespace())
        known.push_back(op.getStringRef().str());
    StringRef name = state.name.getStringRef();
    return parser.emitError(parser.getNameLoc())
           << "is unknown; docs/ops.md lists the ops of models" << suggestName(name, known);
  };
}

Operation *mp::MPDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  return elements && elements.getType() == type ? ConstantOp::create(builder, loc, type, elements).getOperation()
                                                : nullptr;
}

Type mp::detail::getI32Type(MLIRContext *context) { return IntegerType::get(context, 32); }
Type mp::detail::getI64Type(MLIRContext *context) { return IntegerType::get(context, 64); }
RankedTensorType mp::detail::getRngType(MLIRContext *context) {
  return RankedTensorType::get({2}, IntegerType::get(context, 64));
}

LogicalResult mp::OpTrait::verifyCountableValues(Operation *op) {
  auto verify = [&](TypeRange types) -> LogicalResult {
    for (Type type : types)
      if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && !isCountable(tensor.getShape()))
        return op->emitOpError("has a value of type ") << type << "; at most 2^48 elements are supported";
    return success();
  };
  return success(succeeded(verify(op->getOperandTypes())) && succeeded(verify(op->getResultTypes())));
}

LogicalResult mp::OpTrait::verifyNoStrayAttributes(Operation *op) {
  for (NamedAttribute attr : op->getDiscardableAttrs())
    if (!attr.getName().strref().contains('.'))
      return op->emitOpError("has no attribute '")
             << attr.getName().strref() << "'; attributes of other dialects have a prefix";
  return success();
}
