// What an error of the dialect is about, beside its text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_IR_FAULTS_H
#define MP_IR_FAULTS_H

#include "mp/Base/Fault.h"

#include "mlir/IR/Diagnostics.h"

#include <optional>
#include <utility>

namespace mp {

/// The same diagnostic, with `fault` among its metadata, which is not printed: `return about(emitError() << "...",
/// fault)`.
mlir::InFlightDiagnostic about(mlir::InFlightDiagnostic diagnostic, Fault fault);

/// An error of `op`, which is not as the constraint of that number in its description says, 0 of none: `return
/// violates(*this, 2) << "rate is " << rate`.
mlir::InFlightDiagnostic violates(mlir::Operation *op, unsigned constraint);

/// The same of an attribute or an op by its name: `violates(emitError(), "#" + name, 2)`.
mlir::InFlightDiagnostic violates(mlir::InFlightDiagnostic error, const llvm::Twine &of, unsigned constraint);

/// The same of an op that may not be built yet.
template <typename Op> mlir::InFlightDiagnostic violates(mlir::Location location, unsigned constraint) {
  return violates(mlir::emitError(location) << "'" << Op::getOperationName() << "' op ", Op::getOperationName(),
                  constraint);
}
template <typename Op, typename... Texts>
llvm::LogicalResult violates(std::optional<mlir::Location> location, unsigned constraint, Texts &&...texts) {
  return location ? llvm::LogicalResult(violates<Op>(*location, constraint).append(std::forward<Texts>(texts)...))
                  : llvm::failure();
}

/// What `about` and `violates` were given, and its place in a file; a fault of code Other where neither was called.
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
