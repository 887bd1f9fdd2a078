// mp-run train.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RuntimeFlags.h"
#include "StopSignals.h"
#include "mp-run/Commands.h"
#include "mp-run/FindNonfinite.h"
#include "mp-run/RunFlags.h"

#include "mp/Base/Names.h"
#include "mp/Training/Trainer.h"

#include <cmath>
#include <iostream>

namespace mp {

namespace {
struct TrainCommand {
  std::string model;
  TrainOptions options;
  CompileFlags flags;
  bool findNonfinite = false;
};
} // namespace

static void printScores(const char *title, const std::vector<Score> &scores) {
  if (scores.empty())
    return;
  std::cout << title << ':';
  for (const Score &score : scores)
    std::cout << "  " << score.name << ' ' << score.value;
  std::cout << '\n';
}

/// Says at the first epoch whose loss is not finite what there is to do about it.
static std::function<bool(const EpochRecord &)> adviseOnce() {
  return [isAdvised = false](const EpochRecord &epoch) mutable {
    const std::optional<double> loss = TrainResult::find(epoch.trainScores, results::loss);
    if (isAdvised || !loss || std::isfinite(*loss))
      return true;
    std::cerr << "the loss is not finite; --find-nonfinite says which op that comes from" << std::endl;
    return isAdvised = true;
  };
}

static void run(const TrainCommand &command) {
  check(checkTrainOptions(command.options));
  CompileOptions options = compileOptionsFor(command.model, command.flags, command.options);
  if (command.findNonfinite && (isExecutable(command.model) || command.model == "-"))
    fail("--find-nonfinite looks into the ops of a model, which " +
         std::string(command.model == "-" ? "is read again from its file" : "have become kernels in " + command.model) +
         "; give the .mlir file");
  if (!isExecutable(command.model))
    checkCompileOptions(options);
  std::unique_ptr<Session> session =
      createSession(loadOrCompile(command.model, options), command.options.device, deviceOptionsOf(command.options));
  StopSignals signals;
  TrainOptions training = command.options;
  training.shouldStop = StopSignals::isCaught;
  std::optional<NonfiniteFinder> finder;
  if (command.findNonfinite) {
    finder.emplace(command.model, options);
    training.onInputs = [&finder](const StepRecord &record, const StepInputs &inputs) {
      return finder->see(record, inputs);
    };
  }
  if (!command.findNonfinite && !training.quiet)
    training.onEpoch = adviseOnce();
  ErrorOr<TrainResult> result = train(*session, training);
  check(result.status());
  if (result->stopped) {
    std::cerr << "mp-run: " << StopSignals::describe(*result, training) << std::endl;
    throw CLI::RuntimeError(StopSignals::exitStatus());
  }
  if (command.options.quiet)
    return;
  std::cout << "steps: " << result->steps << "  skipped: " << result->skipped;
  if (!result->history.empty())
    std::cout << "  milliseconds per step: " << 1e3 * result->secondsPerStep;
  std::cout << '\n';
  printScores("train", result->trainScores);
  printScores("test", result->testScores);
}

void addTrainCommand(CLI::App &app) {
  auto command = std::make_shared<TrainCommand>();
  CLI::App *verb = app.add_subcommand("train", "train a model, or a compiled training job");
  verb->add_option("model", command->model, "the model's .mlir file, or an executable (.mpx)")->required();
  addTrainFlags(*verb, command->options);
  verb->add_flag("--find-nonfinite", command->findNonfinite,
                 "say which op is the first that is not finite in the first step that is skipped, or whose loss or "
                 "state is not; steps run one by one and state is copied after each until then");
  addCompileFlags(*verb, command->flags);
  verb->callback([command] { run(*command); });
}

} // namespace mp
