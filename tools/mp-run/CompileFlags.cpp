// Compile settings as flags.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp-run/CompileFlags.h"
#include "mp-run/CompileProgress.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

#include "mp/Pipeline/Model.h"
#include "mp/Pipeline/Remarks.h"

#include <iostream>
#include <set>

using namespace mlir;

namespace mp {

void fail(const std::string &message) {
  std::cerr << "mp-run: error: " << message << std::endl;
  throw CLI::RuntimeError(1);
}

void check(const Status &status) {
  if (!status.ok())
    fail(status.message());
}

void CompileFlags::apply(const std::string &model, CompileOptions &options) const {
  if (isExecutable(model) && !given.empty())
    fail("--" + given.front().first + " is a setting of the compiler, but " + model +
         " is compiled already: give it to mp-run compile (mp-exec --chip chooses among code for several chips)");
  for (const auto &[name, value] : given)
    if (Status status = applySetting(options, name, value); !status.ok())
      fail("--" + status.message());
  options.cacheDirectory = StringRef(cache).equals_insensitive("off") ? "" : cache;
}

void checkCompileOptions(const CompileOptions &options, const std::string &where) {
  if (Status status = checkSettings(options); !status.ok())
    fail(where + status.message());
}

/// "halfstep" in the user's folder of caches; "off" where there is none.
static std::string defaultCache() {
  llvm::SmallString<128> folder;
  if (!llvm::sys::path::cache_directory(folder))
    return "off";
  llvm::sys::path::append(folder, "halfstep");
  return std::string(folder);
}

void addCompileFlags(CLI::App &app, CompileFlags &flags, const CompileOptions &defaults) {
  for (const Setting &setting : settings()) {
    std::string name = setting.name.str();
    if (app.get_option_no_throw("--" + name))
      continue;
    auto remember = [&flags, name](const std::string &value) { flags.given.emplace_back(name, value); };
    app.add_option_function<std::string>("--" + name, remember, helpOf(setting, defaults))
        ->type_name(setting.value.str())
        ->group("Compiler");
  }
  flags.cache = defaultCache();
  app.add_option("--compile-cache", flags.cache, "the folder where compiled kernels are kept, or off")
      ->envname("HALFSTEP_COMPILE_CACHE")
      ->capture_default_str()
      ->type_name("DIR")
      ->group("Compiler");
}

std::vector<std::string> wordsOf(int argc, const char *const *argv) {
  std::vector<std::string> words;
  for (int i = argc - 1; i > 0; --i) {
    std::string word = argv[i];
    const bool isTold = !words.empty() && (words.back() == "true" || words.back() == "false");
    if (!isTold && llvm::any_of(settings(), [&](const Setting &setting) {
          return setting.value == "BOOL" && "--" + setting.name.str() == word;
        }))
      word += "=true";
    words.push_back(std::move(word));
  }
  return words;
}

namespace {
/// Prints diagnostics with the line that they are about, if it is one to read: not a constant of a megabyte. An op of a
/// model is in several of its programs: the same error is printed once.
class ModelDiagnostics : public SourceMgrDiagnosticHandler {
public:
  ModelDiagnostics(llvm::SourceMgr &sources, MLIRContext &context) : SourceMgrDiagnosticHandler(sources, &context) {
    setHandler([this](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
          !errors.emplace(diagnostic.getLocation().getAsOpaquePointer(), diagnostic.str()).second)
        return;
      print(diagnostic);
      for (Diagnostic &note : diagnostic.getNotes())
        print(note);
    });
  }

private:
  static constexpr size_t kLongestLine = 400;

  void print(const Diagnostic &diagnostic) {
    Location loc = diagnostic.getLocation();
    if (isa<UnknownLoc>(loc)) {
      std::cerr << "mp-run: " << nameOf(diagnostic.getSeverity()) << ": " << diagnostic.str() << std::endl;
      return;
    }
    // Of the file as a whole.
    if (auto position = dyn_cast<FileLineColLoc>(loc); position && position.getLine() == 0) {
      std::cerr << position.getFilename().str() << ": " << nameOf(diagnostic.getSeverity()) << ": " << diagnostic.str()
                << std::endl;
      return;
    }
    emitDiagnostic(loc, diagnostic.str(), diagnostic.getSeverity(), isReadable(loc));
  }

  static const char *nameOf(DiagnosticSeverity severity) {
    switch (severity) {
    case DiagnosticSeverity::Note:
      return "note";
    case DiagnosticSeverity::Warning:
      return "warning";
    case DiagnosticSeverity::Error:
      return "error";
    case DiagnosticSeverity::Remark:
      return "remark";
    }
    llvm_unreachable("unknown severity");
  }

  bool isReadable(Location loc) {
    auto position = loc->findInstanceOf<FileLineColLoc>();
    if (position && position.getFilename().getValue().ends_with(".onnx")) // whose lines are nodes
      return false;
    const llvm::MemoryBuffer *file = position ? getBufferForFile(position.getFilename()) : nullptr;
    StringRef rest = file ? file->getBuffer() : "";
    for (unsigned line = 1; position && line < position.getLine(); ++line)
      rest = rest.split('\n').second;
    return rest.find('\n') <= kLongestLine || rest.size() <= kLongestLine;
  }

  std::set<std::pair<const void *, std::string>> errors; // at their locations
};
} // namespace

void withModel(const std::string &path, const std::string &remarks, llvm::function_ref<bool(ModuleOp)> action) {
  if (StringRef(path).ends_with(".onnx"))
    fail(path + ": a file of ONNX; mp-run import " + path + " -o MODEL.mlir writes the text that is compiled");
  DialectRegistry registry;
  registerCompilerDialects(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  ModelDiagnostics handler(sources, context);
  ErrorOr<Remarks> told = Remarks::enable(context, remarks);
  check(told.status().in("--remarks-filter"));
  OwningOpRef<ModuleOp> module = readModel(path, context);
  if (!module || !action(*module))
    throw CLI::RuntimeError(1);
  if (std::string warning = told->warning(); !warning.empty())
    std::cerr << "mp-run: warning: --remarks-filter: " << warning << std::endl;
}

bool isExecutable(StringRef path) { return path.ends_with(".mpx"); }

std::shared_ptr<const LoadedExecutable> loadOrCompile(const std::string &path, const CompileOptions &options) {
  if (isExecutable(path)) {
    ErrorOr<LoadedExecutable> file = readExecutable(path);
    if (!file)
      fail(file.status().message());
    return std::make_shared<const LoadedExecutable>(std::move(*file));
  }
  std::shared_ptr<const LoadedExecutable> result;
  withModel(path, /*remarks=*/"", [&](ModuleOp module) {
    CompileProgress progress;
    FailureOr<std::shared_ptr<const LoadedExecutable>> loaded = compileAndLoad(module, progress.on(options));
    if (succeeded(loaded))
      result = *loaded;
    return succeeded(loaded);
  });
  return result;
}

} // namespace mp
