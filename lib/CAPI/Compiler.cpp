// Compiling models from C.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp-c/Compiler.h"

#include "CAPI/Bytes.h"
#include "CAPI/Diagnostics.h"
#include "CAPI/Status.h"
#include "CAPI/Structs.h"

#include "mp/Pipeline/Model.h"
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

static Status compileText(StringRef text, StringRef name, const CompileOptions &options, StringRef remarks,
                          Diagnostics &diagnostics, Compilation &compilation) {
  DialectRegistry registry;
  registerCompilerDialects(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) { diagnostics.add(diagnostic); });
  if (Status enabled = enableRemarks(context, remarks); !enabled.ok())
    return enabled;
  OwningOpRef<ModuleOp> module = parseModel(text, name, context);
  if (!module)
    return Status::error(diagnostics.errors());
  FailureOr<Compilation> result = compile(*module, options);
  if (failed(result))
    return Status::error(diagnostics.errors());
  compilation = std::move(*result);
  return Status::success();
}

static Status checkText(const char *text, const char *name, const void *result) {
  for (auto [pointer, what] :
       {std::pair<const void *, const char *>{text, "text"}, {name, "name"}, {result, "the place for the result"}})
    if (Status status = needs(pointer, what); !status.ok())
      return status;
  return Status::success();
}

static Status readOptions(const MpCompileOptions &given, CompileOptions &options) {
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
  return readSettings(given.settings, given.count, options);
}

static Status compileToBytes(StringRef text, StringRef name, const MpCompileOptions &given, MpBytes **result) {
  CompileOptions options;
  if (Status status = readOptions(given, options); !status.ok())
    return status;
  Diagnostics diagnostics(given.onDiagnostic, given.user);
  Compilation compilation;
  if (Status status = compileText(text, name, options, given.remarks ? given.remarks : "", diagnostics, compilation);
      !status.ok())
    return status;
  if (options.compileTo != Stage::Executable) {
    *result = new MpBytes{std::move(compilation.text), {}};
    return Status::success();
  }
  ErrorOr<FileBytes> bytes = serializeExecutable(std::move(compilation.table), compilation.blobs);
  if (!bytes)
    return bytes.status();
  *result = new MpBytes{{}, std::move(*bytes)};
  return Status::success();
}

} // namespace mp

MpStatus *mpCompile(const char *text, size_t length, const char *name, const char *const *settings, size_t count,
                    const char *executable) {
  using namespace mp;
  return guarded([&]() -> Status {
    if (Status status = checkText(text, name, executable); !status.ok())
      return status;
    CompileOptions options;
    if (Status status = readOptions(
            {sizeof(MpCompileOptions), settings, count, nullptr, nullptr, nullptr, nullptr, nullptr}, options);
        !status.ok())
      return status;
    Diagnostics diagnostics(nullptr, nullptr);
    Compilation result;
    if (Status status = compileText(StringRef(text, length), name, options, "", diagnostics, result); !status.ok())
      return status;
    return writeExecutable(executable, std::move(result.table), result.blobs);
  });
}

MpStatus *mpCompileToBytes(const char *text, size_t length, const char *name, const MpCompileOptions *options,
                           MpBytes **result) {
  using namespace mp;
  return guarded([&]() -> Status {
    if (Status status = checkText(text, name, result); !status.ok())
      return status;
    return compileToBytes(StringRef(text, length), name, known(options), result);
  });
}
