// Programs and state as the executable lists them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_PIPELINE_SIGNATURE_H
#define MP_LIB_PIPELINE_SIGNATURE_H

#include "mp/Executable/Executable.h"
#include "mp/IR/Program.h"

namespace mp {

/// The executable's type of a static tensor type of the dialect.
executable::TensorTypeT translateType(mlir::RankedTensorType type);

/// The rows of the state table that `func` takes as arguments, in order, and those of derived state that it only makes.
std::vector<executable::StateEntryT> translateState(mlir::func::FuncOp func);

/// Arguments and results of the variant that `func` is.
std::vector<std::unique_ptr<executable::ArgumentT>> translateArguments(mlir::func::FuncOp func);
std::vector<std::unique_ptr<executable::ResultT>> translateResults(mlir::func::FuncOp func);

/// What `mp-decompose` counted of the program, or what it holds.
std::unique_ptr<executable::StatisticsT> translateStatistics(mlir::func::FuncOp func);

} // namespace mp

#endif // MP_LIB_PIPELINE_SIGNATURE_H
