// What code generation knows of an op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_IR_FORMS_H
#define MP_IR_FORMS_H

#include "mp/IR/Strides.h"

#include "mlir/IR/OpDefinition.h"

#include <optional>
#include <utility>

namespace mlir {
class ImplicitLocOpBuilder;
} // namespace mlir

namespace mp {
/// Where operands and positions come from when an op's scalar form is built: Codegen has it.
struct ScalarOperands;

/// In each spatial dimension a first pixel, and the one behind the last.
using PixelRanges = llvm::SmallVector<std::pair<int64_t, int64_t>, 3>;
} // namespace mp

#include "mp/IR/MPForms.h.inc"

#endif // MP_IR_FORMS_H
