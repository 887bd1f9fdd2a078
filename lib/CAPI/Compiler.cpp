// Compiling models from C.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp-c/Compiler.h"

#include "CAPI/Bytes.h"
#include "CAPI/CompileRequest.h"
#include "CAPI/Status.h"
#include "CAPI/Structs.h"

#include "mp/Analysis/PrecisionJson.h"
#include "mp/Pipeline/Model.h"
#include "mp/Pipeline/Settings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace mp {

/// What parses a caller's text.
static auto textReader(const char *text, size_t length, const char *name) {
  return [=](MLIRContext &context) { return parseModel(StringRef(text, length), name, context); };
}

static Status compileModule(ReadModule read, const CompileOptions &options, StringRef remarks, Diagnostics &diagnostics,
                            Compilation &compilation) {
  return withModule(read, remarks, diagnostics, [&](ModuleOp module) {
    FailureOr<Compilation> result = compile(module, options);
    if (succeeded(result))
      compilation = std::move(*result);
    return succeeded(result);
  });
}

Status compileToBytes(ReadModule read, const MpCompileOptions &given, MpBytes **result) {
  CompileOptions options;
  if (Status status = readOptions(given, options); !status.ok())
    return status;
  Diagnostics diagnostics(given.onDiagnostic, given.user);
  Compilation compilation;
  if (Status status = compileModule(read, options, given.remarks ? given.remarks : "", diagnostics, compilation);
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
    MpCompileOptions given{};
    given.settings = settings;
    given.count = count;
    if (Status status = readOptions(given, options); !status.ok())
      return status;
    Diagnostics diagnostics(nullptr, nullptr);
    Compilation result;
    auto read = textReader(text, length, name);
    if (Status status = compileModule(read, options, "", diagnostics, result); !status.ok())
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
    auto read = textReader(text, length, name);
    return compileToBytes(read, known(options), result);
  });
}

const char *mpSettingNames(void) {
  static const std::string names =
      llvm::join(llvm::map_range(mp::settings(), [](const mp::Setting &one) { return one.name; }), "\n");
  return names.c_str();
}

MpStatus *mpExplain(const char *text, size_t length, const char *name, const MpCompileOptions *options,
                    MpBytes **json) {
  using namespace mp;
  return guarded([&]() -> Status {
    if (Status status = checkText(text, name, json); !status.ok())
      return status;
    MpCompileOptions given = known(options);
    given.stage = given.cache = nullptr;
    CompileOptions own;
    if (Status status = readOptions(given, own); !status.ok())
      return status;
    Diagnostics diagnostics(given.onDiagnostic, given.user);
    std::string explained;
    auto read = textReader(text, length, name);
    Status status = withModule(read, given.remarks ? given.remarks : "", diagnostics, [&](ModuleOp module) {
      FailureOr<PrecisionReport> report = explainPrecision(module, own);
      if (succeeded(report))
        explained = precisionJson(own.autocast.policy, *report);
      return succeeded(report);
    });
    if (status.ok())
      *json = new MpBytes{std::move(explained), {}};
    return status;
  });
}
