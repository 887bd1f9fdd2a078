// The text of windows over images.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/WindowText.h"
#include "IR/Sizes.h"
#include "IR/Windows.h"
#include "mp/Base/NearestName.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mp;

ArrayRef<int64_t> mp::spatialSizes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() > 2 ? tensor.getShape().drop_front().drop_back() : ArrayRef<int64_t>();
}

ParseResult WindowText::parse() {
  start = parser.getCurrentLocation();
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::OptionalBraces, [&] { return parseEntry(); });
}

ParseResult WindowText::parseEntry() {
  std::string name;
  const SMLoc location = parser.getCurrentLocation();
  if (parser.parseKeywordOrString(&name))
    return failure();
  const bool isOwn = has(name);
  if (!isOwn && !StringRef(name).contains('.'))
    return parser.emitError(location, "has no attribute '")
           << name << "'" << suggestName(name, std::vector<std::string>(names.begin(), names.end()));
  if (!written.try_emplace(name, true).second)
    return parser.emitError(location, "attribute '") << name << "' occurs twice";
  if (!isOwn) {
    Attribute value = parser.getBuilder().getUnitAttr();
    if (succeeded(parser.parseOptionalEqual()) && parser.parseAttribute(value))
      return failure();
    attributes.append(name, value);
    return success();
  }
  if (name == "padding")
    paddingLocation = location;
  if (parser.parseEqual())
    return failure();
  if (name == "groups")
    return parser.parseInteger(groups);
  if (name == "count_padding")
    return parseFlag(name);
  if (name == "padding")
    return parsePadding();
  return parseNumbers(name, "numbers in brackets, one for each spatial dimension", sizes[name]);
}

/// `expected` is what may stand there.
ParseResult WindowText::parseNumbers(StringRef name, StringRef expected, Sizes &numbers) {
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

ParseResult WindowText::parsePadding() {
  isSame = succeeded(parser.parseOptionalKeyword("same"));
  if (isSame || succeeded(parser.parseOptionalKeyword("valid")))
    return success();
  return parseNumbers("padding", "same, valid, or two numbers for each spatial dimension: [top, bottom, left, right]",
                      sizes["padding"]);
}

ParseResult WindowText::parseFlag(StringRef name) {
  const SMLoc location = parser.getCurrentLocation();
  StringRef word;
  if (failed(parser.parseOptionalKeyword(&word, {"true", "false"})))
    return parser.emitError(location, name) << " is neither true nor false";
  countsPadding = word == "true";
  return success();
}

ParseResult WindowText::resolve(ArrayRef<int64_t> image, ArrayRef<int64_t> taps) {
  const Sizes ones(image.size(), 1);
  const Sizes *window = getWindow();
  auto sizesOr = [&](StringRef name, const Sizes &otherwise) {
    const Sizes *own = sizesOf(name);
    return own ? *own : otherwise;
  };
  const Sizes strides = sizesOr("strides", window ? *window : ones), dilations = sizesOr("dilations", ones);
  Sizes padding = sizesOr("padding", Sizes(2 * image.size(), 0));
  if (isSame && failed(padToSame(image, taps, strides, dilations, padding)))
    return failure();
  if (has("window") && !window)
    return parser.emitError(start, "has no window, expected {window = [...]}, a number for each spatial dimension");
  const bool pads = llvm::any_of(padding, [](int64_t pixels) { return pixels != 0; });
  if (has("count_padding") && pads && !countsPadding)
    return parser.emitError(start, "pads and does not say whether padding counts: write count_padding = true, as "
                                   "PyTorch's default has it, or count_padding = false, as TensorFlow and Keras do");

  Builder &builder = parser.getBuilder();
  for (StringRef name : names) {
    if (name == "groups")
      attributes.append(name, builder.getI64IntegerAttr(groups));
    else if (name == "count_padding")
      attributes.append(name, builder.getBoolAttr(countsPadding.value_or(false)));
    else
      attributes.append(name, builder.getDenseI64ArrayAttr(name == "window"    ? *window
                                                           : name == "strides" ? strides
                                                           : name == "padding" ? padding
                                                                               : dilations));
  }
  return success();
}

/// Leaves to the verifier what is wrong with ranks, strides and dilations.
ParseResult WindowText::padToSame(ArrayRef<int64_t> image, ArrayRef<int64_t> taps, ArrayRef<int64_t> strides,
                                  ArrayRef<int64_t> dilations, Sizes &padding) {
  auto isPositive = [](int64_t number) { return number >= 1; };
  const size_t dimensions = image.size();
  if (taps.size() != dimensions || strides.size() != dimensions || dilations.size() != dimensions ||
      !llvm::all_of(strides, isPositive) || !llvm::all_of(dilations, isPositive))
    return success();
  for (size_t i = 0; i < dimensions; ++i) {
    if (isOpen(image[i]) || isOpen(taps[i]))
      return parser.emitError(paddingLocation, "'padding = same' needs spatial sizes that are known");
    std::optional<int64_t> span = spanOfTaps(taps[i], dilations[i]);
    auto sides = span ? mp::padToSame(image[i], *span, strides[i]) : std::nullopt;
    if (!sides)
      return parser.emitError(paddingLocation, "'padding = same' of these sizes is 2^63 or more");
    std::tie(padding[2 * i], padding[2 * i + 1]) = *sides;
  }
  return success();
}

void mp::printWindows(OpAsmPrinter &printer, Operation *op, ArrayRef<StringLiteral> names) {
  printer << "{";
  llvm::interleaveComma(names, printer, [&](StringRef name) {
    const Attribute value = *op->getInherentAttr(name);
    printer << name << " = ";
    if (auto sizes = dyn_cast<DenseI64ArrayAttr>(value)) {
      printer << "[";
      llvm::interleaveComma(sizes.asArrayRef(), printer);
      printer << "]";
    } else if (auto flag = dyn_cast<BoolAttr>(value)) {
      printer << (flag.getValue() ? "true" : "false");
    } else {
      printer << cast<IntegerAttr>(value).getInt();
    }
  });
  for (NamedAttribute attribute : op->getDiscardableAttrs()) {
    printer << ", ";
    printer.printKeywordOrString(attribute.getName().getValue());
    if (!isa<UnitAttr>(attribute.getValue()))
      printer << " = " << attribute.getValue();
  }
  printer << "}";
}
