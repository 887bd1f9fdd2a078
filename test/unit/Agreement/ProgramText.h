// Programs from text, ready to compile.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_AGREEMENT_PROGRAMTEXT_H
#define MP_TEST_AGREEMENT_PROGRAMTEXT_H

#include "mp/Pipeline/Model.h"
#include "mp/Pipeline/Pipeline.h"

#include "mlir/IR/Diagnostics.h"

#include <string>

namespace mp {

/// A module of its own context, and all that is said of it.
class ProgramText {
public:
  explicit ProgramText(const std::string &text)
      : context(registry(), mlir::MLIRContext::Threading::DISABLED),
        handler(&context, [this](mlir::Diagnostic &diagnostic) { errors += diagnostic.str() + "\n"; }) {
    context.printOpOnDiagnostic(false);
    module = parseModel(text, "text", context);
  }

  /// The module, which compiling rewrites; null where the text does not parse.
  mlir::ModuleOp get() { return module ? *module : mlir::ModuleOp(); }

  /// Where it fails, `errors` say why.
  mlir::FailureOr<Compilation> compile(const CompileOptions &options) {
    if (!module)
      return mlir::failure();
    return mp::compile(*module, options);
  }
  ErrorOr<std::shared_ptr<const LoadedExecutable>> load(const CompileOptions &options) {
    if (module)
      if (auto loaded = compileAndLoad(*module, options); succeeded(loaded))
        return *loaded;
    return Status::error(errors);
  }

  std::string errors;

private:
  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry registry;
    registerCompilerDialects(registry);
    return registry;
  }

  mlir::MLIRContext context;
  mlir::ScopedDiagnosticHandler handler;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace mp

#endif // MP_TEST_AGREEMENT_PROGRAMTEXT_H
