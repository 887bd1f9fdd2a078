// Ops made by their name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/BuildOp.h"
#include "mp/IR/Faults.h"
#include "mp/IR/MP.h"

#include "IR/Sizes.h"
#include "IR/WindowText.h"
#include "IR/Windows.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstddef>

using namespace mlir;
using namespace mp;

using Sizes = SmallVector<int64_t>;

static Fault faultOf(FaultCode code, RegisteredOperationName op, StringRef name = {}, StringRef value = {},
                     std::vector<std::string> known = {}) {
  Fault fault;
  fault.code = code;
  fault.op = op.getStringRef().str();
  fault.name = name.str();
  fault.value = value.str();
  fault.known = std::move(known);
  return fault;
}

namespace {
/// What the attributes of an op are that were left out.
class Defaults {
public:
  Defaults(OpBuilder &builder, Location location, RegisteredOperationName op, ValueRange operands,
           NamedAttrList &attributes)
      : builder(builder), location(location), op(op), operands(operands), attributes(attributes) {}

  LogicalResult fill() {
    if (has("acc") && !attributes.get("acc") && !operands.empty())
      attributes.set("acc", TypeAttr::get(getElementTypeOrSelf(operands.front()).isF64() ? builder.getF64Type()
                                                                                         : builder.getF32Type()));
    return has("strides") ? fillWindows() : success();
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
    const Sizes image(spatialSizes(operands[0].getType())), ones(image.size(), 1);
    const bool pools = has("window");
    if (pools && !attributes.get("window"))
      return about(emitError(location) << "has no window, a number for each spatial dimension",
                   faultOf(FaultCode::MissingAttribute, op, "window"));
    const Sizes taps = pools                  ? sizesOr("window", ones)
                       : operands.size() == 1 ? Sizes()
                                              : Sizes(spatialSizes(operands[1].getType()));
    const Sizes strides = sizesOr("strides", pools ? taps : ones), dilations = sizesOr("dilations", ones);
    if (has("groups") && !attributes.get("groups"))
      attributes.set("groups", builder.getI64IntegerAttr(1));
    if (auto word = dyn_cast_or_null<StringAttr>(attributes.get("padding"))) {
      if (word != "same" && word != "valid")
        return about(emitError(location) << "padding is '" << word.getValue() << "', expected same, valid or numbers",
                     faultOf(FaultCode::UnknownWord, op, "padding", word.getValue(), {"same", "valid"}));
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
        return about(emitError(location) << "padding 'same' needs spatial sizes that are known",
                     faultOf(FaultCode::OpenSpatialSize, op, "padding"));
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
  NamedAttrList &attributes;
};
} // namespace

std::array<Type, 8> mp::elementTypes(MLIRContext *context) {
  Builder b(context);
  return {b.getI1Type(),  b.getIntegerType(8, /*isSigned=*/false),
          b.getI32Type(), b.getI64Type(),
          b.getF16Type(), b.getBF16Type(),
          b.getF32Type(), b.getF64Type()};
}

/// The words of an enumeration.
static std::vector<std::string> wordsOf(const AttributeSpec &spec) {
  constexpr uint32_t kMostCases = 64;
  std::vector<std::string> words;
  for (uint32_t i = 0; i < kMostCases; ++i)
    if (StringRef word = spec.toWord(i); !word.empty())
      words.push_back(word.str());
  return words;
}

namespace {
struct KindName {
  StringRef word, text;
};
} // namespace

/// What a fault calls the kind, and its message.
static KindName nameOf(AttributeKind kind) {
  switch (kind) {
  case AttributeKind::Integer:
    return {"integer", "a whole number"};
  case AttributeKind::Float:
    return {"number", "a number"};
  case AttributeKind::Bool:
  case AttributeKind::Unit:
    return {"truth", "true or false"};
  case AttributeKind::Integers:
    return {"integers", "whole numbers"};
  case AttributeKind::Type:
    return {"element", "an element type"};
  case AttributeKind::Word:
    return {"word", "a word"};
  case AttributeKind::Dense:
    return {"tensor", "a tensor"};
  case AttributeKind::Other:
    return {"text", "what only its text can say"};
  }
  llvm_unreachable("unknown kind of attribute");
}

namespace {
/// Operands and attributes as an op's definition has them, compared with it.
class Arguments {
public:
  Arguments(OpBuilder &builder, Location location, RegisteredOperationName op)
      : builder(builder), location(location), op(op), definition(*op.getInterface<DefinitionOpInterface>()) {}

