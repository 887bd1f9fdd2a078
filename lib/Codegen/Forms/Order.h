// Which of two elements is the larger.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_FORMS_ORDER_H
#define MP_LIB_CODEGEN_FORMS_ORDER_H

#include "Codegen/Forms/Lanes.h"

namespace mp {

/// i1 lanes: whether `value`, of element type `element` in its register type, is larger than `other`, or NaN where that
/// is a number.
mlir::Value isLarger(LaneBuilder &b, mlir::Type element, mlir::Value value, mlir::Value other);

} // namespace mp

#endif // MP_LIB_CODEGEN_FORMS_ORDER_H
