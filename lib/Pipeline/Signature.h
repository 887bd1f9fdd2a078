// Programs and state as the executable lists them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_PIPELINE_SIGNATURE_H
#define MP_LIB_PIPELINE_SIGNATURE_H

#include "mp/Executable/Executable.h"
#include "mp/IR/Program.h"

#include "llvm/ADT/StringSet.h"

namespace mp {

/// The executable's type of a static tensor type of the dialect.
executable::TensorTypeT translateType(mlir::RankedTensorType type);

/// The rows of the state table that `func` takes as arguments, in order, and those of derived state that it only makes.
std::vector<executable::StateEntryT> translateState(mlir::func::FuncOp func);

/// The inputs of the module's programs that no output needs.
llvm::StringSet<> findLabels(mlir::ModuleOp module);

/// For each label that a loss takes its classes from, the number of classes.
llvm::StringMap<int64_t> findClasses(mlir::ModuleOp module);

/// Arguments and results of the variant that `func` is.
std::vector<std::unique_ptr<executable::ArgumentT>> translateArguments(mlir::func::FuncOp func,
                                                                       const llvm::StringSet<> &labels);
std::vector<std::unique_ptr<executable::ResultT>> translateResults(mlir::func::FuncOp func);

} // namespace mp

#endif // MP_LIB_PIPELINE_SIGNATURE_H
