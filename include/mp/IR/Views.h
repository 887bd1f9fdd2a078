// Values that no kernel computes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_IR_VIEWS_H
#define MP_IR_VIEWS_H

#include "mp/IR/MP.h"

namespace mp {

/// Whether the result of `op` is its operand as it lies in memory, in another shape.
bool isView(mlir::Operation *op);
/// What `value` is a view of, itself if it is none.
mlir::Value getBase(mlir::Value value);

/// Whether the result of `op` is known when a program is compiled, and lies among the executable's data.
bool isData(mlir::Operation *op);

} // namespace mp

#endif // MP_IR_VIEWS_H