  LogicalResult read(ValueRange operands, ArrayRef<NamedValue> values) {
    if (failed(readOperands(operands)))
      return failure();
    for (const NamedValue &one : values)
      if (failed(readAttribute(one)))
        return failure();
    if (failed(Defaults(builder, location, op, given, attributes).fill()))
      return failure();
    for (const AttributeSpec &spec : definition.getAttributeSpecs())
      if (!spec.isOptional && !attributes.get(spec.name))
        return about(error() << "requires attribute '" << spec.name << "'",
                     faultOf(FaultCode::MissingAttribute, op, spec.name));
    return success();
  }

  SmallVector<Value> given; // operands
  NamedAttrList attributes;

private:
  InFlightDiagnostic error() { return emitError(location) << "'" << op.getStringRef() << "' op "; }

  LogicalResult readOperands(ValueRange operands) {
    ArrayRef<OperandSpec> specs = definition.getOperandSpecs();
    const bool isVariadic = llvm::any_of(specs, [](auto &spec) { return spec.count == OperandCount::Variadic; });
    const size_t least = llvm::count_if(specs, [](auto &spec) { return spec.count == OperandCount::One; });
    if (operands.size() < least || (!isVariadic && operands.size() > specs.size()))
      return refuseCount(operands.size(), least, isVariadic);
    // Of several variadic operands the definition does not say which value is of which.
    const size_t behind = isVariadic ? specs.size() - 1 : 0;
    SmallVector<int32_t> segments;
    size_t next = 0;
    for (const OperandSpec &spec : specs) {
      size_t count = spec.count == OperandCount::Variadic ? operands.size() - behind : next < operands.size() ? 1 : 0;
      int32_t present = 0;
      for (; count > 0; --count, ++next) {
        if (!operands[next] && spec.count == OperandCount::Optional)
          continue;
        if (!operands[next])
          return refuseCount(operands.size(), least, isVariadic);
        if (failed(checkOperand(next, spec, operands[next])))
          return failure();
        given.push_back(operands[next]);
        ++present;
      }
      segments.push_back(present);
    }
    if (op.hasTrait<mlir::OpTrait::AttrSizedOperandSegments>())
      attributes.set("operandSegmentSizes", builder.getDenseI32ArrayAttr(segments));
    return checkAlike();
  }

  LogicalResult refuseCount(size_t found, size_t least, bool isVariadic) {
    const size_t most = definition.getOperandSpecs().size();
    InFlightDiagnostic diagnostic = error();
    diagnostic << "expected " << least;
    if (isVariadic)
      diagnostic << " or more";
    else if (most > least)
      diagnostic << " to " << most;
    diagnostic << " operands, but found " << found;
    return about(std::move(diagnostic), faultOf(FaultCode::OperandCount, op));
  }

  LogicalResult checkOperand(size_t index, const OperandSpec &spec, Value value) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    const std::array<Type, 8> types = elementTypes(builder.getContext());
    const auto *found = tensor ? llvm::find(types, tensor.getElementType()) : types.end();
    if (found != types.end() && (spec.elements == 0 || (spec.elements >> (found - types.begin()) & 1)))
      return success(); // the verifier knows what else is asked of it
    Fault fault = faultOf(FaultCode::OperandType, op, spec.name);
    fault.operand = static_cast<int64_t>(index);
    fault.elements = spec.elements;
    InFlightDiagnostic diagnostic = error();
    diagnostic << "operand #" << index << " must be ranked tensor of ";
    SmallVector<Type> fitting;
    for (auto [i, type] : llvm::enumerate(types))
      if (spec.elements == 0 || (spec.elements >> i & 1))
        fitting.push_back(type);
    for (auto [i, type] : llvm::enumerate(fitting)) {
      if (i > 0)
        diagnostic << (i + 1 == fitting.size() ? " or " : ", ");
      diagnostic << type;
    }
    diagnostic << " values, but got " << value.getType();
    return about(std::move(diagnostic), fault);
  }

