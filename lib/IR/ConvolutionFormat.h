// The text form of convolutions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `{strides = [1, 1], padding = [1, 1, 1, 1], dilations = [1, 1], groups = 1} : type, type -> type`. The types are part
// of it because `padding = same` depends on them.

#ifndef MP_LIB_IR_CONVOLUTIONFORMAT_H
#define MP_LIB_IR_CONVOLUTIONFORMAT_H

#include "mp/IR/MP.h"

namespace mp {

mlir::ParseResult parseConv(mlir::OpAsmParser &parser, mlir::NamedAttrList &attributes, mlir::Type &image,
                            mlir::Type &filter, mlir::Type &result);
mlir::ParseResult parseConvTranspose(mlir::OpAsmParser &parser, mlir::NamedAttrList &attributes, mlir::Type &input,
                                     mlir::Type &filter, mlir::Type &result);
mlir::ParseResult parseConvFilterGrad(mlir::OpAsmParser &parser, mlir::NamedAttrList &attributes, mlir::Type &image,
                                      mlir::Type &gradient, mlir::Type &result);

mlir::ParseResult parseConvFilterGradParts(mlir::OpAsmParser &parser, mlir::NamedAttrList &attributes,
                                           mlir::Type &image, mlir::Type &gradient, mlir::Type &result);

void printConv(mlir::OpAsmPrinter &printer, ConvOp op, mlir::DictionaryAttr attributes, mlir::Type image,
               mlir::Type filter, mlir::Type result);
void printConvTranspose(mlir::OpAsmPrinter &printer, ConvTransposeOp op, mlir::DictionaryAttr attributes,
                        mlir::Type input, mlir::Type filter, mlir::Type result);
void printConvFilterGrad(mlir::OpAsmPrinter &printer, ConvFilterGradOp op, mlir::DictionaryAttr attributes,
                         mlir::Type image, mlir::Type gradient, mlir::Type result);
void printConvFilterGradParts(mlir::OpAsmPrinter &printer, ConvFilterGradPartsOp op, mlir::DictionaryAttr attributes,
                              mlir::Type image, mlir::Type gradient, mlir::Type result);

} // namespace mp

#endif // MP_LIB_IR_CONVOLUTIONFORMAT_H
