// What a caller asks the compiler for, read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CAPI_COMPILEREQUEST_H
#define MP_LIB_CAPI_COMPILEREQUEST_H

#include "CAPI/Diagnostics.h"

#include "mp/Pipeline/Pipeline.h"

namespace mp {

/// The options of a caller, checked.
Status readOptions(const MpCompileOptions &given, CompileOptions &options);

/// Whether a text, its name and the place for what is made of it are there.
Status checkText(const char *text, const char *name, const void *result);

/// Makes a module in a context for it, null where that fails.
using ReadModule = llvm::function_ref<mlir::OwningOpRef<mlir::ModuleOp>(mlir::MLIRContext &)>;

/// Runs `action` on what `read` makes; diagnostics of both are an error's message where either fails.
Status withModule(ReadModule read, llvm::StringRef remarks, Diagnostics &diagnostics,
                  llvm::function_ref<bool(mlir::ModuleOp)> action);

/// Compiles what `read` makes: the executable, or the text of a stage.
Status compileToBytes(ReadModule read, const MpCompileOptions &given, MpBytes **result);

} // namespace mp

#endif // MP_LIB_CAPI_COMPILEREQUEST_H
