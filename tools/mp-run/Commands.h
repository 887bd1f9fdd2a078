// The verbs of mp-run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TOOLS_MP_RUN_COMMANDS_H
#define MP_TOOLS_MP_RUN_COMMANDS_H

#include <CLI/CLI.hpp>

namespace mp {

// Each adds one verb with its flags to `app`. A verb that fails throws CLI::RuntimeError with exit status 1 after it
// has printed why.
void addCompileCommand(CLI::App &app);
void addImportCommand(CLI::App &app);
void addInferCommand(CLI::App &app);
void addTrainCommand(CLI::App &app);
void addCompareCommand(CLI::App &app);
void addExplainCommand(CLI::App &app);
void addReportCommand(CLI::App &app);
void addTuneCommand(CLI::App &app);
void addDevicesCommand(CLI::App &app);

} // namespace mp

#endif // MP_TOOLS_MP_RUN_COMMANDS_H