  /// What inferring a type relies on: it asks one operand for all.
  LogicalResult checkAlike() {
    if (!op.hasTrait<mlir::OpTrait::SameOperandsAndResultElementType>() &&
        !op.hasTrait<mlir::OpTrait::SameOperandsAndResultType>())
      return success();
    for (size_t i = 1; i < given.size(); ++i)
      if (elementOf(given[i]) != elementOf(given.front())) {
        Fault fault = elementTypesDiffer(0, {}, static_cast<int64_t>(i), {});
        fault.op = op.getStringRef().str();
        return about(error() << "requires the same element type for all operands and results", fault);
      }
    return success();
  }

  LogicalResult readAttribute(const NamedValue &one) {
    if (one.name.contains('.'))
      return readDiscardable(one);
    ArrayRef<AttributeSpec> specs = definition.getAttributeSpecs();
    const auto *spec = llvm::find_if(specs, [&](const AttributeSpec &spec) { return spec.name == one.name; });
    if (spec == specs.end()) {
      std::vector<std::string> known;
      for (const AttributeSpec &spec : specs)
        known.push_back(spec.name.str());
      return about(error() << "has no attribute '" << one.name << "'",
                   faultOf(FaultCode::UnknownAttribute, op, one.name, {}, std::move(known)));
    }
    FailureOr<Attribute> value = convert(*spec, one);
    if (failed(value))
      return failure();
    if (*value) // a unit that is false is left out
      attributes.set(one.name, *value);
    return success();
  }

  LogicalResult readDiscardable(const NamedValue &one) {
    if (const auto *number = std::get_if<int64_t>(&one.value))
      attributes.set(one.name, builder.getI64IntegerAttr(*number));
    else if (const auto *text = std::get_if<StringRef>(&one.value))
      attributes.set(one.name, builder.getStringAttr(*text));
    else if (std::holds_alternative<bool>(one.value))
      attributes.set(one.name, builder.getUnitAttr());
    else
      return about(error() << "attribute '" << one.name << "' is a whole number, a text or a unit",
                   faultOf(FaultCode::AttributeKind, op, one.name));
    return success();
  }

  /// The attribute that the definition asks for.
  FailureOr<Attribute> convert(const AttributeSpec &spec, const NamedValue &one) {
    const auto *truth = std::get_if<bool>(&one.value);
    const auto *integer = std::get_if<int64_t>(&one.value);
    const auto *number = std::get_if<double>(&one.value);
    const auto *word = std::get_if<StringRef>(&one.value);
    const auto *integers = std::get_if<SmallVector<int64_t>>(&one.value);
    const auto *type = std::get_if<Type>(&one.value);
    const auto *dense = std::get_if<ElementsAttr>(&one.value);
    switch (spec.kind) {
    case AttributeKind::Integer:
      if (integer)
        return Attribute(builder.getI64IntegerAttr(*integer));
      break;
    case AttributeKind::Float:
      if (integer || number)
        return Attribute(builder.getF64FloatAttr(number ? *number : static_cast<double>(*integer)));
      break;
    case AttributeKind::Bool:
      if (truth)
        return Attribute(builder.getBoolAttr(*truth));
      break;
    case AttributeKind::Unit:
      if (truth)
        return *truth ? Attribute(builder.getUnitAttr()) : Attribute();
      break;
    case AttributeKind::Integers:
      if (integers || integer)
        return Attribute(builder.getDenseI64ArrayAttr(integers ? ArrayRef<int64_t>(*integers) : *integer));
      if (word && spec.name == "padding")
        return Attribute(builder.getStringAttr(*word));
      break;
    case AttributeKind::Type:
      if (type)
        return Attribute(TypeAttr::get(*type));
      break;
    case AttributeKind::Word:
      if (Attribute found = word ? spec.fromWord(builder.getContext(), *word) : Attribute())
        return found;
      if (word) {
        std::vector<std::string> words = wordsOf(spec);
        return LogicalResult(about(error() << "attribute '" << spec.name << "' is '" << *word << "', expected one of "
                                           << llvm::join(words, ", "),
                                   faultOf(FaultCode::UnknownWord, op, spec.name, *word, words)));
      }
      break;
    case AttributeKind::Dense:
      if (dense)
        return Attribute(*dense);
      break;
    case AttributeKind::Other:
      break;
    }
    const KindName kind = nameOf(spec.kind);
    return LogicalResult(about(error() << "attribute '" << spec.name << "' is not " << kind.text,
                               faultOf(FaultCode::AttributeKind, op, spec.name, kind.word)));
  }

