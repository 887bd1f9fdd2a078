// Values of attributes, as lists of a policy name them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Analysis/AttributeValues.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/StringExtras.h"

#include "mp/Base/NearestName.h"
#include "mp/IR/MP.h"

#include <bit>
#include <charconv>

using namespace mp;
using llvm::StringRef;

// What there is

namespace {

/// A value that tells by being taken what kind an attribute is.
struct Sample {
  mlir::Attribute value;
  ValueKind kind;
  std::vector<std::string> words = {};
};

/// The kind of each attribute of each op, by `mp.op.attribute`.
using Kinds = llvm::StringMap<KnownAttribute>;

} // namespace

template <typename Attr, typename Enum, typename Name>
static Sample sampleOf(mlir::MLIRContext *context, Enum last, Name name) {
  Sample sample{Attr::get(context, last), ValueKind::Word};
  for (unsigned i = 0; i <= static_cast<unsigned>(last); ++i)
    sample.words.push_back(name(static_cast<Enum>(i)).str());
  return sample;
}

static std::vector<Sample> listSamples(mlir::MLIRContext *context) {
  mlir::Builder b(context);
  return {
      {b.getUnitAttr(), ValueKind::Flag},
      {b.getBoolAttr(true), ValueKind::Word, {"true", "false"}},
      {b.getI64IntegerAttr(0), ValueKind::Integer},
      {b.getF64FloatAttr(0), ValueKind::Number},
      {b.getDenseI64ArrayAttr({}), ValueKind::Integers},
      // The types of products' sums; no other attribute of an op in a list is one.
      {mlir::TypeAttr::get(b.getF32Type()), ValueKind::Word, {"f16", "f32", "f64"}},
      sampleOf<ComparePredicateAttr>(context, ComparePredicate::ge, stringifyComparePredicate),
      sampleOf<GeluApproximationAttr>(context, GeluApproximation::tanh, stringifyGeluApproximation),
      sampleOf<ResizeModeAttr>(context, static_cast<ResizeMode>(getMaxEnumValForResizeMode()), stringifyResizeMode),
      sampleOf<ResizeCoordinatesAttr>(context, static_cast<ResizeCoordinates>(getMaxEnumValForResizeCoordinates()),
                                      stringifyResizeCoordinates),
      sampleOf<ResizeRoundingAttr>(context, static_cast<ResizeRounding>(getMaxEnumValForResizeRounding()),
                                   stringifyResizeRounding),
      {b.getI64TensorAttr({1}), ValueKind::Any},
  };
}

/// Asks in a context of its own, where nobody else hears what is refused.
static Kinds findKinds() {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<MPDialect>();
  mlir::ScopedDiagnosticHandler silence(&context, [](mlir::Diagnostic &) { return mlir::success(); });
  auto refuse = [&] { return mlir::emitError(mlir::UnknownLoc::get(&context)); };
  const std::vector<Sample> samples = listSamples(&context);
  Kinds kinds;
  for (mlir::RegisteredOperationName op : context.getRegisteredOperations())
    for (mlir::StringAttr name : op.getAttributeNames())
      for (const Sample &sample : samples) {
        mlir::NamedAttrList attributes;
        attributes.append(name, sample.value);
        if (mlir::failed(op.verifyInherentAttrs(attributes, refuse)))
          continue;
        kinds[(op.getStringRef() + "." + name.getValue()).str()] = {name.str(), sample.kind, sample.words};
        break;
      }
  return kinds;
}

std::vector<KnownAttribute> mp::collectAttributes(mlir::RegisteredOperationName op) {
  static const Kinds kinds = findKinds();
  std::vector<KnownAttribute> attributes;
  for (mlir::StringAttr name : op.getAttributeNames()) {
    if (name == "operandSegmentSizes" || name == "resultSegmentSizes")
      continue;
    auto found = kinds.find((op.getStringRef() + "." + name.getValue()).str());
    if (found != kinds.end() && found->second.kind == ValueKind::Any)
      continue; // no entry names a tensor
    attributes.push_back(found == kinds.end() ? KnownAttribute{name.str()} : found->second);
  }
  return attributes;
}

// One text for a value

static std::string numberText(double number) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

static std::string listText(llvm::ArrayRef<int64_t> numbers) {
  return "[" + llvm::join(llvm::map_range(numbers, [](int64_t number) { return std::to_string(number); }), ", ") + "]";
}

std::string mp::textOfValue(mlir::Attribute value) {
  if (mlir::isa<mlir::UnitAttr>(value))
    return "";
  if (auto string = mlir::dyn_cast<mlir::StringAttr>(value))
    return string.str();
  if (auto number = mlir::dyn_cast<mlir::FloatAttr>(value))
    return numberText(number.getValueAsDouble());
  if (auto list = mlir::dyn_cast<mlir::DenseI64ArrayAttr>(value))
    return listText(list);
  std::string text;
  llvm::raw_string_ostream os(text);
  value.print(os, /*elideType=*/true);
  StringRef inner = text;
  if (inner.consume_front("#mp<") && inner.consume_back(">")) // `gt` of `#mp<predicate gt>`
    return inner.split(' ').second.str();
  return text;
}

static std::optional<double> readNumber(StringRef text) {
  double number = 0;
  if (!text.getAsDouble(number))
    return number;
  uint64_t bits = 0; // as MLIR prints what is not finite
  if (text.size() == 18 && text.consume_front("0x") && !text.getAsInteger(16, bits))
    return std::bit_cast<double>(bits);
  return std::nullopt;
}

/// `[0, 1]`, or `array<i64: 0, 1>` as MLIR prints it.
static std::optional<std::vector<int64_t>> readIntegers(StringRef text) {
  const bool isArray = text.consume_front("array<i64") && text.consume_back(">");
  if (isArray ? !text.empty() && !text.consume_front(":") : !text.consume_front("[") || !text.consume_back("]"))
    return std::nullopt;
  std::vector<int64_t> numbers;
  if (text.trim().empty())
    return numbers;
  for (StringRef part : llvm::split(text, ','))
    if (part.trim().getAsInteger(10, numbers.emplace_back()))
      return std::nullopt;
  return numbers;
}

ErrorOr<std::string> mp::readValue(const KnownAttribute &attribute, StringRef written) {
  auto refuse = [&](const std::string &expected) {
    return makeError(attribute.name, " is ", expected, "; found '", written.str(), "'",
                     suggestName(written.lower(), attribute.words));
  };
  switch (attribute.kind) {
  case ValueKind::Any:
    return written.str();
  case ValueKind::Flag:
    return refuse("there or not, and has no value");
  case ValueKind::Integer: {
    int64_t number = 0;
    return written.getAsInteger(10, number) ? ErrorOr<std::string>(refuse("an integer")) : std::to_string(number);
  }
  case ValueKind::Number: {
    std::optional<double> number = readNumber(written);
    return number ? ErrorOr<std::string>(numberText(*number)) : refuse("a number");
  }
  case ValueKind::Integers: {
    std::optional<std::vector<int64_t>> numbers = readIntegers(written);
    return numbers ? ErrorOr<std::string>(listText(*numbers)) : refuse("a list of integers, as [0, 1]");
  }
  case ValueKind::Word:
    return llvm::is_contained(attribute.words, written) ? ErrorOr<std::string>(written.str())
                                                        : refuse("one of " + llvm::join(attribute.words, ", "));
  }
  llvm_unreachable("no kind of values");
}
