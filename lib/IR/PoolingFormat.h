// The text form of poolings.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `{window = [2, 2], strides = [2, 2], padding = [0, 0, 0, 0], dilations = [1, 1]} : type -> type`.

#ifndef MP_LIB_IR_POOLINGFORMAT_H
#define MP_LIB_IR_POOLINGFORMAT_H

#include "mp/IR/MP.h"

namespace mp {

mlir::ParseResult parseMaxPool(mlir::OpAsmParser &parser, mlir::NamedAttrList &attributes, mlir::Type &image,
                               mlir::Type &result);
mlir::ParseResult parseMaxPoolGrad(mlir::OpAsmParser &parser, mlir::NamedAttrList &attributes, mlir::Type &image,
                                   mlir::Type &gradient, mlir::Type &result);
mlir::ParseResult parseAvgPool(mlir::OpAsmParser &parser, mlir::NamedAttrList &attributes, mlir::Type &image,
                               mlir::Type &result);
mlir::ParseResult parseAvgPoolGrad(mlir::OpAsmParser &parser, mlir::NamedAttrList &attributes, mlir::Type &gradient,
                                   mlir::Type &result);

void printMaxPool(mlir::OpAsmPrinter &printer, MaxPoolOp op, mlir::DictionaryAttr attributes, mlir::Type image,
                  mlir::Type result);
void printMaxPoolGrad(mlir::OpAsmPrinter &printer, MaxPoolGradOp op, mlir::DictionaryAttr attributes, mlir::Type image,
                      mlir::Type gradient, mlir::Type result);
void printAvgPool(mlir::OpAsmPrinter &printer, AvgPoolOp op, mlir::DictionaryAttr attributes, mlir::Type image,
                  mlir::Type result);
void printAvgPoolGrad(mlir::OpAsmPrinter &printer, AvgPoolGradOp op, mlir::DictionaryAttr attributes,
                      mlir::Type gradient, mlir::Type result);

} // namespace mp

#endif // MP_LIB_IR_POOLINGFORMAT_H
