// A GPU function's text, run on the simulated device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/SIMT/NVVMRunner.h"

#include "Codegen/Lower/Native/Native.h"
#include "Devices/SIMT/SpacedBuffers.h"
#include "mp/Codegen/Build/Codegen.h"
#include "mp/Executable/Executable.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

using namespace mp;
using namespace mp::test;

std::string mp::test::kernelText(unsigned buffers, const std::string &body) {
  std::string parameters;
  for (unsigned index = 0; index < buffers; ++index)
    parameters += (index ? ", %b" : "%b") + std::to_string(index) + ": !llvm.ptr<1>";
  return "llvm.mlir.global external @mp_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : "
         "!llvm.array<0 x i8>\n"
         "llvm.func @k(" +
         parameters + ") attributes {nvvm.kernel, nvvm.maxntid = array<i32: 32, 1, 1>, nvvm.minctasm = 1 : i32} {\n" +
         body + "\nllvm.return\n}\n";
}

static mlir::MLIRContext &context() {
  static auto *shared = [] {
    mlir::DialectRegistry registry;
    registerCodegenDialects(registry);
    auto *created = new mlir::MLIRContext(registry);
    created->loadDialect<mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect>();
    return created;
  }();
  return *shared;
}

/// The shared object of a module.
static llvm::Expected<std::vector<std::byte>> compile(mlir::ModuleOp module) {
  std::unique_ptr<TranslatedModule> translated = translateToLLVMIR(module, "k");
  if (!translated)
    return llvm::createStringError("no LLVM IR");
  llvm::Expected<KernelCode> code = compileNative(*translated, simulatorLevel(), /*keepText=*/false);
  if (!code)
    return code.takeError();
  return linkNative(llvm::StringRef(code->code), simulatorLevel());
}

NVVMRunner::NVVMRunner(const std::string &text, SimulatorChecks checks) {
  mlir::ScopedDiagnosticHandler handler(&context(), [&](mlir::Diagnostic &diagnostic) {
    errors += diagnostic.str() + "\n";
    return mlir::success();
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context(), "kernel.mlir");
  if (!module || failed(lowerToSimulator(*module, checks)) || failed(module->verify()))
    return;
  llvm::raw_string_ostream(lowered) << *module;
  llvm::Expected<std::vector<std::byte>> object = compile(*module);
  if (!object) {
    errors += llvm::toString(object.takeError());
    return;
  }
  ErrorOr<std::unique_ptr<NativeLibrary>> loaded = NativeLibrary::load(*object);
  if (!loaded) {
    errors += loaded.status().message();
    return;
  }
  library = std::move(*loaded);
  kernel = reinterpret_cast<SimulatedKernel>(*library->find("k"));
  info = *reinterpret_cast<const uint32_t *>(*library->find(std::string("k") + kSimulatorInfoSuffix));
}

Status NVVMRunner::run(std::vector<GlobalBuffer> &buffers, const Geometry &geometry, const SIMTOptions &options,
                       const std::string &chip, unsigned hostThreads) const {
  if (!kernel)
    return makeError("no code: ", errors);
  std::vector<std::vector<uint8_t>> initialized;
  std::vector<FileBytes> memory;
  std::vector<void *> pointers;
  std::vector<SimulatedBuffer> described;
  for (GlobalBuffer &buffer : buffers) {
    memory.push_back(std::move(*FileBytes::allocate(buffer.bytes.size())));
    std::memcpy(memory.back().data(), buffer.bytes.data(), buffer.bytes.size());
    initialized.emplace_back(buffer.bytes.size(), uint8_t(buffer.isInitialized));
    pointers.push_back(memory.back().data());
    described.push_back({memory.back().data(), buffer.bytes.size(), buffer.isWritable, initialized.back().data()});
  }
  GridRunner runner(options, hostThreads);
  auto runOver = [&](std::span<void *const> addresses) {
    return runner.run({kernel, addresses, described, rulesOf(chip, options.arithmetic), geometry.grid, geometry.threads,
                       geometry.sharedBytes, geometry.cluster});
  };
  Status ran;
  if (options.bounds) {
    ErrorOr<SpacedBuffers> spaced = SpacedBuffers::make(described, pointers);
    if (!spaced)
      return spaced.status();
    ran = runOver(spaced->pointers());
    if (ran.ok())
      ran = spaced->checkMargins();
    spaced->copyBack();
  } else {
    ran = runOver(pointers);
  }
  for (size_t index = 0; index < buffers.size(); ++index)
    std::memcpy(buffers[index].bytes.data(), memory[index].data(), buffers[index].bytes.size());
  return ran;
}
