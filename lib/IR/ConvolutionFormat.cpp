// The text form of convolutions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/ConvolutionFormat.h"
#include "IR/WindowText.h"

using namespace mlir;
using namespace mp;

static constexpr StringLiteral kNames[] = {"strides", "padding", "dilations", "groups"};

/// `image` and `filter` are those of the three types that have these shapes.
static ParseResult parseTail(OpAsmParser &parser, NamedAttrList &attributes, Type &lhs, Type &rhs, Type &result,
                             const Type &image, const Type &filter) {
  WindowText windows(parser, attributes, kNames);
  return failure(windows.parse() || parser.parseColonType(lhs) || parser.parseComma() || parser.parseType(rhs) ||
                 parser.parseArrow() || parser.parseType(result) ||
                 windows.resolve(spatialSizes(image), spatialSizes(filter)));
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

ParseResult mp::parseConvFilterGradParts(OpAsmParser &parser, NamedAttrList &attributes, Type &image, Type &gradient,
                                         Type &result) {
  WindowText windows(parser, attributes, kNames);
  if (windows.parse() || parser.parseColonType(image) || parser.parseComma() || parser.parseType(gradient) ||
      parser.parseArrow() || parser.parseType(result))
    return failure();
  // A part is a filter.
  auto parts = dyn_cast<RankedTensorType>(result);
  Type filter = parts && parts.getRank() > 0 ? parts.clone(parts.getShape().drop_front()) : result;
  return windows.resolve(spatialSizes(image), spatialSizes(filter));
}

static void printTail(OpAsmPrinter &printer, Operation *op, Type lhs, Type rhs, Type result) {
  printWindows(printer, op, kNames);
  printer << " : " << lhs << ", " << rhs << " -> " << result;
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
void mp::printConvFilterGradParts(OpAsmPrinter &printer, ConvFilterGradPartsOp op, DictionaryAttr, Type image,
                                  Type gradient, Type result) {
  printTail(printer, op, image, gradient, result);
}
