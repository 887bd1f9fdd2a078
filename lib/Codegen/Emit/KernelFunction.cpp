// The function that an emitter fills.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Emit/KernelFunction.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mp;

KernelFunction::KernelFunction(KernelOp kernel)
    : kernel(kernel), module(ModuleOp::create(kernel.getLoc())),
      b(kernel.getLoc(), OpBuilder::atBlockEnd(module->getBody())) {}

void KernelFunction::bindInputs(Elements &elements) {
  for (auto [argument, pointer] : llvm::zip_equal(body().getArguments(), inputs))
    elements.bindMemory(argument, pointer);
  if (isUnskipped)
    elements.bindUniform(body().getArgument(*kernel.getGuard()), intConstant(b, b.getI32Type(), -1));
}

FailureOr<SmallVector<KernelFunction::ComputedResult>>
KernelFunction::computeResults(Elements &elements, ArrayRef<unsigned> numbers, ArrayRef<Lanes> lanes) {
  SmallVector<ComputedResult> computed;
  for (const Lanes &here : lanes)
    for (unsigned number : numbers) {
      FailureOr<Value> value = elements.at(yields()[number], here);
      if (failed(value))
        return failure();
      computed.push_back({number, here, *value});
    }
  return computed;
}

void KernelFunction::storeComputed(Elements &elements, ArrayRef<ComputedResult> computed) {
  for (const ComputedResult &one : computed)
    elements.store(one.value, elementOf(yields()[one.number]), result(one.number), one.here);
}

LogicalResult KernelFunction::storeResults(Elements &elements, ArrayRef<unsigned> numbers, ArrayRef<Lanes> lanes,
                                           function_ref<LogicalResult()> onRead) {
  FailureOr<SmallVector<ComputedResult>> computed = computeResults(elements, numbers, lanes);
  if (failed(computed) || (onRead && failed(onRead())))
    return failure();
  storeComputed(elements, *computed);
  return success();
}

Value KernelFunction::offset(Value pointer, Type type, Value index) {
  return LLVM::GEPOp::create(b, pointer.getType(), type, pointer, ValueRange{index});
}

LogicalResult KernelFunction::forEach(Value from, Value to, int64_t step, function_ref<LogicalResult(Value)> body) {
  auto loop = scf::ForOp::create(b, from, to, intConstant(b, from.getType(), step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  return body(loop.getInductionVar());
}

static LLVM::LoopAnnotationAttr noUnroll(Builder &b) {
  auto unroll = LLVM::LoopUnrollAttr::get(b.getContext(), /*disable=*/b.getBoolAttr(true), /*count=*/{},
                                          /*runtimeDisable=*/{}, /*full=*/{}, /*followupUnrolled=*/{},
                                          /*followupRemainder=*/{}, /*followupAll=*/{});
  return LLVM::LoopAnnotationAttr::get(b.getContext(), {}, {}, {}, unroll, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});
}

FailureOr<SmallVector<Value>>
KernelFunction::forEach(Value from, Value to, int64_t step, ValueRange init,
                        function_ref<FailureOr<SmallVector<Value>>(Value, ValueRange)> body, bool staysRolled) {
  auto loop = scf::ForOp::create(b, from, to, intConstant(b, from.getType(), step), init);
  if (staysRolled)
    loop->setAttr("loop_annotation", noUnroll(b)); // the name that the llvm.br it becomes knows it by
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

LogicalResult KernelFunction::either(Value condition, function_ref<LogicalResult()> then,
                                     function_ref<LogicalResult()> otherwise) {
  auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  if (failed(then()))
    return failure();
  b.setInsertionPointToStart(branch.elseBlock());
  return otherwise();
}

FailureOr<SmallVector<Value>> KernelFunction::when(Value condition, ValueRange otherwise,
                                                   function_ref<FailureOr<SmallVector<Value>>()> then) {
  auto branch = scf::IfOp::create(b, otherwise.getTypes(), condition, /*addThenBlock=*/true,
                                  /*addElseBlock=*/!otherwise.empty());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  FailureOr<SmallVector<Value>> values = then();
  if (failed(values))
    return failure();
  scf::YieldOp::create(b, *values);
  if (!otherwise.empty()) {
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, otherwise);
  }
  return SmallVector<Value>(branch.getResults());
}

FailureOr<int64_t> KernelFunction::unlessSkipped(function_ref<FailureOr<int64_t>()> emit) {
  FailureOr<int64_t> blocks = failure();
  LogicalResult done = unlessSkipped(readGuard(), [&] {
    blocks = emit();
    return success(succeeded(blocks));
  });
  if (failed(done))
    return failure();
  return blocks;
}

Value KernelFunction::readGuard() {
  std::optional<uint64_t> guard = kernel.getGuard();
  return guard ? LLVM::LoadOp::create(b, b.getI32Type(), input(*guard), 4) : Value();
}

LogicalResult KernelFunction::unlessSkipped(Value guard, function_ref<LogicalResult()> emit) {
  if (!guard)
    return emit();
  Value isGood = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, guard, intConstant(b, b.getI32Type(), 0));
  isUnskipped = true;
  LogicalResult done = when(isGood, emit);
  isUnskipped = false;
  return done;
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
