// What an error of the dialect is about, beside its text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_IR_FAULTS_H
#define MP_IR_FAULTS_H

#include "mp/Base/Fault.h"

#include "mlir/IR/Diagnostics.h"

namespace mp {

/// The same diagnostic, with `fault` among its metadata, which is not printed: `return about(emitOpError("..."),
/// fault)`.
mlir::InFlightDiagnostic about(mlir::InFlightDiagnostic diagnostic, const Fault &fault);

/// What `about` was given; a fault of code Other where it was not called.
Fault getFault(mlir::Diagnostic &diagnostic);

inline Fault faultOf(FaultCode code) {
  Fault fault;
  fault.code = code;
  return fault;
}

/// Operands `operand` and `other`, which the op calls so, have different element types.
inline Fault elementTypesDiffer(int64_t operand, llvm::StringRef name, int64_t other, llvm::StringRef otherName) {
  Fault fault = faultOf(FaultCode::ElementTypesDiffer);
  fault.operand = operand;
  fault.other = other;
  fault.name = name.str();
  fault.value = otherName.str();
  return fault;
}

} // namespace mp

#endif // MP_IR_FAULTS_H
