// Which part of a training step an op belongs to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Inspect/StepPrograms.h"

#include "mp/Base/Names.h"
#include "mp/IR/Program.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mp;

StringRef mp::stringifyStepPart(StepPart part) {
  switch (part) {
  case StepPart::Forward:
    return "forward";
  case StepPart::Backward:
    return "backward";
  case StepPart::Optimizer:
    return "optimizer";
  }
  llvm_unreachable("unknown part");
}

Operation *mp::findGradientCheck(func::FuncOp program) {
  std::optional<unsigned> bad = findResult(program, ResultRole::Log, logs::bad);
  return bad ? getReturn(program).getOperand(*bad).getDefiningOp() : nullptr;
}

enum class Direction { ToOperands, ToUsers };

/// Whether `is` holds for an op that is reached from `from`, which is one itself.
static bool reaches(Operation *from, Direction direction, llvm::function_ref<bool(Operation *)> is) {
  llvm::DenseSet<Operation *> seen;
  std::vector<Operation *> work = {from};
  while (!work.empty()) {
    Operation *next = work.back();
    work.pop_back();
    if (!next || !seen.insert(next).second)
      continue;
    if (is(next))
      return true;
    if (direction == Direction::ToUsers)
      llvm::append_range(work, next->getUsers());
    else
      for (Value operand : next->getOperands())
        work.push_back(operand.getDefiningOp());
  }
  return false;
}

StepPart mp::partOf(Operation *op) {
  auto program = op->getParentOfType<func::FuncOp>();
  if (std::optional<unsigned> loss = findResult(program, ResultRole::Loss)) {
    Operation *last = getReturn(program).getOperand(*loss).getDefiningOp();
    if (reaches(op, Direction::ToUsers, [&](Operation *next) { return next == last; }))
      return StepPart::Forward;
  }
  const Operation *check = findGradientCheck(program);
  const bool isUpdate = reaches(op, Direction::ToOperands,
                                [&](Operation *next) { return next == check || isa<GuardedOpInterface>(next); });
  return isUpdate ? StepPart::Optimizer : StepPart::Backward;
}
