// Give each value its buffer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Kernels/Passes.h"

#include "Kernels/Memory/Buffers.h"
#include "Kernels/Memory/Guards.h"
#include "mlir/IR/Remarks.h"
#include "mp/Analysis/CostModel.h"
#include "mp/IR/Program.h"
#include "mp/IR/Views.h"
#include "mp/Kernels/Memory/Arena.h"

namespace mp {
#define GEN_PASS_DEF_PLANBUFFERSPASS
#include "mp/Kernels/Passes.h.inc"
} // namespace mp

using namespace mlir;
using namespace mp;

namespace {

/// Plans one function. A step is a kernel, by its number; the copies at the end are one step more.
class BufferPlanner {
public:
  explicit BufferPlanner(func::FuncOp func)
      : func(func), terminator(func.getBody().front().getTerminator()), kernels(func.getOps<KernelOp>()) {}

  /// The bytes of the arena.
  int64_t plan() {
    findLastReads();
    assignResults();
    addCopies();
    assignArena();
    setGuards();
    return arenaBytes;
  }

private:
  unsigned finalStep() const { return kernels.size(); }

  void findLastReads() {
    for (auto [step, kernel] : llvm::enumerate(kernels))
      for (Value input : kernel.getInputs())
        lastRead[getBase(input)] = step;
  }

  /// Puts kernel results that the program returns where the caller wants them, if nothing stands in the way.
  void assignResults() {
    // A result that is an argument is read by the copies at the end.
    for (Value returned : terminator->getOperands())
      if (isa<BlockArgument>(getBase(returned)))
        lastRead[getBase(returned)] = finalStep();
    DenseMap<KernelOp, unsigned> stepOf;
    for (auto [step, kernel] : llvm::enumerate(kernels))
      stepOf[kernel] = step;
    for (OpOperand &returned : terminator->getOpOperands()) {
      Value value = getBase(returned.get());
      auto kernel = value.getDefiningOp<KernelOp>();
      Attribute wanted = getResultBuffer(func, returned.getOperandNumber());
      if (!kernel || buffers.contains(value) || taken.contains(wanted))
        continue;
      if (auto state = dyn_cast<StateBufferAttr>(wanted);
          state && !canWrite(kernel, stepOf[kernel], value, state.getState()))
        continue;
      buffers[value] = wanted;
      taken.insert(wanted);
    }
  }

  /// Whether `kernel` may put `value` over the old value of `state`.
  bool canWrite(KernelOp kernel, unsigned step, Value value, StringAttr state) {
    BlockArgument old = findState(func, state);
    if (!old)
      return true;
    auto read = lastRead.find(old);
    if (read == lastRead.end() || read->second < step)
      return true;
    if (read->second > step)
      return false;
    return llvm::all_of(llvm::enumerate(kernel.getInputs()), [&](auto input) {
      return getBase(input.value()) != old ||
             canUpdateInPlace(kernel, input.index(), cast<OpResult>(value).getResultNumber());
    });
  }

  /// Copies what does not lie where the caller wants it: first what reads arguments, since the copies after that may
  /// overwrite state.
  void addCopies() {
    SmallVector<OpOperand *> fromArguments, others;
    for (OpOperand &returned : terminator->getOpOperands()) {
      Value value = getBase(returned.get());
      Attribute wanted = getResultBuffer(func, returned.getOperandNumber());
      if (StringAttr state = getStateName(func, value))
        if (wanted == StateBufferAttr::get(func.getContext(), state))
          continue; // state that stays as it is
      if (auto known = buffers.find(value); known != buffers.end() && known->second == wanted)
        continue;
      (isa<BlockArgument>(value) ? fromArguments : others).push_back(&returned);
    }

    OpBuilder builder(terminator);
    auto copy = [&](OpOperand *returned, Attribute buffer) {
      returned->set(
          CopyOp::create(builder, returned->get().getLoc(), returned->get().getType(), returned->get(), buffer));
    };
    for (OpOperand *returned : fromArguments) {
      Attribute wanted = getResultBuffer(func, returned->getOperandNumber());
      // A state may be copied over one that is yet to be copied: all are set aside before any is overwritten.
      if (isa<StateBufferAttr>(wanted)) {
        others.push_back(returned);
        copy(returned, ArenaBufferAttr::get(func.getContext(), 0)); // the offset follows
        arenaCopies.push_back(returned->get().getDefiningOp<CopyOp>());
        continue;
      }
      copy(returned, wanted);
    }
    for (OpOperand *returned : others) {
      lastRead[getBase(returned->get())] = finalStep();
      copy(returned, getResultBuffer(func, returned->getOperandNumber()));
    }
  }

  void assignArena() {
    SmallVector<Value> values;
    SmallVector<Lifetime> lifetimes;
    for (auto [step, kernel] : llvm::enumerate(kernels))
      for (Value result : kernel.getResults()) {
        if (buffers.contains(result))
          continue;
        auto read = lastRead.find(result);
        unsigned end = read == lastRead.end() ? step : read->second;
        values.push_back(result);
        lifetimes.push_back({countBytes(result.getType()), static_cast<unsigned>(step), end});
      }
    for (CopyOp copy : arenaCopies)
      lifetimes.push_back({countBytes(copy.getType()), finalStep(), finalStep()});

    ArenaPlan plan = planArena(lifetimes);
    arenaBytes = plan.bytes;
    for (auto [value, offset] : llvm::zip(values, plan.offsets))
      buffers[value] = ArenaBufferAttr::get(func.getContext(), offset);
    for (auto [copy, offset] : llvm::zip(arenaCopies, ArrayRef(plan.offsets).drop_front(values.size())))
      copy.setBufferAttr(ArenaBufferAttr::get(func.getContext(), offset));
    for (KernelOp kernel : kernels) {
      SmallVector<Attribute> own =
          llvm::map_to_vector(kernel.getResults(), [&](Value result) { return buffers.lookup(result); });
      kernel.setBuffersAttr(ArrayAttr::get(func.getContext(), own));
    }
  }

  /// What is updated in place stays as it is where the kernel does nothing.
  void setGuards() {
    GuardFinder guards(func);
    for (KernelOp kernel : kernels)
      if (std::optional<unsigned> input = guards.find(kernel))
        kernel.setGuard(*input);
  }

  func::FuncOp func;
  Operation *terminator;
  SmallVector<KernelOp> kernels;
  DenseMap<Value, unsigned> lastRead;
  DenseMap<Value, Attribute> buffers;
  DenseSet<Attribute> taken;
  SmallVector<CopyOp> arenaCopies;
  int64_t arenaBytes = 0;
};

struct PlanBuffersPass : mp::impl::PlanBuffersPassBase<PlanBuffersPass> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isExternal())
      return;
    for (Operation &op : func.getBody().front().without_terminator())
      if (!isa<KernelOp>(op) && !isData(&op) && !isView(&op)) {
        op.emitError("has no buffer outside of a kernel; run mp-form-kernels first");
        return signalPassFailure();
      }
    int64_t arena = BufferPlanner(func).plan(), state = countStateBytes(func);
    remark::analysis(func.getLoc(), remark::RemarkOpts::name("Summary").category("mp-plan-buffers"))
        << remark::metric("arena_bytes", arena) << remark::metric("state_bytes", state)
        << remark::metric("peak_bytes", arena + state);
  }
};

} // namespace
