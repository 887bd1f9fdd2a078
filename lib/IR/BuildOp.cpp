// Ops made by their name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/BuildOp.h"
#include "mp/IR/MP.h"

#include "IR/Sizes.h"
#include "IR/WindowText.h"
#include "IR/Windows.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace mlir;
using namespace mp;

using Sizes = SmallVector<int64_t>;

namespace {
/// What the attributes of an op are that were left out.
class Defaults {
public:
  Defaults(OpBuilder &builder, Location location, RegisteredOperationName op, ValueRange operands, DictionaryAttr given)
      : builder(builder), location(location), op(op), operands(operands), attributes(given) {}

  FailureOr<DictionaryAttr> fill() {
    if (has("acc") && !attributes.get("acc") && !operands.empty())
      attributes.set("acc", TypeAttr::get(getElementTypeOrSelf(operands.front()).isF64() ? builder.getF64Type()
                                                                                         : builder.getF32Type()));
    if (has("strides") && failed(fillWindows()))
      return failure();
    return attributes.getDictionary(builder.getContext());
  }

private:
  bool has(StringRef name) const {
    return llvm::any_of(op.getAttributeNames(), [&](StringAttr known) { return known == name; });
  }

  Sizes sizesOr(StringRef name, Sizes otherwise) {
    if (auto given = dyn_cast_or_null<DenseI64ArrayAttr>(attributes.get(name)))
      return Sizes(given.asArrayRef());
    if (has(name) && !attributes.get(name))
      attributes.set(name, builder.getDenseI64ArrayAttr(otherwise));
    return otherwise;
  }

  LogicalResult fillWindows() {
    if (operands.empty())
      return success(); // the verifier says what is missing
    const Sizes image(spatialSizes(operands[0].getType())), ones(image.size(), 1);
    const bool pools = has("window");
    if (pools && !attributes.get("window"))
      return emitError(location) << "has no window, a number for each spatial dimension";
    const Sizes taps = pools                  ? sizesOr("window", ones)
                       : operands.size() == 1 ? Sizes()
                                              : Sizes(spatialSizes(operands[1].getType()));
    const Sizes strides = sizesOr("strides", pools ? taps : ones), dilations = sizesOr("dilations", ones);
    if (has("groups") && !attributes.get("groups"))
      attributes.set("groups", builder.getI64IntegerAttr(1));
    if (auto word = dyn_cast_or_null<StringAttr>(attributes.get("padding"))) {
      if (word != "same" && word != "valid")
        return emitError(location) << "padding is '" << word.getValue() << "', expected same, valid or numbers";
      attributes.erase("padding");
      if (word == "same" && failed(padToSame(image, taps, strides, dilations)))
        return failure();
    }
    const Sizes padding = sizesOr("padding", Sizes(2 * image.size(), 0));
    // Whether padding counts is for who pads to say.
    if (has("count_padding") && !attributes.get("count_padding") &&
        llvm::all_of(padding, [](int64_t n) { return n == 0; }))
      attributes.set("count_padding", builder.getBoolAttr(false));
    return success();
  }

  LogicalResult padToSame(ArrayRef<int64_t> image, ArrayRef<int64_t> taps, ArrayRef<int64_t> strides,
                          ArrayRef<int64_t> dilations) {
    auto isPositive = [](int64_t number) { return number >= 1; };
    if (taps.size() != image.size() || strides.size() != image.size() || dilations.size() != image.size() ||
        !llvm::all_of(strides, isPositive) || !llvm::all_of(dilations, isPositive))
      return success(); // the verifier says what is wrong with them
    Sizes padding;
    for (size_t i = 0; i < image.size(); ++i) {
      if (ShapedType::isDynamic(image[i]) || ShapedType::isDynamic(taps[i]))
        return emitError(location) << "padding 'same' needs spatial sizes that are known";
      std::optional<int64_t> span = spanOfTaps(taps[i], dilations[i]);
      auto sides = span ? mp::padToSame(image[i], *span, strides[i]) : std::nullopt;
      if (!sides)
        return emitError(location) << "padding 'same' of these sizes is 2^63 or more";
      padding.append({sides->first, sides->second});
    }
    attributes.set("padding", builder.getDenseI64ArrayAttr(padding));
    return success();
  }

