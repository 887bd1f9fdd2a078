// The compiler on one screen.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_PIPELINE_STAGES_H
#define MP_LIB_PIPELINE_STAGES_H

#include "mp/Pipeline/Pipeline.h"

namespace mp {

/// A row of the stage table.
struct StageInfo {
  Stage stage;
  llvm::StringLiteral name;
  /// Of the file that --dump-dir writes.
  llvm::StringLiteral extension;
  /// Adds the stage's passes; null where a target makes the stage's text or bytes.
  void (*build)(mlir::OpPassManager &manager, const CompileOptions &options);
};

llvm::ArrayRef<StageInfo> stageTable();

/// Whether a compilation with these options runs the stage.
bool appliesTo(const StageInfo &stage, const CompileOptions &options);

} // namespace mp

#endif // MP_LIB_PIPELINE_STAGES_H
