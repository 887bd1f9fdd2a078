// The NVVM ops that kernels may contain.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_LOWER_SIMT_TABLE_H
#define MP_LIB_CODEGEN_LOWER_SIMT_TABLE_H

#include "mp/Executable/Simulator.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

namespace mp {

using SiteImmediates = llvm::SmallVector<uint32_t, 4>;

/// One NVVM op and what the simulator makes of it.
struct NVVMRow {
  enum class Form {
    Register, ///< a load of `field` of the context
    Call,     ///< a call of `entry`
    Fence,    ///< an LLVM fence: what other blocks' host threads must see
  };

  llvm::StringRef op; ///< "nvvm.shfl.sync"
  Form form;
  uint32_t field = 0; ///< offset in SimulatorContext
  SimulatorEntry entry = {};

  /// What is wrong with this form of the op; empty if nothing is. Null where every form is known.
  std::string (*reject)(mlir::Operation *) = nullptr;
  /// The immediates of its site. Null for none.
  SiteImmediates (*immediates)(mlir::Operation *) = nullptr;
  /// What is passed, where that is not the operands in order.
  llvm::SmallVector<mlir::Value> (*operands)(mlir::Operation *, mlir::OpBuilder &) = nullptr;
};

/// The row of an NVVM op, or null.
const NVVMRow *findRow(mlir::Operation *op);

/// All rows.
llvm::ArrayRef<NVVMRow> nvvmTable();

} // namespace mp

#endif // MP_LIB_CODEGEN_LOWER_SIMT_TABLE_H
