// Check that a program is kernels only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Kernels/Passes.h"

#include "Kernels/Forming/KernelKind.h"
#include "Kernels/Memory/Buffers.h"
#include "Kernels/Memory/Guards.h"
#include "mp/Analysis/CostModel.h"
#include "mp/Analysis/ResultBlocks.h"
#include "mp/IR/Program.h"
#include "mp/IR/Views.h"

namespace mp {
#define GEN_PASS_DEF_VERIFYKERNELSPASS
#include "mp/Kernels/Passes.h.inc"
} // namespace mp

using namespace mlir;
using namespace mp;

/// Whether the kernel's products cut k as its schedule does.
static LogicalResult verifyParts(KernelOp kernel, MmaScheduleAttr schedule) {
  for (auto product : kernel.getBody().front().getOps<ContractionOpInterface>())
    if (const int64_t parts = product.getContraction().parts; parts != schedule.getSplitK())
      return product.emitOpError("has ") << parts << " parts of k and a schedule of " << schedule.getSplitK()
                                         << "; run mp-split-contractions first";
  return success();
}

static LogicalResult verifySchedule(KernelOp kernel) {
  if (!kernel.getSchedule())
    return kernel.emitOpError("has no schedule; run mp-schedule-kernels first");
  KernelKind has = kernel.getSchedule()->getKind(), needs = getKernelKind(kernel);
  // One block that runs op after op can compute everything but a contraction.
  if (has != needs && (has != KernelKind::Serial || needs == KernelKind::Contraction))
    return kernel.emitOpError("is a ") << stringifyKernelKind(needs) << " kernel with a " << stringifyKernelKind(has)
                                       << " schedule";
  if (auto ofGPU = dyn_cast<MmaScheduleAttr>(*kernel.getSchedule()))
    if (failed(verifyParts(kernel, ofGPU)))
      return failure();
  if (has == KernelKind::Contraction)
    return verifyResultBlocks(kernel);
  for (Operation &op : kernel.getBody().front())
    if (auto own = dyn_cast<KernelOpInterface>(op); own && own.getKernelRole() == KernelRole::Tile)
      return op.emitOpError("reduces the tiles of a product, of which its kernel has none");
  return success();
}

namespace {

/// Follows a planned program step by step and checks that nothing is written over a value that is still read.
class BufferVerifier {
public:
  explicit BufferVerifier(func::FuncOp func) : func(func) {}

  LogicalResult verify() {
    Block &block = func.getBody().front();
    for (auto [step, op] : llvm::enumerate(block))
      for (Value operand : op.getOperands())
        lastRead[getBase(operand)] = step;
    for (BlockArgument argument : block.getArguments())
      if (StringAttr state = getStateName(func, argument))
        add(argument, StateBufferAttr::get(func.getContext(), state));
    for (auto [step, op] : llvm::enumerate(block)) {
      if (isa<KernelOp, CopyOp>(op) && failed(verifyWrites(&op, step)))
        return failure();
      llvm::erase_if(live, [&, step = step](const Entry &entry) { return entry.lastRead <= step; });
    }
    return verifyReturn(block.getTerminator());
  }

private:
  struct Entry {
    Value value;
    Attribute buffer;
    int64_t bytes;
    size_t lastRead;
  };

  /// Whether the program takes the state, or only makes it anew, as derived state may be.
  bool hasState(StringAttr name) {
    return findState(func, name) || llvm::any_of(llvm::seq(func.getNumResults()),
                                                 [&](unsigned index) { return getNextState(func, index) == name; });
  }

  void add(Value value, Attribute buffer) {
    auto read = lastRead.find(value);
    if (read != lastRead.end())
      live.push_back({value, buffer, countBytes(value.getType()), read->second});
  }

  static bool overlap(const Entry &a, const Entry &b) {
    auto first = dyn_cast<ArenaBufferAttr>(a.buffer), second = dyn_cast<ArenaBufferAttr>(b.buffer);
    if (!first || !second)
      return a.buffer == b.buffer;
    return first.getOffset() < second.getOffset() + b.bytes && second.getOffset() < first.getOffset() + a.bytes;
  }

