// Mlir-opt with the mp dialect, its passes and its pipelines.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include "StandardOutput.h"
#include "mp/Base/Version.h"
#include "mp/Base/WholeFile.h"
#include "mp/IR/InputText.h"
#include "mp/IR/MP.h"
#include "mp/IR/ParserLimits.h"
#include "mp/Kernels/Passes.h"
#include "mp/Pipeline/Pipeline.h"
#include "mp/Transforms/Passes.h"

using namespace mlir;

/// What MlirOptMain(argc, argv, ...) does with a file, once its text is known not to nest too deeply for the parser.
static LogicalResult processFile(StringRef inputName, StringRef outputName, DialectRegistry &registry,
                                 const MlirOptMainConfig &config) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> input = mp::openInputText(inputName, &error);
  if (!input) {
    llvm::errs() << error << "\n";
    return failure();
  }
  if (std::optional<mp::ParserLimit> limit = mp::findParserLimit(input->getBuffer())) {
    llvm::errs() << inputName << ':' << limit->line << ':' << limit->column << ": error: " << limit->message << "\n";
    return failure();
  }
  if (outputName == "-")
    return MlirOptMain(llvm::outs(), std::move(input), registry, config);
  std::string text;
  llvm::raw_string_ostream output(text);
  if (failed(MlirOptMain(output, std::move(input), registry, config)))
    return failure();
  if (mp::Status written = mp::writeWholeFile(outputName.str(), text); !written.ok()) {
    llvm::errs() << "mp-opt: error: " << written.message() << "\n";
    return failure();
  }
  return success();
}

/// What is wrong with what was printed, in LLVM's way of printing.
static std::error_code flushOuts() {
  llvm::outs().flush();
  const std::error_code error = llvm::outs().error();
  llvm::outs().clear_error(); // its destructor would report it again
  return error;
}

/// The program, which is linked into one library with the others of a wheel.
extern "C" int mpOptMain(int argc, char **argv) {
  mp::checkStandardOutput("mp-opt", flushOuts);
  // A reader that goes away ends this program as it ends others, by SIGPIPE.
  llvm::InitLLVM init(argc, argv, /*InstallPipeSignalExitHandler=*/false);
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &os) { os << mp::kProducer << "\nLLVM " LLVM_VERSION_STRING "\n"; });
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registry.insert<mp::MPDialect>();
  registerAllPasses();
  mp::registerKernelsPasses();
  mp::registerTransformsPasses();
  mp::registerPipelines();

  std::string help = registerCLIOptions("Halfstep's optimizer driver", registry);
  // An error is one line: the op that it is about is at its location, and may be the whole module.
  llvm::cl::Option *printOp = llvm::cl::getRegisteredOptions().lookup("mlir-print-op-on-diagnostic");
  static_cast<llvm::cl::opt<bool> *>(printOp)->setInitialValue(false);
  auto [input, output] = parseCLIOptions(argc, argv, help);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
  return asMainReturnCode(processFile(input, output, registry, config));
}
