// A kernel as a function of a CPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/CPU/CPUFunction.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mp;

CPUFunction::CPUFunction(KernelOp kernel, StringRef symbol, const CPULevel &target)
    : KernelFunction(kernel), target(target) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto function = func::FuncOp::create(b, symbol, b.getFunctionType({pointer, b.getI64Type()}, {}));
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  func::ReturnOp::create(b);
  b.setInsertionPointToStart(entry);
  buffers = entry->getArgument(0);
  block = entry->getArgument(1);
  for (unsigned index = 0; index < kernel.getInputs().size(); ++index)
    inputs.push_back(entryPointer(index));
  for (unsigned index = 0; index < kernel.getNumResults(); ++index)
    results.push_back(entryPointer(inputs.size() + index));
}

Value CPUFunction::entryPointer(unsigned index) {
  Type pointer = buffers.getType();
  Value address = LLVM::GEPOp::create(b, pointer, pointer, buffers, ArrayRef<LLVM::GEPArg>{int32_t(index)});
  return LLVM::LoadOp::create(b, pointer, address, 8);
}

Value CPUFunction::allocate(int64_t bytes) {
  if (!scratch) {
    // Whoever asks first may be in a branch.
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&b.getInsertionBlock()->getParent()->getParentOfType<func::FuncOp>().getBody().front());
    scratch = entryPointer(inputs.size() + results.size());
  }
  Value address = offset(scratch, b.getI8Type(), scratchBytes);
  scratchBytes += llvm::alignTo(bytes, 64);
  return address;
}

Value CPUFunction::allocate(Type element, int64_t elements) { return allocate(elements * memoryBytes(element)); }

void CPUFunction::finishStoresPastCaches() {
  LLVM::CallIntrinsicOp::create(b, b.getStringAttr("llvm.x86.sse.sfence"), ValueRange());
}
