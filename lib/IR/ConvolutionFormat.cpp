// The text form of convolutions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/ConvolutionFormat.h"
#include "IR/Padding.h"
#include "mp/Base/NearestName.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mp;

using Sizes = SmallVector<int64_t>;

namespace {

/// What stands in the braces, until the types are known.
class WindowText {
public:
  WindowText(OpAsmParser &parser, NamedAttrList &attributes) : parser(parser), attributes(attributes) {}

  ParseResult parse() {
    return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::OptionalBraces, [&] { return parseEntry(); });
  }

  /// Adds the four attributes: what was written, and for what was not, ones and no padding.
  ParseResult resolve(Type imageType, Type filterType) {
    auto image = dyn_cast<RankedTensorType>(imageType), filter = dyn_cast<RankedTensorType>(filterType);
    const size_t dimensions = image && image.getRank() > 2 ? image.getRank() - 2 : 0;
    const Sizes steps = strides.value_or(Sizes(dimensions, 1)), gaps = dilations.value_or(Sizes(dimensions, 1));
    Sizes pads = padding.value_or(Sizes(2 * dimensions, 0));
    if (isSame && failed(padToSame(image, filter, steps, gaps, pads)))
      return failure();
    Builder &builder = parser.getBuilder();
    attributes.append("strides", builder.getDenseI64ArrayAttr(steps));
    attributes.append("padding", builder.getDenseI64ArrayAttr(pads));
    attributes.append("dilations", builder.getDenseI64ArrayAttr(gaps));
    attributes.append("groups", builder.getI64IntegerAttr(groups.value_or(1)));
    return success();
  }

private:
  ParseResult parseEntry() {
    std::string name;
    SMLoc location = parser.getCurrentLocation();
    if (parser.parseKeywordOrString(&name))
      return failure();
    if (name == "strides" || name == "dilations")
      return parseSizes(location, name, name == "strides" ? strides : dilations);
    if (name == "padding")
      return parsePadding(location);
    if (name == "groups")
      return failure(failed(checkFirst(location, name, groups.has_value())) || parser.parseEqual() ||
                     parser.parseInteger(groups.emplace()));
    if (!StringRef(name).contains('.'))
      return parser.emitError(location, "has no attribute '")
             << name << "'" << suggestName(name, std::vector<std::string>{"strides", "padding", "dilations", "groups"});
    if (failed(checkFirst(location, name, bool(attributes.get(name)))))
      return failure();
    Attribute value = parser.getBuilder().getUnitAttr();
    if (succeeded(parser.parseOptionalEqual()) && parser.parseAttribute(value))
      return failure();
    attributes.append(name, value);
    return success();
  }

  ParseResult parseSizes(SMLoc location, StringRef name, std::optional<Sizes> &sizes) {
    if (failed(checkFirst(location, name, sizes.has_value())) || parser.parseEqual())
      return failure();
    return parseNumbers(name, "numbers in brackets, one for each spatial dimension", sizes.emplace());
  }

  /// `expected` is what may stand there.
  ParseResult parseNumbers(StringRef name, StringRef expected, Sizes &numbers) {
    const SMLoc location = parser.getCurrentLocation();
    if (StringRef word; succeeded(parser.parseOptionalKeyword(&word)))
      return parser.emitError(location, name) << " is '" << word << "', expected " << expected;
    if (failed(parser.parseOptionalLSquare()))
      return parser.emitError(location, name) << " is no list, expected " << expected;
    if (succeeded(parser.parseOptionalRSquare()))
      return success();
    return failure(parser.parseCommaSeparatedList([&] { return parser.parseInteger(numbers.emplace_back()); }) ||
                   parser.parseRSquare());
  }

  ParseResult parsePadding(SMLoc location) {
    paddingLocation = location;
    if (failed(checkFirst(location, "padding", padding || isSame || isValid)) || parser.parseEqual())
      return failure();
    isSame = succeeded(parser.parseOptionalKeyword("same"));
    isValid = !isSame && succeeded(parser.parseOptionalKeyword("valid"));
    if (isSame || isValid)
      return success();
    return parseNumbers("padding", "same, valid, or two numbers for each spatial dimension: [top, bottom, left, right]",
                        padding.emplace());
  }