  /// Whether `op` may write `result` over `old`, which it reads and nothing after it does.
  static bool updates(Operation *op, Value result, const Entry &old, size_t step) {
    auto kernel = dyn_cast<KernelOp>(op);
    if (!kernel || old.lastRead != step)
      return false;
    return llvm::all_of(llvm::enumerate(kernel.getInputs()), [&](auto input) {
      return getBase(input.value()) != old.value ||
             canUpdateInPlace(kernel, input.index(), cast<OpResult>(result).getResultNumber());
    });
  }

  LogicalResult verifyWrites(Operation *op, size_t step) {
    SmallVector<Entry> written;
    for (Value result : op->getResults()) {
      Attribute buffer = getBuffer(result);
      if (!buffer)
        return op->emitOpError("has no buffers; run mp-plan-buffers first");
      if (auto state = dyn_cast<StateBufferAttr>(buffer); state && !hasState(state.getState()))
        return op->emitOpError("writes state '") << state.getState().getValue() << "', which the program does not have";
      if (auto index = dyn_cast<ResultBufferAttr>(buffer); index && index.getIndex() >= func.getNumResults())
        return op->emitOpError("writes result ")
               << index.getIndex() << " of a program that has " << func.getNumResults();
      Entry entry = {result, buffer, countBytes(result.getType()), 0};
      for (const Entry &other : written)
        if (overlap(entry, other))
          return op->emitOpError("writes two results to overlapping buffers, ")
                 << entry.buffer << " and " << other.buffer;
      for (const Entry &other : live)
        if (overlap(entry, other) && !updates(op, result, other, step))
          return op->emitOpError("writes to ")
                 << entry.buffer << " over a value that is still read, at " << other.buffer;
      written.push_back(entry);
    }
    for (const Entry &entry : written)
      add(entry.value, entry.buffer);
    return success();
  }

  LogicalResult verifyReturn(Operation *terminator) {
    for (OpOperand &returned : terminator->getOpOperands()) {
      Value value = getBase(returned.get());
      StringAttr state = getStateName(func, value);
      Attribute buffer = state ? Attribute(StateBufferAttr::get(func.getContext(), state)) : getBuffer(value);
      Attribute wanted = getResultBuffer(func, returned.getOperandNumber());
      if (buffer != wanted)
        return terminator->emitOpError("result #") << returned.getOperandNumber() << " does not lie in " << wanted;
    }
    return success();
  }

  func::FuncOp func;
  DenseMap<Value, size_t> lastRead;
  std::vector<Entry> live;
};

struct VerifyKernelsPass : mp::impl::VerifyKernelsPassBase<VerifyKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (!func.isExternal() && failed(verify(func)))
      signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  LogicalResult verify(func::FuncOp func) {
    if (!llvm::hasSingleElement(func.getBody()))
      return func.emitError("a program is one block");
    for (Operation &op : func.getBody().front().without_terminator()) {
      if (!isa<KernelOp, CopyOp>(op) && !isData(&op) && !isView(&op))
        return op.emitError("is outside of a kernel; run mp-form-kernels first");
      if (auto kernel = dyn_cast<KernelOp>(op); kernel && scheduled && failed(verifySchedule(kernel)))
        return failure();
    }
    if (!planned)
      return success();
    return failed(BufferVerifier(func).verify()) ? failure() : verifyGuards(func);
  }

  /// Before and after a kernel that did nothing every buffer holds what its result has.
  static LogicalResult verifyGuards(func::FuncOp func) {
    GuardFinder guards(func);
    for (KernelOp kernel : func.getOps<KernelOp>())
      if (std::optional<uint64_t> guard = kernel.getGuard(); guard && guards.find(kernel) != *guard)
        return kernel.emitOpError(
            "has a guard, but a result that is not the next value of a state over its old one, under the same guard");
    return success();
  }
};

} // namespace
