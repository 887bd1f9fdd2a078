// A kernel's text, run on the simulated device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Contraction/SimulatedKernel.h"

#include "mp/Executable/Executable.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <cstring>

using namespace mp;
using namespace mp::test;

static mlir::MLIRContext &context() {
  static auto *shared = [] {
    auto *created = new mlir::MLIRContext;
    created->loadDialect<MPDialect, mlir::func::FuncDialect>();
    created->printOpOnDiagnostic(false);
    return created;
  }();
  return *shared;
}

static size_t bytesOf(mlir::Type type) {
  auto tensor = mlir::cast<mlir::RankedTensorType>(type);
  return tensor.getNumElements() * std::max(1u, tensor.getElementTypeBitWidth() / 8);
}

KernelOnSimulator::KernelOnSimulator(const std::string &text, const std::string &chipName, bool reportAccesses)
    : chip(chipName) {
  mlir::ScopedDiagnosticHandler handler(&context(), [&](mlir::Diagnostic &diagnostic) {
    errors += diagnostic.str() + "\n";
    return mlir::success();
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context());
  if (!module)
    return;
  std::vector<KernelOp> kernels;
  module->walk([&](KernelOp op) { kernels.push_back(op); });
  CodegenOptions options;
  options.reportAccesses = reportAccesses;
  auto compiled = compileGPUKernels(kernels, *findChip(chip), GPUBackend::Simulator, options);
  if (mlir::failed(compiled))
    return;
  kernel = compiled->kernels.front();
  for (mlir::Type type : kernels.front()->getResultTypes())
    resultBytes.push_back(bytesOf(type));
  ErrorOr<std::unique_ptr<NativeLibrary>> loaded = NativeLibrary::load(compiled->library);
  if (!loaded) {
    errors += loaded.status().message();
    return;
  }
  library = std::move(*loaded);
  function = reinterpret_cast<SimulatedKernel>(*library->find(kernel.symbol.c_str()));
}

ErrorOr<std::vector<Bytes>> KernelOnSimulator::run(const std::vector<Bytes> &inputs, const SIMTOptions &options) const {
  std::vector<std::vector<uint8_t>> initialized;
  std::vector<FileBytes> memory;
  std::vector<void *> pointers;
  std::vector<SimulatedBuffer> described;
  auto add = [&](size_t bytes, const std::byte *content) {
    memory.push_back(std::move(*FileBytes::allocate(bytes)));
    if (content)
      std::memcpy(memory.back().data(), content, bytes);
    initialized.emplace_back(bytes, uint8_t(content != nullptr));
  };
  for (const Bytes &input : inputs)
    add(input.size(), input.data());
  for (size_t bytes : resultBytes)
    add(bytes, nullptr);
  for (size_t index = 0; index < memory.size(); ++index) {
    pointers.push_back(memory[index].data());
    described.push_back(
        {memory[index].data(), initialized[index].size(), index >= inputs.size(), initialized[index].data()});
  }

  GridRunner runner(options, /*threads=*/0);
  Status ran =
      runner.run({function, pointers, described, rulesOf(chip, options.arithmetic), static_cast<uint64_t>(kernel.grid),
                  static_cast<uint32_t>(kernel.threads), static_cast<uint32_t>(kernel.sharedBytes)});
  if (!ran.ok())
    return ran;
  std::vector<Bytes> results;
  for (size_t index = 0; index < resultBytes.size(); ++index) {
    const std::byte *data = memory[inputs.size() + index].data();
    results.emplace_back(data, data + resultBytes[index]);
  }
  return results;
}
