// mp-run import.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp-run/Commands.h"
#include "mp-run/CompileFlags.h"

#include <cerrno>
#include <optional>
#include <system_error>
#include <unistd.h>

namespace mp {

namespace {
struct ImportCommand {
  std::string model, output = "-", weights;
  std::vector<std::string> trainable, frozen;
  std::optional<int64_t> batchSize;
};
} // namespace

/// `python3 -m halfstep`, but that no module is looked for in the working folder: that may be of a file from anybody.
static constexpr const char *kProgram = R"(import sys
if sys.path[:1] == [""]:
    del sys.path[0]
try:
    from halfstep.__main__ import main
except ImportError as error:
    if error.name == "halfstep":
        sys.exit("mp-run: error: import needs the Python package halfstep, which " + sys.executable
                 + " does not have; install it: python3 -m pip install halfstep")
    sys.exit(f"mp-run: error: import needs the Python package halfstep, which does not load: {error}")
main()
)";

/// Goes on as Python: the exit status is its own. Names reach it as words of its command line, with no shell between.
static void run(const ImportCommand &command) {
  std::vector<std::string> words = {"python3", "-c", kProgram, "import", "--output=" + command.output};
  if (!command.weights.empty())
    words.push_back("--weights=" + command.weights);
  for (const std::string &pattern : command.trainable)
    words.push_back("--trainable=" + pattern);
  for (const std::string &pattern : command.frozen)
    words.push_back("--frozen=" + pattern);
  if (command.batchSize)
    words.push_back("--batch-size=" + std::to_string(*command.batchSize));
  words.insert(words.end(), {"--", command.model});
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execvp("python3", arguments.data());
  if (errno == ENOENT)
    fail("import needs Python: there is no python3 in PATH; install it, and the package: python3 -m pip install "
         "halfstep");
  fail("python3: cannot run: " + std::error_code(errno, std::generic_category()).message());
}

void addImportCommand(CLI::App &app) {
  auto command = std::make_shared<ImportCommand>();
  CLI::App *verb = app.add_subcommand("import", "write a model's text from a file of ONNX; needs the Python package");
  verb->add_option("model", command->model, "the model's .onnx file")->required();
  verb->add_option("-o,--output", command->output, "where the text goes, - for standard output (default -)")
      ->type_name("FILE");
  verb->add_option("--weights", command->weights,
                   "a safetensors file for the values of parameters, as infer --weights reads it (default: none is "
                   "written)")
      ->type_name("FILE");
  verb->add_option(
          "--trainable", command->trainable,
          "all that trains, by its name or a pattern as 'encoder.*'; may be given more than once (default: what "
          "layers read as weights)")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  verb->add_option("--frozen", command->frozen,
                   "what does not train, by its name or a pattern; may be given more than once (default: none)")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  verb->add_option(
          "--batch-size", command->batchSize,
          "how many rows a batch has, for models that are made for one size of it; the batch of others is open "
          "(default: none)")
      ->type_name("N");
  verb->callback([command] { run(*command); });
}

} // namespace mp
