// Compiles a kernel's text to PTX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/PTXCompiler.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace mp;
using namespace mp::test;

PTXCompiler::PTXCompiler(const std::string &source, const std::string &chipName) : chip(chipName) {
  mlir::MLIRContext context;
  context.loadDialect<MPDialect, mlir::func::FuncDialect>();
  context.printOpOnDiagnostic(false);
  mlir::ScopedDiagnosticHandler handler(&context,
                                        [&](mlir::Diagnostic &diagnostic) { errors += diagnostic.str() + "\n"; });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(source, &context);
  if (!module)
    return;
  llvm::SmallVector<KernelOp> kernels;
  module->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
  CodegenOptions options;
  options.keepText = true;
  auto compiled = compileGPUKernels(kernels, *findChip(chipName), GPUBackend::PTX, options);
  if (failed(compiled))
    return;
  code = std::move(*compiled);
  text = code->assembly;
}

int PTXCompiler::count(const std::string &what) const {
  int found = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size()))
    ++found;
  return found;
}

std::pair<std::string, int> PTXCompiler::runAssemblers() const {
  llvm::SmallString<128> source, output;
  int file = -1;
  if (llvm::sys::fs::createTemporaryFile("kernel", "ptx", file, source) ||
      llvm::sys::fs::createTemporaryFile("kernel", "txt", output))
    return {"no temporary file", -1};
  const llvm::FileRemover removesSource(source), removesOutput(output);
  llvm::raw_fd_ostream(file, /*shouldClose=*/true) << text;
  const std::optional<llvm::StringRef> streams[] = {std::nullopt, llvm::StringRef(output), llvm::StringRef(output)};
  const int status = llvm::sys::ExecuteAndWait(MP_PYTHON, {MP_PYTHON, MP_PTXAS, source}, std::nullopt, streams);
  auto said = llvm::MemoryBuffer::getFile(output);
  return {said ? (*said)->getBuffer().str() : "", status};
}

std::string PTXCompiler::assemble() const {
  const auto [words, status] = runAssemblers();
  return status != 0 ? words + "\nexit status " + std::to_string(status) : "";
}

std::optional<int64_t> PTXCompiler::spilledBytes() const {
  const std::string words = runAssemblers().first;
  std::optional<int64_t> most;
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(words).split(parts, "spilled=");
  for (llvm::StringRef part : llvm::drop_begin(parts)) {
    int64_t bytes = 0;
    if (part.consumeInteger(10, bytes))
      return std::nullopt;
    most = std::max(most.value_or(0), bytes);
  }
  return most;
}
