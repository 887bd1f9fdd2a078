// mp-run tune.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp-run/Commands.h"
#include "mp-run/CompileFlags.h"
#include "mp-run/MeasureCPU.h"

#include "mp/Base/WholeFile.h"
#include "mp/Codegen/Lower/Native/HostLevel.h"
#include "mp/Runtime/Core/Device.h"
#include "mp/Runtime/Tensors/Files.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <iostream>

namespace mp {

namespace {
struct TuneCommand {
  std::string device = "cpu", target = "cpu", output = "-";
  double seconds = 5;
};
} // namespace

/// The one level that is measured.
static const CPULevel &levelOf(const TuneCommand &command) {
  if (command.device != "cpu")
    fail("--device=" + command.device + ": expected cpu; what ops take on other devices is not modelled");
  CompileOptions options;
  if (Status status = applySetting(options, "target", command.target); !status.ok())
    fail("--" + status.message());
  if (options.target != targets::cpu || !options.otherTargets.empty() || options.cpus.size() > 1)
    fail("--target=" + command.target + ": expected cpu, or cpu with one level, as in cpu:avx2; a file has one");
  const CPULevel &level = options.cpus.empty() ? hostLevel() : *findCPULevel(options.cpus.front());
  ErrorOr<std::unique_ptr<Device>> device = createDevice(command.device);
  check(device.status());
  std::vector<std::string_view> lacking;
  for (std::string_view feature : level.features)
    if (!llvm::is_contained((*device)->description().features, feature))
      lacking.push_back(feature);
  if (!lacking.empty())
    fail("--target=" + command.target + ": code for it does not run here: this machine lacks " +
         llvm::join(lacking, ", ") + "; leave --target out, or measure where it runs");
  return level;
}

static void run(const TuneCommand &command) {
  const CPULevel &level = levelOf(command);
  if (!(command.seconds > 0 && command.seconds <= 3600))
    fail("--seconds: expected a number greater than 0, at most 3600");
  const bool isPrinted = command.output == "-";
  if (!isPrinted)
    check(checkFolderOf(command.output).in("-o"));
  std::ostream &table = isPrinted ? std::cerr : std::cout;
  auto print = [&](const std::string &figure, const std::string &measured, const std::string &known,
                   const std::string &share) {
    std::string line;
    llvm::raw_string_ostream(line) << llvm::format("%-40s %10s %10s %9s", figure.c_str(), measured.c_str(),
                                                   known.c_str(), share.c_str());
    table << line << std::endl; // as it is measured
  };
  auto number = [](const char *format, double value) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format(format, value);
    return text;
  };
  print("level " + std::string(level.name), "measured", "built in", "");
  const Tuning tuning = measureCPU(level, command.seconds, [&](const TuningFigure &figure, double measured) {
    const double known = figure.get(level);
    print(figure.name(), number("%.3g", measured), number("%.3g", known), number("%.0f %%", 100 * measured / known));
  });
  const std::string text = printTuning(tuning.level, tuning.processor);
  if (isPrinted)
    std::cout << text;
  else
    check(writeWholeFile(command.output, text));
}

void addTuneCommand(CLI::App &app) {
  auto command = std::make_shared<TuneCommand>();
  CLI::App *verb = app.add_subcommand("tune", "measure the rates by which policy=auto chooses types, for --tuning");
  verb->add_option("--device", command->device, "what is measured: cpu, on one thread (default cpu)")
      ->type_name("NAME");
  verb->add_option("--target", command->target,
                   "cpu:LEVEL, whose code is measured (default: cpu, the level of this machine)")
      ->type_name("TARGET");
  verb->add_option("-o,--output", command->output, "where the file goes, - for standard output (default -)")
      ->type_name("FILE");
  verb->add_option("--seconds", command->seconds,
                   "how long to measure at most, beside compiling and a few runs of each (default 5)")
      ->type_name("SECONDS");
  verb->callback([command] { run(*command); });
}

} // namespace mp
