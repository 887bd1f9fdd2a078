// The mp dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_IR_MP_H
#define MP_IR_MP_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "mp/IR/Convolution.h"
#include "mp/IR/Interfaces.h"

#include "mp/IR/MPDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "mp/IR/MPAttributes.h.inc"

#define GET_OP_CLASSES
#include "mp/IR/MPOps.h.inc"

#endif // MP_IR_MP_H