  OpBuilder &builder;
  Location location;
  RegisteredOperationName op;
  DefinitionOpInterface::Concept &definition;
};
} // namespace

namespace {
/// An op's attributes in the form in which the op keeps them, before there is one.
class Properties {
public:
  explicit Properties(RegisteredOperationName op)
      : op(op), storage(llvm::divideCeil(op.getOpPropertyByteSize(), sizeof(std::max_align_t))) {
    if (!storage.empty())
      op.initOpProperties(get(), OpaqueProperties(nullptr));
  }
  ~Properties() {
    if (!storage.empty())
      op.destroyOpProperties(get());
  }
  Properties(const Properties &) = delete;
  Properties &operator=(const Properties &) = delete;

  LogicalResult set(DictionaryAttr attributes, Location location) {
    return storage.empty()
               ? success()
               : op.setOpPropertiesFromAttribute(op, get(), attributes, [&] { return emitError(location); });
  }

  OpaqueProperties get() { return OpaqueProperties(storage.empty() ? nullptr : storage.data()); }

private:
  RegisteredOperationName op;
  std::vector<std::max_align_t> storage;
};
} // namespace

/// The type that is stated, or the first operand's, of which an op without InferTypeOpInterface says the shape.
static LogicalResult stateType(OperationState &state, Type stated) {
  Type type = stated;
  if (auto value = dyn_cast_or_null<ElementsAttr>(state.attributes.get("value")); value && !type)
    type = value.getType();
  if (!type && !state.operands.empty())
    type = state.operands.front().getType();
  if (!type) {
    Fault fault;
    fault.code = FaultCode::MissingResultType;
    fault.op = state.name.getStringRef().str();
    return about(emitError(state.location) << "'" << state.name << "' needs the type of its result", fault);
  }
  const bool isWhole = isa_and_nonnull<RankedTensorType>(stated);
  if (!isa<RankedTensorType>(type))
    type = RankedTensorType::get(state.operands.empty() ? ArrayRef<int64_t>() : shapeOf(state.operands.front()), type);
  state.types.assign({type});
  if (isWhole || !state.name.hasInterface<ShapeOpInterface>())
    return success();
  Sizes shape;
  Operation *detached = Operation::create(state);
  const LogicalResult inferred = cast<ShapeOpInterface>(detached).inferShape(shape);
  detached->destroy();
  if (succeeded(inferred))
    state.types.assign({RankedTensorType::get(shape, getElementTypeOrSelf(type))});
  return inferred;
}

FailureOr<Operation *> mp::buildOp(OpBuilder &builder, Location location, StringRef name, ValueRange operands,
                                   ArrayRef<NamedValue> attributes, Type stated) {
  MLIRContext *context = builder.getContext();
  std::optional<RegisteredOperationName> known = RegisteredOperationName::lookup(name, context);
  if (!known || !known->hasInterface<DefinitionOpInterface>()) {
    Fault fault;
    fault.code = FaultCode::UnknownOp;
    fault.op = name.str();
    for (RegisteredOperationName one : context->getRegisteredOperations())
      if (one.hasInterface<DefinitionOpInterface>())
        fault.known.push_back(one.getStringRef().str());
    return about(emitError(location) << "there is no op '" << name << "'", fault);
  }
  Arguments arguments(builder, location, *known);
  if (failed(arguments.read(operands, attributes)))
    return failure();
  OperationState state(location, *known);
  state.addOperands(arguments.given);
  state.attributes = arguments.attributes;
  if (auto *inferring = known->getInterface<InferTypeOpInterface>()) {
    Properties properties(*known);
    DictionaryAttr dictionary = state.attributes.getDictionary(context);
    if (failed(properties.set(dictionary, location)) ||
        failed(inferring->inferReturnTypes(context, location, state.operands, dictionary, properties.get(),
                                           RegionRange(), state.types)))
      return failure();
  } else if (failed(stateType(state, stated))) {
    return failure();
  }
  Operation *made = builder.create(state);
  if (succeeded(verify(made)))
    return made;
  made->erase();
  return failure();
}
