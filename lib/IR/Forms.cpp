// What code generation knows of an op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/Forms.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "mp/IR/MPForms.cpp.inc"
