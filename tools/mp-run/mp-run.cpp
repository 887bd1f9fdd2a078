// Compiles and runs models.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StandardOutput.h"
#include "Verbs.h"
#include "mp-run/Commands.h"
#include "mp-run/CompileFlags.h"

#include "mp/Base/Version.h"
#include "mp/Devices/CPU/CPUDevice.h"
#include "mp/Devices/CUDA/CUDADevice.h"
#include "mp/Devices/SIMT/SIMTDevice.h"
#include "mp/Reference/ReferenceDevice.h"

#include "llvm/Config/llvm-config.h"

#include <CLI/CLI.hpp>

#include <iostream>

/// The program, which is linked into one library with the others of a wheel.
extern "C" int mpRunMain(int argc, char **argv) {
  mp::checkStandardOutput("mp-run");
  mp::registerCPUDevice();
  mp::registerSIMTDevice();
  mp::registerCUDADevice();
  mp::registerReferenceDevice();

  CLI::App app("compiles models of mp ops and runs them: training, evaluation, inference", "mp-run");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string(mp::kProducer) + "\nLLVM " LLVM_VERSION_STRING,
                       "show the versions of Halfstep and of LLVM");
  app.footer("mp-run VERB --help shows the flags of a verb.");
  mp::addCompileCommand(app);
  mp::addImportCommand(app);
  mp::addInferCommand(app);
  mp::addTrainCommand(app);
  mp::addCompareCommand(app);
  mp::addExplainCommand(app);
  mp::addReportCommand(app);
  mp::addTuneCommand(app);
  mp::addDevicesCommand(app);
  for (const std::string &wrong : {mp::describeMissingVerb(app, argc, argv), mp::describeEmptyValue(argc, argv)})
    if (!wrong.empty()) {
      std::cerr << "mp-run: error: " << wrong << '\n';
      return 1;
    }
  try {
    app.parse(mp::wordsOf(argc, argv));
  } catch (const CLI::RuntimeError &error) {
    return error.get_exit_code(); // the verb has said why
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) // --help
      return app.exit(error);
    std::cerr << "mp-run: error: " << mp::describeParseError(app, error) << '\n';
    return 1;
  }
  return 0;
}
