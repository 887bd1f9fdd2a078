// What a caller asks the compiler for, read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CAPI/CompileRequest.h"

#include "CAPI/Status.h"

#include "mp/Pipeline/Model.h"
#include "mp/Pipeline/Remarks.h"
#include "mp/Pipeline/Settings.h"

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

Status checkText(const char *text, const char *name, const void *result) {
  for (auto [pointer, what] :
       {std::pair<const void *, const char *>{text, "text"}, {name, "name"}, {result, "the place for the result"}})
    if (Status status = needs(pointer, what); !status.ok())
      return status;
  return Status::success();
}

Status readOptions(const MpCompileOptions &given, CompileOptions &options) {
  if (given.count != 0)
    if (Status status = needs(given.settings, "settings"); !status.ok())
      return status;
  if (given.stage) {
    std::optional<Stage> stage = parseStage(given.stage);
    if (!stage)
      return makeError("stage '", given.stage, "': expected one of ", stageNames());
    options.compileTo = *stage;
  }
  options.cacheDirectory = given.cache ? given.cache : "";
  if (given.onStage)
    options.onStage = [&given](StringRef stage, StringRef text) {
      given.onStage(stage.str().c_str(), text.str().c_str(), given.user);
    };
  if (given.onProgress)
    options.onProgress = [&given](StringRef stage, size_t done, size_t count) {
      given.onProgress(stage.str().c_str(), done, count, given.user);
    };
  return readSettings(given.settings, given.count, options);
}

Status withModule(ReadModule read, StringRef remarks, Diagnostics &diagnostics,
                  llvm::function_ref<bool(ModuleOp)> action) {
  DialectRegistry registry;
  registerCompilerDialects(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) { diagnostics.add(diagnostic); });
  ErrorOr<Remarks> told = Remarks::enable(context, remarks);
  if (!told)
    return told.status().in(("remarks '" + remarks + "'").str());
  OwningOpRef<ModuleOp> module = read(context);
  if (!module || !action(*module))
    return Status::error(diagnostics.errors(), diagnostics.fault());
  if (std::string warning = told->warning(); !warning.empty())
    emitWarning(UnknownLoc::get(&context), warning);
  return Status::success();
}

} // namespace mp
