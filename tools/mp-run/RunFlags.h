// Flags of verbs that run on a device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TOOLS_MP_RUN_RUNFLAGS_H
#define MP_TOOLS_MP_RUN_RUNFLAGS_H

#include "mp-run/CompileFlags.h"

#include "mp/Runtime/Core/Session.h"
#include "mp/Training/TrainOptions.h"

namespace mp {

/// What the flags of training say about a device.
DeviceOptions deviceOptionsOf(const TrainOptions &options);

/// Makes `options` ask for code that `device` runs; a device that is not there, or does not run the code that a given
/// --target makes, ends the command. A GPU's chip is the
/// one asked for, or the newest that the device runs code for (sm_80 if simulated), which standard error then says.
void compileFor(const std::string &device, CompileOptions &options, const DeviceOptions &deviceOptions,
                bool quiet = false);

/// The compile options that settings and training flags ask for. What both sides must know (batch size, learning rate,
/// micro-batches, the device's target) is said once, as a training flag.
CompileOptions compileOptionsFor(const std::string &model, const CompileFlags &flags, const TrainOptions &training);

/// The executable on the device of that name.
std::unique_ptr<Session> createSession(std::shared_ptr<const LoadedExecutable> file, const std::string &device,
                                       const DeviceOptions &options = {});

} // namespace mp

#endif // MP_TOOLS_MP_RUN_RUNFLAGS_H
