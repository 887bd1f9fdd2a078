// One program through the evaluator.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests: evaluates a program of an .mlir file on the .npy files of a folder, and writes its results there.
//
//   mp-evaluate model.mlir --program=train_step --directory=DIR
//
// reads DIR/NAME.npy for each argument and writes DIR/loss.npy, DIR/gradient.NAME.npy, DIR/next.NAME.npy, ...;
// a slash in a name is a dash in the file's.

#include "mp/IR/Program.h"
#include "mp/Reference/Evaluator.h"
#include "mp/Runtime/Tensors/Npy.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

#include <algorithm>

using namespace mp;

static llvm::cl::opt<std::string> inputFile(llvm::cl::Positional, llvm::cl::Required, llvm::cl::desc("FILE.mlir"));
static llvm::cl::opt<std::string> programName("program", llvm::cl::init("train_step"),
                                              llvm::cl::desc("Which program: the value of mp.program"));
static llvm::cl::opt<std::string> directory("directory", llvm::cl::Required,
                                            llvm::cl::desc("Where arguments are read and results written"));
static llvm::cl::opt<bool> exactAccumulator("exact-accumulator",
                                            llvm::cl::desc("Sum in the stated types, in index order"));
static llvm::cl::opt<ProductUnit> unit("unit", llvm::cl::desc("Sum matrix products as a processor's unit does"),
                                       llvm::cl::values(clEnumValN(ProductUnit::Dot, "dot", "AVX-512 BF16"),
                                                        clEnumValN(ProductUnit::AMX, "amx", "tiles of AMX")));

static std::string pathOf(std::string name) {
  std::replace(name.begin(), name.end(), '/', '-');
  return directory + "/" + name + ".npy";
}

static const char *prefixOf(ResultRole role) {
  switch (role) {
  case ResultRole::Loss:
    return "";
  case ResultRole::Output:
    return "output.";
  case ResultRole::Metric:
    return "metric.";
  case ResultRole::Next:
    return "next.";
  case ResultRole::Gradient:
    return "gradient.";
  case ResultRole::Log:
    return "log.";
  }
  return "";
}

static int fail(const std::string &message) {
  llvm::errs() << "mp-evaluate: " << message << "\n";
  return 1;
}

int main(int argc, char **argv) {
  llvm::cl::ParseCommandLineOptions(argc, argv, "Evaluates one program op by op\n");
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<MPDialect, mlir::func::FuncDialect>();
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(inputFile, sources, mlir::ParserConfig(&context));
  if (!module)
    return 1;
  std::optional<ProgramKind> kind = symbolizeProgramKind(programName);
  llvm::SmallVector<mlir::func::FuncOp> programs;
  if (kind)
    programs = getPrograms(*module, *kind);
  if (programs.empty())
    return fail(inputFile + " has no program '" + programName + "'");
  mlir::func::FuncOp program = programs.front();

  std::vector<Tensor> arguments;
  for (unsigned i = 0; i < program.getNumArguments(); ++i) {
    ErrorOr<HostTensor> read = readNpy(pathOf(getArgumentName(program, i).str()));
    if (!read)
      return fail(read.message());
    arguments.push_back(Tensor{std::move(*read)});
  }
  EvaluatorOptions options = {.exactAccumulator = exactAccumulator};
  if (unit.getNumOccurrences() > 0)
    options.unit = unit;
  llvm::FailureOr<std::vector<Tensor>> results = evaluate(program, arguments, options);
  if (failed(results))
    return 1;
  for (auto [i, result] : llvm::enumerate(*results)) {
    const std::string name = prefixOf(getResultRole(program, i)) + getResultName(program, i).str();
    if (Status written = writeNpy(pathOf(name), result); !written.ok())
      return fail(written.message());
  }
  return 0;
}
