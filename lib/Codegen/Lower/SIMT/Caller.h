// Calls of the device's functions from generated code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_LOWER_SIMT_CALLER_H
#define MP_LIB_CODEGEN_LOWER_SIMT_CALLER_H

#include "mp/Executable/Simulator.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mp {

/// Builds calls as Simulator.h describes them, in one function. All calls share one alloca in the entry block: a
/// thread is in at most one of them.
class SimulatorCaller {
public:
  /// `context` is the function's last argument. The builder's insertion point is where the frame is made.
  SimulatorCaller(mlir::LLVM::LLVMFuncOp function, mlir::Value context);

  /// Calls `entry` before `op`. Gives the result, of `result` type, or null for no type.
  mlir::Value call(mlir::Operation *op, SimulatorEntry entry, llvm::ArrayRef<mlir::Value> operands,
                   llvm::ArrayRef<uint32_t> immediates, mlir::Type result);

  /// The field of the context at `offset`, before `op`.
  mlir::Value field(mlir::Operation *op, uint32_t offset, mlir::Type type);

  /// Gives the frame its size; after the last call.
  void finish();

private:
  mlir::Value makeSite(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op, llvm::ArrayRef<uint32_t> immediates);
  mlir::Value advance(mlir::ImplicitLocOpBuilder &b, mlir::Value pointer, int64_t bytes);

  mlir::LLVM::LLVMFuncOp function;
  mlir::Value context;
  mlir::LLVM::AllocaOp operandFrame, resultFrame;
  int64_t operandBytes = 0, resultBytes = 0;
  unsigned sites = 0;
};

/// Replaces conversions to and from bf16, and from f64 to f16, by integer operations and calls: the host has no
/// instruction that rounds them as PTX does.
void lowerNarrowFloats(mlir::LLVM::LLVMFuncOp function, SimulatorCaller &caller);

/// The loads, stores and atomics of a function but for those of a thread's own memory. Fails at an access of unknown
/// extent.
mlir::FailureOr<llvm::SmallVector<mlir::Operation *>> findAccesses(mlir::LLVM::LLVMFuncOp function);

/// Puts a report to the device before the access `op`.
void reportAccess(mlir::Operation *op, SimulatorCaller &caller);

} // namespace mp

#endif // MP_LIB_CODEGEN_LOWER_SIMT_CALLER_H
