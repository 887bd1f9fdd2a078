// The text form of ranges.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `[:, 2:8, ::2]`: one range for each dimension.

#ifndef MP_LIB_IR_INDEXINGFORMAT_H
#define MP_LIB_IR_INDEXINGFORMAT_H

#include "mp/IR/MP.h"

namespace mp {

mlir::ParseResult parseRanges(mlir::OpAsmParser &parser, mlir::DenseI64ArrayAttr &starts,
                              mlir::DenseI64ArrayAttr &limits, mlir::DenseI64ArrayAttr &strides);
void printRanges(mlir::OpAsmPrinter &printer, SliceOp op, mlir::DenseI64ArrayAttr starts,
                 mlir::DenseI64ArrayAttr limits, mlir::DenseI64ArrayAttr strides);

} // namespace mp

#endif // MP_LIB_IR_INDEXINGFORMAT_H
