//===- Infer.cpp - mp-run infer ----------------------------------------------------------------------===//
//
// Part of Halfstep, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "RunFlags.h"
#include "RuntimeFlags.h"

#include <iostream>

namespace mp {

namespace {
struct InferCommand {
  std::string model, device = "cpu";
  unsigned threads = 0;
  SIMTOptions simulation;
  InferOptions options;
  CompileFlags flags;
};
} // namespace

static void run(const InferCommand &command) {
  CompileOptions options;
  options.training = false;
  command.flags.apply(command.model, options);
  if (!isExecutable(command.model))
    compileFor(command.device, options);
  options.reportAccesses |= command.simulation.checksMemory();
  std::unique_ptr<Session> session =
      createSession(loadOrCompile(command.model, options), command.device, command.threads, command.simulation);
  check(infer(*session, command.options, std::cout));
}

void addInferCommand(CLI::App &app) {
  auto command = std::make_shared<InferCommand>();
  CLI::App *verb = app.add_subcommand("infer", "run a model once on inputs from files");
  verb->add_option("model", command->model, "the model's .mlir file, or an executable (.mpx)")->required();
  addInferFlags(*verb, command->options);
  verb->add_option("--program", command->options.program, "the program to run (default infer)")->type_name("NAME");
  verb->add_option("--device", command->device, "cpu, cuda, cuda:N, simt or reference (default cpu)")
      ->type_name("NAME");
  verb->add_option("--threads", command->threads, "threads of the CPU (default: all)")->type_name("N");
  addSimulateFlag(*verb, command->simulation);
  addCompileFlags(*verb, command->flags);
  verb->callback([command] { run(*command); });
}

} // namespace mp
