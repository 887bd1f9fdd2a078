// Programs to an executable.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_PIPELINE_JOBBUILDER_H
#define MP_LIB_PIPELINE_JOBBUILDER_H

#include "mp/Executable/Executable.h"
#include "mp/IR/Program.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace mp {

/// Collects the programs of a module into an executable: one state table for all, blobs once.
class JobBuilder {
public:
  /// Reads the model's name and the class counts of its labels off the module, compiled under `policy`.
  JobBuilder(mlir::ModuleOp module, llvm::StringRef policy);

  /// Adds the variant that `func` is, for `target`, without commands. Fails with a diagnostic where two programs
  /// disagree about a state.
  mlir::FailureOr<executable::VariantT *> addVariant(mlir::func::FuncOp func, llvm::StringRef target);

  /// The index of the blob with these bytes.
  uint32_t addBlob(executable::BlobKind kind, std::vector<std::byte> bytes);

  /// The row of the state table that is called `name`, which an added variant takes.
  uint32_t stateIndex(llvm::StringRef name) const { return stateRows.lookup(name); }

  void addMetadata(llvm::StringRef key, const std::string &value);

  executable::ExecutableT table;
  std::vector<std::vector<std::byte>> blobs;

private:
  mlir::LogicalResult addState(mlir::func::FuncOp func);
  void addClasses(mlir::ModuleOp module);

  llvm::StringMap<uint32_t> stateRows;
};

} // namespace mp

#endif // MP_LIB_PIPELINE_JOBBUILDER_H
