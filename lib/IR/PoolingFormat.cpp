// The text form of poolings.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/PoolingFormat.h"
#include "IR/WindowText.h"

using namespace mlir;
using namespace mp;

static constexpr StringLiteral kOfMax[] = {"window", "strides", "padding", "dilations"};
static constexpr StringLiteral kOfAvg[] = {"window", "strides", "padding", "count_padding"};

/// `image` is that of the types that says the sizes of the images.
static ParseResult parseTail(OpAsmParser &parser, NamedAttrList &attributes, ArrayRef<StringLiteral> names,
                             ArrayRef<Type *> operands, Type &result, const Type &image) {
  WindowText windows(parser, attributes, names);
  if (windows.parse() || parser.parseColon())
    return failure();
  for (Type *operand : operands)
    if ((operand != operands.front() && parser.parseComma()) || parser.parseType(*operand))
      return failure();
  const WindowText::Sizes *window = windows.getWindow();
  return failure(parser.parseArrow() || parser.parseType(result) ||
                 windows.resolve(spatialSizes(image), window ? ArrayRef(*window) : ArrayRef<int64_t>()));
}

ParseResult mp::parseMaxPool(OpAsmParser &parser, NamedAttrList &attributes, Type &image, Type &result) {
  return parseTail(parser, attributes, kOfMax, {&image}, result, image);
}
ParseResult mp::parseMaxPoolGrad(OpAsmParser &parser, NamedAttrList &attributes, Type &image, Type &gradient,
                                 Type &result) {
  return parseTail(parser, attributes, kOfMax, {&image, &gradient}, result, image);
}
ParseResult mp::parseAvgPool(OpAsmParser &parser, NamedAttrList &attributes, Type &image, Type &result) {
  return parseTail(parser, attributes, kOfAvg, {&image}, result, image);
}
ParseResult mp::parseAvgPoolGrad(OpAsmParser &parser, NamedAttrList &attributes, Type &gradient, Type &result) {
  return parseTail(parser, attributes, kOfAvg, {&gradient}, result, result);
}

static void printTail(OpAsmPrinter &printer, Operation *op, ArrayRef<StringLiteral> names) {
  printWindows(printer, op, names);
  printer << " : ";
  llvm::interleaveComma(op->getOperandTypes(), printer);
  printer << " -> " << op->getResultTypes().front();
}

void mp::printMaxPool(OpAsmPrinter &printer, MaxPoolOp op, DictionaryAttr, Type, Type) {
  printTail(printer, op, kOfMax);
}
void mp::printMaxPoolGrad(OpAsmPrinter &printer, MaxPoolGradOp op, DictionaryAttr, Type, Type, Type) {
  printTail(printer, op, kOfMax);
}
void mp::printAvgPool(OpAsmPrinter &printer, AvgPoolOp op, DictionaryAttr, Type, Type) {
  printTail(printer, op, kOfAvg);
}
void mp::printAvgPoolGrad(OpAsmPrinter &printer, AvgPoolGradOp op, DictionaryAttr, Type, Type) {
  printTail(printer, op, kOfAvg);
}
