// A model file in memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_PIPELINE_MODEL_H
#define MP_PIPELINE_MODEL_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace mp {

/// The dialects and extensions that a compilation of mp programs needs.
void registerCompilerDialects(mlir::DialectRegistry &registry);

/// Reads MLIR text from `path` ("-" is standard input). Untrusted: text that nests too deeply for the parser, bytecode,
/// and files without a program are refused. Fails with a diagnostic through the context.
mlir::OwningOpRef<mlir::ModuleOp> readModel(const std::string &path, mlir::MLIRContext &context);

/// The same for text in memory; `name` stands for the file in diagnostics.
mlir::OwningOpRef<mlir::ModuleOp> parseModel(llvm::StringRef text, llvm::StringRef name, mlir::MLIRContext &context);

/// The same for a module that this program wrote as bytecode: a copy of it in another context.
mlir::OwningOpRef<mlir::ModuleOp> readCopy(llvm::StringRef bytecode, llvm::StringRef name, mlir::MLIRContext &context);

} // namespace mp

#endif // MP_PIPELINE_MODEL_H
