// Kernels that a skipped step need not run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The results of an optimizer are next values that have their old bits on a skipped step. Where all of them lie over
// the old values a kernel may as well write nothing then. So it may where a result is the copy of a next value in
// derived state: what lies there is the copy of the old value.

#include "Kernels/Memory/Guards.h"

#include "Kernels/Forming/KernelKind.h"
#include "Kernels/Memory/Buffers.h"
#include "mp/IR/Program.h"

using namespace mlir;
using namespace mp;

namespace {

/// A value that a kernel guards, by block arguments of the kernel.
struct Guarded {
  BlockArgument guard, old;
};

} // namespace

static std::optional<Guarded> findGuarded(Value value) {
  auto result = dyn_cast<OpResult>(value);
  auto op = result ? dyn_cast<GuardedOpInterface>(result.getOwner()) : GuardedOpInterface();
  if (!op)
    return std::nullopt;
  auto guard = dyn_cast_if_present<BlockArgument>(op.getGuard());
  auto old = dyn_cast_if_present<BlockArgument>(op.getOldValue(result.getResultNumber()));
  return guard && old ? std::optional(Guarded{guard, old}) : std::nullopt;
}

GuardFinder::GuardFinder(func::FuncOp func) : func(func) {
  auto note = [&](DerivedAttr derived) {
    if (derived)
      derivedStates[derived.getStateName()] = derived;
  };
  for (unsigned index = 0; index < func.getNumArguments(); ++index)
    note(getDerivedArgument(func, index));
  for (unsigned index = 0; index < func.getNumResults(); ++index)
    note(getDerivedResult(func, index));
}

std::optional<unsigned> GuardFinder::find(KernelOp kernel) const {
  if (getKernelKind(kernel) != KernelKind::Map)
    return std::nullopt;
  std::optional<unsigned> found;
  Operation *yield = kernel.getBody().front().getTerminator();
  for (auto [result, value] : llvm::zip_equal(kernel.getResults(), yield->getOperands())) {
    auto buffer = dyn_cast<StateBufferAttr>(getBuffer(result));
    DerivedAttr derived = buffer ? derivedStates.lookup(buffer.getState()) : DerivedAttr();
    // Of derived state, the value that it is a copy of, packed or not.
    auto pack = value.getDefiningOp<PackOp>();
    auto copy = derived ? (pack ? pack.getInput() : value).getDefiningOp<CastOp>() : CastOp();
    std::optional<Guarded> guarded = findGuarded(copy ? copy.getInput() : value);
    if (!buffer || !guarded || (found && *found != guarded->guard.getArgNumber()))
      return std::nullopt;
    StringAttr old = getStateName(func, kernel.getInputs()[guarded->old.getArgNumber()]);
    if (!old || old != (derived ? derived.getOf() : buffer.getState()) || bool(copy) != bool(derived))
      return std::nullopt;
    found = guarded->guard.getArgNumber();
  }
  return found;
}