  OpBuilder &builder;
  Location location;
  RegisteredOperationName op;
  ValueRange operands;
  NamedAttrList attributes;
};
} // namespace

/// What the verifier says first of an op whose result types are guesses; empty where they are right.
static std::string findFirstFault(Operation *op) {
  std::string fault;
  ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &diagnostic) {
    if (fault.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error)
      fault = diagnostic.str();
  });
  (void)verify(op);
  return fault;
}

static bool says(const std::string &fault, StringRef what) { return StringRef(fault).contains(what); }

/// The types of results, of an op that has operands and attributes but guesses for those. Its interfaces ask operands
/// and attributes that have to be there.
static LogicalResult inferTypes(Operation *op, const std::string &fault, Type stated, SmallVectorImpl<Type> &types) {
  if (!says(fault, "result") && (says(fault, "operand") || says(fault, "attribute '")))
    return emitError(op->getLoc()) << fault;
  if (auto inferred = dyn_cast<InferTypeOpInterface>(op))
    return inferred.inferReturnTypes(op->getContext(), op->getLoc(), op->getOperands(), op->getRawDictionaryAttrs(),
                                     op->getPropertiesStorage(), op->getRegions(), types);
  llvm::append_range(types, op->getResultTypes());
  auto shaped = dyn_cast<ShapeOpInterface>(op);
  if (!shaped || isa_and_nonnull<RankedTensorType>(stated))
    return success();
  Sizes shape;
  if (failed(shaped.inferShape(shape)))
    return failure();
  types.front() = RankedTensorType::get(shape, getElementTypeOrSelf(types.front()));
  return success();
}

FailureOr<Operation *> mp::buildOp(OpBuilder &builder, Location location, StringRef name, ValueRange operands,
                                   DictionaryAttr attributes, Type stated) {
  std::optional<RegisteredOperationName> known = RegisteredOperationName::lookup(name, builder.getContext());
  if (!known || known->getDialectNamespace() != MPDialect::getDialectNamespace())
    return emitError(location) << "there is no op '" << name << "'";
  FailureOr<DictionaryAttr> filled = Defaults(builder, location, *known, operands, attributes).fill();
  if (failed(filled))
    return failure();
  Type guess = stated ? stated : operands.empty() ? Type() : operands.front().getType();
  if (auto elements = dyn_cast_or_null<ElementsAttr>(filled->get("value")); elements && !guess)
    guess = elements.getType();
  if (!guess)
    return emitError(location) << "'" << name << "' needs the type of its result";
  if (!isa<RankedTensorType>(guess))
    guess = RankedTensorType::get(operands.empty() ? ArrayRef<int64_t>() : shapeOf(operands.front()), guess);

  constexpr unsigned kMostResults = 4;
  for (unsigned results = 1; results <= kMostResults; ++results) {
    OperationState state(location, known->getStringRef(), operands, SmallVector<Type>(results, guess),
                         filled->getValue());
    Operation *op = builder.create(state);
    const std::string fault = findFirstFault(op);
    SmallVector<Type> types;
    const bool isOtherCount = says(fault, "expected") && says(fault, " results") && results < kMostResults;
    const LogicalResult inferred = isOtherCount ? success() : inferTypes(op, fault, stated, types);
    if (fault.empty() && llvm::equal(types, op->getResultTypes()))
      return op;
    op->erase();
    if (failed(inferred))
      return failure();
    if (isOtherCount)
      continue;
    state.types.assign(types.begin(), types.end());
    Operation *made = builder.create(state);
    if (succeeded(verify(made)))
      return made;
    made->erase();
    return failure();
  }
  llvm_unreachable("the last number of results is tried");
}