  ParseResult checkFirst(SMLoc location, StringRef name, bool isKnown) {
    return isKnown ? parser.emitError(location, "attribute '") << name << "' occurs twice" : ParseResult(success());
  }

  /// Leaves to the verifier what is wrong with ranks, strides and dilations.
  ParseResult padToSame(RankedTensorType image, RankedTensorType filter, ArrayRef<int64_t> steps,
                        ArrayRef<int64_t> gaps, Sizes &pads) {
    auto isPositive = [](int64_t number) { return number >= 1; };
    const size_t dimensions = steps.size();
    if (!image || !filter || image.getRank() != filter.getRank() || pads.size() != 2 * dimensions ||
        gaps.size() != dimensions || !llvm::all_of(steps, isPositive) || !llvm::all_of(gaps, isPositive))
      return success();
    for (size_t i = 0; i < dimensions; ++i) {
      const int64_t size = image.getDimSize(i + 1), taps = filter.getDimSize(i + 1);
      if (ShapedType::isDynamic(size) || ShapedType::isDynamic(taps))
        return parser.emitError(paddingLocation, "'padding = same' needs spatial sizes that are known");
      std::optional<int64_t> span = spanOfTaps(taps, gaps[i]);
      auto sides = span ? mp::padToSame(size, *span, steps[i]) : std::nullopt;
      if (!sides)
        return parser.emitError(paddingLocation, "'padding = same' of these sizes is 2^63 or more");
      std::tie(pads[2 * i], pads[2 * i + 1]) = *sides;
    }
    return success();
  }

  OpAsmParser &parser;
  NamedAttrList &attributes;
  std::optional<Sizes> strides, padding, dilations;
  std::optional<int64_t> groups;
  bool isSame = false, isValid = false;
  SMLoc paddingLocation;
};

} // namespace

/// `image` and `filter` are those of the three types that have these shapes.
static ParseResult parseTail(OpAsmParser &parser, NamedAttrList &attributes, Type &lhs, Type &rhs, Type &result,
                             const Type &image, const Type &filter) {
  WindowText windows(parser, attributes);
  return failure(windows.parse() || parser.parseColonType(lhs) || parser.parseComma() || parser.parseType(rhs) ||
                 parser.parseArrow() || parser.parseType(result) || windows.resolve(image, filter));
}

ParseResult mp::parseConv(OpAsmParser &parser, NamedAttrList &attributes, Type &image, Type &filter, Type &result) {
  return parseTail(parser, attributes, image, filter, result, image, filter);
}
ParseResult mp::parseConvTranspose(OpAsmParser &parser, NamedAttrList &attributes, Type &input, Type &filter,
                                   Type &result) {
  return parseTail(parser, attributes, input, filter, result, result, filter);
}
ParseResult mp::parseConvFilterGrad(OpAsmParser &parser, NamedAttrList &attributes, Type &image, Type &gradient,
                                    Type &result) {
  return parseTail(parser, attributes, image, gradient, result, image, result);
}

template <typename Op> static void printTail(OpAsmPrinter &printer, Op op, Type lhs, Type rhs, Type result) {
  auto print = [&](StringRef name, ArrayRef<int64_t> sizes) {
    printer << name << " = [";
    llvm::interleaveComma(sizes, printer);
    printer << "], ";
  };
  printer << "{";
  print("strides", op.getStrides());
  print("padding", op.getPadding());
  print("dilations", op.getDilations());
  printer << "groups = " << op.getGroups();
  for (NamedAttribute attribute : op->getDiscardableAttrs()) {
    printer << ", ";
    printer.printKeywordOrString(attribute.getName().getValue());
    if (!isa<UnitAttr>(attribute.getValue()))
      printer << " = " << attribute.getValue();
  }
  printer << "} : " << lhs << ", " << rhs << " -> " << result;
}

void mp::printConv(OpAsmPrinter &printer, ConvOp op, DictionaryAttr, Type image, Type filter, Type result) {
  printTail(printer, op, image, filter, result);
}
void mp::printConvTranspose(OpAsmPrinter &printer, ConvTransposeOp op, DictionaryAttr, Type input, Type filter,
                            Type result) {
  printTail(printer, op, input, filter, result);
}
void mp::printConvFilterGrad(OpAsmPrinter &printer, ConvFilterGradOp op, DictionaryAttr, Type image, Type gradient,
                             Type result) {
  printTail(printer, op, image, gradient, result);
}
