// Compiling models from C.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp-c/Compiler.h"

#include "CAPI/Status.h"

#include "mp/Pipeline/Model.h"
#include "mp/Pipeline/Settings.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

using namespace mlir;

namespace mp {

static Status readSettings(const char *const *settings, size_t count, CompileOptions &options) {
  for (size_t i = 0; i < count; ++i) {
    if (Status status = needs(settings[i], "a setting"); !status.ok())
      return status;
    auto [name, value] = StringRef(settings[i]).split('=');
    if (Status status = applySetting(options, name, value); !status.ok())
      return status;
  }
  return checkSettings(options);
}

/// Errors and their notes as lines of text.
static void collect(Diagnostic &diagnostic, std::string &errors) {
  if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
    return;
  llvm::raw_string_ostream os(errors);
  auto print = [&](const Diagnostic &line) {
    if (!errors.empty())
      os << '\n';
    if (auto where = line.getLocation()->findInstanceOf<FileLineColLoc>())
      os << where.getFilename().getValue() << ':' << where.getLine() << ':' << where.getColumn() << ": ";
    os << line.str();
  };
  print(diagnostic);
  for (Diagnostic &note : diagnostic.getNotes())
    print(note);
}

static Status compileText(StringRef text, StringRef name, const CompileOptions &options, const char *executable) {
  DialectRegistry registry;
  registerCompilerDialects(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  std::string errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) { collect(diagnostic, errors); });
  OwningOpRef<ModuleOp> module = parseModel(text, name, context);
  if (!module)
    return Status::error(errors);
  FailureOr<Compilation> result = compile(*module, options);
  if (failed(result))
    return Status::error(errors);
  return writeExecutable(executable, std::move(result->table), result->blobs);
}

} // namespace mp

MpStatus *mpCompile(const char *text, size_t length, const char *name, const char *const *settings, size_t count,
                    const char *executable) {
  using namespace mp;
  return guarded([&]() -> Status {
    for (auto [pointer, what] :
         {std::pair<const void *, const char *>{text, "text"}, {name, "name"}, {executable, "executable"}})
      if (Status status = needs(pointer, what); !status.ok())
        return status;
    if (count != 0)
      if (Status status = needs(settings, "settings"); !status.ok())
        return status;
    CompileOptions options;
    if (Status status = readSettings(settings, count, options); !status.ok())
      return status;
    return compileText(StringRef(text, length), name, options, executable);
  });
}
