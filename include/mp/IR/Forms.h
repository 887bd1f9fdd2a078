// What code generation knows of an op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_IR_FORMS_H
#define MP_IR_FORMS_H

#include "mp/IR/Strides.h"

#include "mlir/IR/OpDefinition.h"

#include <optional>

namespace mlir {
class ImplicitLocOpBuilder;
} // namespace mlir

namespace mp {
/// Where operands and positions come from when an op's scalar form is built: Codegen has it.
struct ScalarOperands;
} // namespace mp

#include "mp/IR/MPForms.h.inc"

#endif // MP_IR_FORMS_H
