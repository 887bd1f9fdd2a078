// The text form of ranges.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/IndexingFormat.h"

using namespace mlir;
using namespace mp;

ParseResult mp::parseRanges(OpAsmParser &parser, DenseI64ArrayAttr &starts, DenseI64ArrayAttr &limits,
                            DenseI64ArrayAttr &strides) {
  SmallVector<int64_t> first, last, step;
  auto parseNumber = [&](int64_t &number) -> ParseResult {
    const OptionalParseResult found = parser.parseOptionalInteger(number);
    return found.has_value() ? *found : success();
  };
  auto parseRange = [&]() -> ParseResult {
    int64_t &start = first.emplace_back(0), &limit = last.emplace_back(SliceOp::kEnd), &stride = step.emplace_back(1);
    if (parseNumber(start) || parser.parseColon() || parseNumber(limit))
      return failure();
    return succeeded(parser.parseOptionalColon()) ? parser.parseInteger(stride) : success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRange, " in ranges"))
    return failure();
  Builder &builder = parser.getBuilder();
  starts = builder.getDenseI64ArrayAttr(first);
  limits = builder.getDenseI64ArrayAttr(last);
  strides = builder.getDenseI64ArrayAttr(step);
  return success();
}

void mp::printRanges(OpAsmPrinter &printer, SliceOp, DenseI64ArrayAttr starts, DenseI64ArrayAttr limits,
                     DenseI64ArrayAttr strides) {
  printer << '[';
  const size_t count = std::min({starts.size(), limits.size(), strides.size()});
  llvm::interleaveComma(llvm::seq<size_t>(0, count), printer, [&](size_t i) {
    if (starts[i] != 0)
      printer << starts[i];
    printer << ':';
    if (limits[i] != SliceOp::kEnd)
      printer << limits[i];
    if (strides[i] != 1)
      printer << ':' << strides[i];
  });
  printer << ']';
}
