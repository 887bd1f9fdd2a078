// Ops made by their name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_IR_BUILDOP_H
#define MP_IR_BUILDOP_H

#include "mlir/IR/Builders.h"

namespace mp {

/// Makes the op of dialect mp that is called `name` ("mp.matmul"), verified. What its text may leave out may be left
/// out of `attributes`, too: strides, padding (or the words "same" and "valid"), dilations and groups of windows, the
/// type of sums. The result's type follows from operands and attributes; `stated`, a tensor type or an element type
/// alone, says what does not, as of mp.reshape and mp.cast, and is null elsewhere. Fails with an error at `location`.
mlir::FailureOr<mlir::Operation *> buildOp(mlir::OpBuilder &builder, mlir::Location location, llvm::StringRef name,
                                           mlir::ValueRange operands, mlir::DictionaryAttr attributes,
                                           mlir::Type stated);

} // namespace mp

#endif // MP_IR_BUILDOP_H
