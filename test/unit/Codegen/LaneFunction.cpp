// Compiles what an elementary function's builder builds.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/LaneFunction.h"

#include "Codegen/Lower/Native/Native.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/OwningOpRef.h"
#include <gtest/gtest.h>

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace mp;
using namespace mp::test;

static mlir::MLIRContext &context() {
  static auto *shared = [] {
    auto *created = new mlir::MLIRContext;
    loadEmittedDialects(created);
    return created;
  }();
  return *shared;
}

/// void f(const float *input, float *output), for one vector.
static mlir::OwningOpRef<mlir::ModuleOp> buildModule(LaneFunction::Builder builder, int64_t width) {
  LaneBuilder b(mlir::UnknownLoc::get(&context()), &context());
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(b.getLoc());
  b.setInsertionPointToStart(module->getBody());
  mlir::Type pointer = mlir::LLVM::LLVMPointerType::get(&context());
  auto function = mlir::func::FuncOp::create(b, "f", b.getFunctionType({pointer, pointer}, {}));
  b.setInsertionPointToStart(function.addEntryBlock());
  mlir::Type type = withLanes(b.getF32Type(), width);
  mlir::Value x = mlir::LLVM::LoadOp::create(b, type, function.getArgument(0), /*alignment=*/4);
  mlir::LLVM::StoreOp::create(b, builder(b, x), function.getArgument(1), /*alignment=*/4);
  mlir::func::ReturnOp::create(b);
  return module;
}

LaneFunction::LaneFunction(Builder builder, int64_t width, const CPULevel &target) : width(width) {
  mlir::OwningOpRef<mlir::ModuleOp> module = buildModule(builder, width);
  if (failed(lowerToLLVM(*module, nativeArithmetic(target))))
    return;
  std::unique_ptr<TranslatedModule> translated = translateToLLVMIR(*module, "f");
  if (!translated)
    return;
  llvm::Expected<KernelCode> code = compileNative(*translated, target, /*keepText=*/false);
  if (!code) {
    ADD_FAILURE() << llvm::toString(code.takeError());
    return;
  }
  llvm::Expected<std::vector<std::byte>> linked = linkNative({code->code}, target);
  if (!linked) {
    ADD_FAILURE() << llvm::toString(linked.takeError());
    return;
  }
  // The file stays open while the library is loaded: dlopen knows a library by its name, and so by the file's number.
  file = memfd_create("function", MFD_CLOEXEC);
  if (write(file, linked->data(), linked->size()) == static_cast<ssize_t>(linked->size()))
    library = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library)
    function = reinterpret_cast<Function>(dlsym(library, "f"));
}

LaneFunction::~LaneFunction() {
  if (library)
    dlclose(library);
  if (file >= 0)
    close(file);
}

std::vector<float> LaneFunction::operator()(const std::vector<float> &inputs) const {
  EXPECT_NE(function, nullptr);
  EXPECT_EQ(inputs.size() % width, 0u);
  std::vector<float> outputs(inputs.size());
  if (function)
    for (size_t at = 0; at < inputs.size(); at += width)
      function(inputs.data() + at, outputs.data() + at);
  return outputs;
}
