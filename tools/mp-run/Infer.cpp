// mp-run infer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RuntimeFlags.h"
#include "mp-run/Commands.h"
#include "mp-run/RunFlags.h"

#include "mp/Pipeline/Settings.h"
#include "mp/Training/Checkpoint.h"

#include "llvm/ADT/STLExtras.h"

#include <iostream>

namespace mp {

namespace {
struct InferCommand {
  std::string model, device = "cpu";
  DeviceOptions deviceOptions;
  InferOptions options;
  CompileFlags flags;
};
} // namespace

/// Where nobody names a policy, the one that the weights were trained with.
static void takePolicyOfWeights(const InferCommand &command, CompileOptions &options) {
  bool isTold = isExecutable(command.model) ||
                llvm::any_of(command.flags.given, [](const auto &setting) { return setting.first == "policy"; });
  if (isTold || command.options.weights.empty())
    return;
  ErrorOr<std::string> policy = savedPolicy(command.options.weights);
  check(policy.status());
  if (policy->empty())
    return;
  Status known = applyPolicy(options, *policy).in("policy");
  if (known.ok())
    known = checkSettings(options); // its file may have moved
  if (!known.ok())
    fail(command.options.weights + ": " + known.message() + "; name the policy by --policy");
  std::cerr << "mp-run: policy " << *policy << ", as the weights were trained; --policy chooses another\n";
}

/// What is compiled where no flag says otherwise.
static CompileOptions defaultOptions() {
  CompileOptions options;
  options.training = false;
  return options;
}

static void run(const InferCommand &command) {
  CompileOptions options = defaultOptions();
  takePolicyOfWeights(command, options);
  command.flags.apply(command.model, options);
  check(checkInferOptions(command.options));
  if (!isExecutable(command.model)) {
    compileFor(command.device, options, command.deviceOptions);
    checkCompileOptions(options);
  }
  options.reportAccesses |= command.deviceOptions.simulation.checksMemory();
  std::unique_ptr<Session> session =
      createSession(loadOrCompile(command.model, options), command.device, command.deviceOptions);
  check(infer(*session, command.options, std::cout, std::cerr));
}

void addInferCommand(CLI::App &app) {
  auto command = std::make_shared<InferCommand>();
  CLI::App *verb = app.add_subcommand("infer", "run a model once on inputs from files");
  verb->add_option("model", command->model, "the model's .mlir file, or an executable (.mpx)")->required();
  addInferFlags(*verb, command->options);
  verb->add_option("--program", command->options.program, "the program to run (default infer)")->type_name("NAME");
  verb->add_option("--device", command->device, "cpu, cuda, cuda:N, simt or reference (default cpu)")
      ->type_name("NAME");
  DeviceOptions &device = command->deviceOptions;
  verb->add_option("--threads", device.threads, "threads of the CPU, at most 1024 (default: all)")->type_name("N");
  verb->add_flag("--pin-threads", device.pinThreads, "keep each thread of the CPU on one of its processors, in turn");
  addSimulateFlag(*verb, device.simulation);
  addCompileFlags(*verb, command->flags, defaultOptions());
  verb->callback([command] { run(*command); });
}

} // namespace mp
