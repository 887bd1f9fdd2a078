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

/// Parses the text and runs `action` on the module; its diagnostics are an error's message where either fails.
Status withText(llvm::StringRef text, llvm::StringRef name, llvm::StringRef remarks, Diagnostics &diagnostics,
                llvm::function_ref<bool(mlir::ModuleOp)> action);

} // namespace mp

#endif // MP_LIB_CAPI_COMPILEREQUEST_H
