// mp-run compile.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp-run/Commands.h"
#include "mp-run/CompileFlags.h"
#include "mp-run/CompileProgress.h"

#include "mp/Base/WholeFile.h"
#include "mp/Runtime/Tensors/Files.h"
#include "mp/Training/Infer.h"

#include <filesystem>
#include <iostream>

using namespace mlir;

namespace mp {

namespace {
struct CompileCommand {
  std::string model, output = "-", stage = "executable", dumpDirectory, remarks;
  CompileFlags flags;
};
} // namespace

static void writeText(const std::string &path, const std::string &text) {
  if (path == "-") {
    std::cout << text;
    return;
  }
  check(writeWholeFile(path, text));
}

static void run(const CompileCommand &command) {
  CompileOptions options;
  command.flags.apply(command.model, options);
  std::optional<Stage> stage = parseStage(command.stage);
  if (!stage)
    fail("--compile-to: expected one of " + stageNames() + ", found '" + command.stage + "'");
  options.compileTo = *stage;
  checkCompileOptions(options);
  options.dumpDirectory = command.dumpDirectory;
  if (isExecutable(command.model))
    fail(command.model + " is compiled already; infer and train run it, mp-exec info shows what is in it");
  if (*stage == Stage::Executable && command.output == "-")
    fail("an executable cannot go to standard output; give a file, as in -o F.mpx");
  if (command.output != "-")
    check(checkFolderOf(command.output).in("-o"));
  std::error_code absent;
  if (std::filesystem::equivalent(command.model, command.output, absent))
    fail("-o " + command.output + ": is the model itself, which would be lost");
  withModel(command.model, command.remarks, [&](ModuleOp module) {
    CompileProgress progress;
    FailureOr<Compilation> result = compile(module, progress.on(options));
    if (failed(result))
      return false;
    if (*stage != Stage::Executable) {
      writeText(command.output, result->text);
      return true;
    }
    printExecutable(result->table, std::cout);
    check(writeExecutable(command.output, std::move(result->table), result->blobs));
    return true;
  });
}

void addCompileCommand(CLI::App &app) {
  auto command = std::make_shared<CompileCommand>();
  CLI::App *verb = app.add_subcommand("compile", "compile a model to an executable, or to the text of a stage");
  verb->add_option("model", command->model, "the model's .mlir file, - for standard input")->required();
  verb->add_option("-o,--output", command->output,
                   "where the result goes, - for standard output (default -; an executable needs a file)");
  verb->add_option("--compile-to", command->stage, "the last stage: " + stageNames() + " (default executable)")
      ->type_name("STAGE");
  verb->add_option("--dump-dir", command->dumpDirectory,
                   "a folder for one numbered file per stage (default: none is written)")
      ->type_name("DIR");
  verb->add_option("--remarks-filter", command->remarks,
                   "print the remarks of categories that match, as mp-opt does (default: none)")
      ->type_name("REGEX");
  addCompileFlags(*verb, command->flags);
  verb->callback([command] { run(*command); });
}

} // namespace mp
