// Compiles a kernel's text and runs it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/KernelRunner.h"
#include "AMX/EmulatedTiles.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

using namespace mp;
using namespace mp::test;

std::string mp::test::mapText(const std::vector<std::string> &inputs, const std::vector<std::string> &results,
                              const std::string &body, const std::string &yields, const std::string &schedule) {
  std::string arguments, bindings, inputTypes, resultTypes, returned;
  for (size_t index = 0; index < inputs.size(); ++index) {
    const std::string number = std::to_string(index), comma = index ? ", " : "";
    arguments += comma + "%i" + number + ": " + inputs[index];
    bindings += comma + "%a" + number + " = %i" + number;
    inputTypes += comma + inputs[index];
  }
  for (size_t index = 0; index < results.size(); ++index) {
    resultTypes += (index ? ", " : "") + results[index];
    returned += (index ? ", %z#" : "%z#") + std::to_string(index);
  }
  return "func.func @f(" + arguments + ") -> (" + resultTypes + ") {\n%z:" + std::to_string(results.size()) +
         " = mp.kernel \"k\" (" + bindings + ") schedule(#mp.map<" + schedule + ">) : (" + inputTypes + ") -> (" +
         resultTypes + ") {\n" + body + "mp.yield " + yields + " : " + resultTypes + "\n}\nreturn " + returned + " : " +
         resultTypes + "\n}\n";
}

static mlir::MLIRContext &context() {
  static auto *shared = [] {
    auto *created = new mlir::MLIRContext;
    created->loadDialect<MPDialect, mlir::func::FuncDialect>();
    return created;
  }();
  return *shared;
}

static int64_t bytesOf(mlir::RankedTensorType type) {
  return type.getNumElements() * std::max(1u, type.getElementTypeBitWidth() / 8);
}

/// The file stays open while the library is loaded: dlopen knows a library by its name, and so by the file's number.
static void *loadLibrary(const std::vector<std::byte> &bytes, int &file) {
  file = memfd_create("kernels", MFD_CLOEXEC);
  if (file < 0 || write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
    return nullptr;
  return dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
}

KernelRunner::KernelRunner(const std::string &text, const CPULevel &target, bool keepText) {
  mlir::ScopedDiagnosticHandler handler(&context(), [&](mlir::Diagnostic &diagnostic) {
    errors += diagnostic.str() + "\n";
    for (mlir::Diagnostic &note : diagnostic.getNotes())
      errors += note.str() + "\n";
    return mlir::success();
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context());
  if (!module)
    return;
  std::vector<KernelOp> kernels;
  module->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
  mlir::FailureOr<CompiledCode> compiled = compileKernels(kernels, target, {keepText});
  if (mlir::failed(compiled))
    return;
  code = std::move(*compiled);
  for (mlir::Type type : kernels.front()->getResultTypes())
    resultBytes.push_back(bytesOf(mlir::cast<mlir::RankedTensorType>(type)));
  auto isThere = [](std::string_view feature) {
    return std::ranges::count(hostFeatures(), feature) > 0 || EmulatedTiles::provides(feature);
  };
  if (!std::ranges::all_of(target.features, isThere))
    return;
  library = loadLibrary(code->library, file);
  if (!library)
    errors += dlerror();
  else
    function = reinterpret_cast<Function>(dlsym(library, code->kernels.front().symbol.c_str()));
}

KernelRunner::~KernelRunner() {
  if (library)
    dlclose(library);
  if (file >= 0)
    close(file);
}

/// Bytes on both sides of a buffer that no kernel may touch.
static constexpr size_t kMargin = 64;
static constexpr std::byte kUntouched{0xA5};

std::vector<Buffer> KernelRunner::run(const std::vector<Buffer> &inputs, bool backwards,
                                      std::optional<size_t> inPlace) const {
  EXPECT_NE(function, nullptr) << errors;
  if (!function)
    return {};
  std::vector<std::unique_ptr<std::byte, decltype(&std::free)>> memory;
  std::vector<size_t> sizes;
  std::vector<void *> buffers;
  auto add = [&](size_t bytes, const std::byte *content) {
    const size_t whole = (bytes + 2 * kMargin + 63) / 64 * 64;
    memory.emplace_back(static_cast<std::byte *>(std::aligned_alloc(64, whole)), &std::free);
    std::fill_n(memory.back().get(), whole, kUntouched);
    if (content)
      std::memcpy(memory.back().get() + kMargin, content, bytes);
    buffers.push_back(memory.back().get() + kMargin);
    sizes.push_back(bytes);
  };
  for (const Buffer &input : inputs)
    add(input.bytes.size(), input.bytes.data());
  for (int64_t bytes : resultBytes)
    add(bytes, nullptr);
  if (inPlace)
    buffers[inputs.size()] = buffers[*inPlace];
  const CompiledKernel &kernel = code->kernels.front();
  // What a block finds there is NaN in every type.
  const std::vector<std::byte> notANumber(kernel.scratchBytes, std::byte{0xFF});
  if (kernel.scratchBytes > 0)
    add(kernel.scratchBytes, notANumber.data());

  for (int64_t block = 0; block < kernel.grid; ++block)
    function(buffers.data(), backwards ? kernel.grid - 1 - block : block);

  std::vector<Buffer> results;
  for (size_t index = 0; index < buffers.size(); ++index) {
    const auto *bytes = static_cast<const std::byte *>(buffers[index]);
    for (size_t at = 1; at <= kMargin; ++at) {
      EXPECT_EQ(bytes[-static_cast<ptrdiff_t>(at)], kUntouched) << "before buffer " << index;
      EXPECT_EQ(bytes[sizes[index] + at - 1], kUntouched) << "behind buffer " << index;
    }
    if (index < inputs.size() && index != inPlace)
      EXPECT_EQ(std::memcmp(bytes, inputs[index].bytes.data(), sizes[index]), 0) << "input " << index << " changed";
    else if (index >= inputs.size() && index < inputs.size() + resultBytes.size())
      results.push_back({std::vector<std::byte>(bytes, bytes + sizes[index])});
  }
  return results;
}
