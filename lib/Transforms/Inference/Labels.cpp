// Which inputs are labels, and of how many classes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Transforms/Inference/Labels.h"

#include "mp/IR/Program.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mp;

static SmallVector<func::FuncOp> programsOf(ModuleOp module) {
  return llvm::filter_to_vector(module.getOps<func::FuncOp>(),
                                [](func::FuncOp func) { return getProgramKind(func).has_value(); });
}

static SmallVector<BlockArgument> inputsOf(func::FuncOp program) {
  return llvm::filter_to_vector(program.getArguments(), [&](BlockArgument argument) {
    return getArgumentRole(program, argument.getArgNumber()) == ArgumentRole::Input;
  });
}

/// Adds the arguments that the outputs of `program` are computed from.
static void collectNeeded(func::FuncOp program, llvm::SmallPtrSetImpl<Value> &needed) {
  SmallVector<Value> pending;
  for (auto [index, value] : llvm::enumerate(getReturn(program).getOperands()))
    if (getResultRole(program, index) == ResultRole::Output)
      pending.push_back(value);
  llvm::SmallPtrSet<Operation *, 32> seen;
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op)
      needed.insert(value);
    else if (seen.insert(op).second)
      op->walk([&](Operation *inner) { llvm::append_range(pending, inner->getOperands()); });
  }
}

static llvm::StringSet<> findLabels(ArrayRef<func::FuncOp> programs) {
  llvm::StringSet<> labels;
  for (func::FuncOp program : programs) {
    if (!findResult(program, ResultRole::Output))
      continue;
    llvm::SmallPtrSet<Value, 8> needed;
    collectNeeded(program, needed);
    for (BlockArgument input : inputsOf(program))
      if (!needed.contains(input))
        labels.insert(getArgumentName(program, input.getArgNumber()));
  }
  return labels;
}

/// The argument that `value` is a cast or a view of, or null.
static BlockArgument findSource(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<CastOp, ReshapeOp>(op))
      return {};
    value = op->getOperand(0);
  }
  return cast<BlockArgument>(value);
}

namespace {
struct Classes {
  int64_t count;
  std::optional<int64_t> ignored; // by all that read them
};
} // namespace

/// What is below a number wherever it is read so: labels of a loss, indices of a gather.
static llvm::StringMap<Classes> findClasses(ArrayRef<func::FuncOp> programs) {
  llvm::StringMap<Classes> classes;
  for (func::FuncOp program : programs) {
    auto bound = [&](Value value, int64_t count, std::optional<int64_t> ignored) {
      BlockArgument source = findSource(value);
      if (!source || source.getOwner() != &program.getBody().front() || count <= 0)
        return;
      Classes own{count, ignored};
      Classes &known = classes.try_emplace(getArgumentName(program, source.getArgNumber()), own).first->second;
      known = {std::min(known.count, count), known.ignored == ignored ? ignored : std::nullopt};
    };
    program.walk([&](LabelsOpInterface op) { bound(op.getLabels(), op.getClassCount(), op.getIgnoredLabel()); });
    auto boundIndices = [&](auto op) {
      bound(op.getIndices(), op.getInput().getType().getDimSize(op.getDimension()), std::nullopt);
    };
    program.walk([&](GatherOp op) { boundIndices(op); });
    program.walk([&](GatherElementsOp op) { boundIndices(op); });
  }
  return classes;
}

void mp::markLabels(ModuleOp module) {
  Builder builder(module.getContext());
  const SmallVector<func::FuncOp> programs = programsOf(module);
  const llvm::StringSet<> labels = findLabels(programs);
  const llvm::StringMap<Classes> classes = findClasses(programs);
  for (func::FuncOp program : programs)
    for (BlockArgument input : inputsOf(program)) {
      const unsigned index = input.getArgNumber();
      const StringRef name = getArgumentName(program, index);
      if (labels.contains(name))
        program.setArgAttr(index, names::label, builder.getUnitAttr());
      auto found = classes.find(name);
      if (found == classes.end())
        continue;
      program.setArgAttr(index, names::classes, builder.getI64IntegerAttr(found->second.count));
      if (std::optional<int64_t> ignored = found->second.ignored)
        program.setArgAttr(index, names::ignoredLabel, builder.getI64IntegerAttr(*ignored));
    }
}
