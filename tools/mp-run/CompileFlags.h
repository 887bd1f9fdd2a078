// Compile settings as flags.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TOOLS_MP_RUN_COMPILEFLAGS_H
#define MP_TOOLS_MP_RUN_COMPILEFLAGS_H

#include "mp/Pipeline/Settings.h"

#include <CLI/CLI.hpp>

#include <map>
#include <memory>

namespace mp {

/// Prints `mp-run: error: MESSAGE` and ends the command with exit status 1.
[[noreturn]] void fail(const std::string &message);
/// Does so if `status` is an error.
void check(const Status &status);

/// The compile settings given at the command line, by name, in the order of the table.
struct CompileFlags {
  std::vector<std::pair<std::string, std::string>> given;
  /// Where compiled kernels are kept, or "off".
  std::string cache;

  /// Applies them all. Fails if there are any and `model` is an executable.
  void apply(const std::string &model, CompileOptions &options) const;
};

/// Ends the command where no compilation could start with these options, or a flag would do nothing. `where` stands
/// before the setting that the message starts with: the dashes of a flag, or a variant of `compare`.
void checkCompileOptions(const CompileOptions &options, const std::string &where = "--");

/// Adds a flag for each compile setting but those that `app` has already; without it `defaults` hold.
void addCompileFlags(CLI::App &app, CompileFlags &flags, const CompileOptions &defaults = CompileOptions());

/// Whether a path names an executable, not a model: it ends in .mpx.
bool isExecutable(llvm::StringRef path);

/// The words of a command line, the last first, as the parser takes them. `--NAME` of a setting that is true or false,
/// with neither behind it, is `--NAME=true`.
std::vector<std::string> wordsOf(int argc, const char *const *argv);

/// Reads and compiles a model, or reads an executable. Diagnostics go to standard error.
std::shared_ptr<const LoadedExecutable> loadOrCompile(const std::string &path, const CompileOptions &options);

/// Runs `action` on the module in `path`, with diagnostics printed without the op that they are about. Remarks of
/// categories that match the regular expression `remarks` are printed; none where it is empty.
void withModel(const std::string &path, const std::string &remarks, llvm::function_ref<bool(mlir::ModuleOp)> action);

} // namespace mp

#endif // MP_TOOLS_MP_RUN_COMPILEFLAGS_H
