//===- KernelFunction.cpp - the function that an emitter fills ------------------------------------------===//

#include "Codegen/CPU/KernelFunction.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mp;

KernelFunction::KernelFunction(KernelOp kernel, StringRef symbol, const TargetInfo &target)
    : kernel(kernel), target(target), module(ModuleOp::create(kernel.getLoc())),
      b(kernel.getLoc(), OpBuilder::atBlockEnd(module->getBody())) {
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

Value KernelFunction::entryPointer(unsigned index) {
  Type pointer = buffers.getType();
  Value address = LLVM::GEPOp::create(b, pointer, pointer, buffers, ArrayRef<LLVM::GEPArg>{int32_t(index)});
  return LLVM::LoadOp::create(b, pointer, address, 8);
}

Value KernelFunction::allocate(int64_t bytes) {
  if (!scratch)
    scratch = entryPointer(inputs.size() + results.size());
  Value address = offset(scratch, b.getI8Type(), scratchBytes);
  scratchBytes += llvm::alignTo(bytes, 64);
  return address;
}

Value KernelFunction::allocate(Type element, int64_t elements) {
  return allocate(elements * std::max(1u, storedType(element).getIntOrFloatBitWidth() / 8));
}

void KernelFunction::bindInputs(Elements &elements) {
  for (auto [argument, pointer] : llvm::zip_equal(body().getArguments(), inputs))
    elements.bindMemory(argument, pointer);
}

Value KernelFunction::offset(Value pointer, Type type, Value index) {
  return LLVM::GEPOp::create(b, pointer.getType(), type, pointer, ValueRange{index});
}

LogicalResult KernelFunction::forEach(Value from, Value to, int64_t step, function_ref<LogicalResult(Value)> body) {
  auto loop = scf::ForOp::create(b, from, to, i64(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  return body(loop.getInductionVar());
}

FailureOr<SmallVector<Value>>
KernelFunction::forEach(Value from, Value to, int64_t step, ValueRange init,
                        function_ref<FailureOr<SmallVector<Value>>(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(b, from, to, i64(step), init);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  FailureOr<SmallVector<Value>> next = body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (failed(next))
    return failure();
  if (!init.empty())
    scf::YieldOp::create(b, *next);
  return SmallVector<Value>(loop.getResults());
}

LogicalResult KernelFunction::forLanes(Value from, Value to, int64_t width, bool hasRest,
                                       function_ref<LogicalResult(Value, int64_t)> body) {
  Value end = to;
  if (width > 1 && hasRest)
    end = add(from, mul(div(sub(to, from), width), width));
  if (width > 1 && failed(forEach(from, end, width, [&](Value column) { return body(column, width); })))
    return failure();
  if (width > 1 && !hasRest)
    return success();
  return forEach(width > 1 ? end : from, to, 1, [&](Value column) { return body(column, 1); });
}

LogicalResult KernelFunction::when(Value condition, function_ref<LogicalResult()> then) {
  auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  return then();
}

LogicalResult KernelFunction::forBlocks(int64_t first, int64_t count, bool isAll,
                                        function_ref<LogicalResult(Value)> body) {
  if (isAll)
    return body(block);
  // Blocks below `first` wrap around to numbers above every count.
  Value own = sub(block, i64(first));
  Value isOurs = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, own, i64(count));
  return when(isOurs, [&] { return body(own); });
}
