//===- RunFlags.cpp - flags of verbs that run on a device ---------------------------------------------===//
//
// Part of Halfstep, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunFlags.h"

namespace mp {

std::string targetOf(const std::string &device, const std::string &target) {
  if (device == "cpu")
    return target;
  return device == "cuda" ? "nvptx" : device;
}

CompileOptions compileOptionsFor(const CompileFlags &flags, const TrainOptions &training) {
  CompileOptions options;
  flags.apply(options);
  if (training.batchSize)
    options.specialize.batch = *training.batchSize;
  if (training.learningRate)
    options.optimizer.learningRate = *training.learningRate;
  options.optimizer.accumulate = static_cast<int64_t>(training.accumulate.value_or(1));
  if (training.lastBatch == LastBatch::Pad)
    options.specialize.pad = true;
  options.target = targetOf(training.device, options.target);
  options.reportAccesses |= training.simulation.checksMemory();
  return options;
}

std::unique_ptr<Session> createSession(std::shared_ptr<const LoadedExecutable> file, const std::string &device,
                                       unsigned threads, const SIMTOptions &simulation) {
  DeviceOptions deviceOptions;
  deviceOptions.threads = threads;
  deviceOptions.simulation = simulation;
  ErrorOr<std::unique_ptr<Device>> target = createDevice(device, deviceOptions);
  check(target.status());
  ErrorOr<std::unique_ptr<Session>> session = Session::create(std::move(file), std::move(*target));
  check(session.status());
  return std::move(*session);
}

} // namespace mp
