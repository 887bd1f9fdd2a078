// How far ops of a training step are apart under two policies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Inspect/OpDifferences.h"

#include "Inspect/SameOps.h"

#include "mp/IR/Program.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace mp;

/// Sets `largest` and `relative`.
static void compare(const HostTensor &own, const HostTensor &other, OpDifference &difference) {
  double distance = 0;
  bool isApart = own.count() != other.count();
  for (uint64_t i = 0; i < std::min(own.count(), other.count()); ++i) {
    const double a = elementAt(own, i), b = elementAt(other, i);
    if (std::isfinite(a))
      difference.largest = std::max(difference.largest, std::abs(a));
    if (a == b || (std::isnan(a) && std::isnan(b)))
      continue;
    isApart |= !std::isfinite(a) || !std::isfinite(b);
    distance = std::max(distance, std::abs(a - b));
  }
  difference.relative = isApart ? INFINITY : distance == 0 ? 0 : distance / difference.largest;
}

static std::string elementTextOf(Value value) {
  std::string text;
  llvm::raw_string_ostream(text) << elementOf(value);
  return text;
}

/// Results that both programs have, in the order of the first.
static std::vector<std::pair<Value, Value>> pairResults(func::FuncOp own, func::FuncOp other) {
  const SameOps ops(own), others(other);
  std::vector<std::pair<Value, Value>> pairs;
  for (Value value : floatResults(own)) {
    auto result = cast<OpResult>(value);
    Operation *same = others.find(ops.keyOf(result.getOwner()));
    if (!same || same->getNumResults() != result.getOwner()->getNumResults())
      continue;
    Value twin = same->getResult(result.getResultNumber());
    if (isa<FloatType>(getElementTypeOrSelf(twin.getType())))
      pairs.emplace_back(value, twin);
  }
  return pairs;
}

/// Adds the differences of one program's run.
static Status compareRuns(const StepPrograms &step, const StepRun &run, const StepPrograms &other,
                          const StepRun &otherRun, std::vector<OpDifference> &differences) {
  const auto pairs = pairResults(run.program, otherRun.program);
  const SmallVector<Value> own = llvm::to_vector_of<Value>(llvm::make_first_range(pairs));
  const SmallVector<Value> twins = llvm::to_vector_of<Value>(llvm::make_second_range(pairs));
  size_t done = 0;
  for (ArrayRef<Value> piece : inPieces(own)) {
    std::vector<HostTensor> tensors;
    if (Status computed = step.compute(run, piece, [&](Value, const HostTensor &tensor) { tensors.push_back(tensor); });
        !computed.ok())
      return computed;
    size_t index = 0;
    Status computed =
        other.compute(otherRun, ArrayRef(twins).slice(done, piece.size()), [&](Value twin, const HostTensor &tensor) {
          Value value = piece[index];
          Operation *op = value.getDefiningOp();
          OpDifference &difference = differences.emplace_back(
              OpDifference{value.getLoc(), describeRun(run), op->getName().getStringRef().str(), partOf(op),
                           elementTextOf(value), elementTextOf(twin)});
          compare(tensors[index++], tensor, difference);
        });
    if (!computed.ok())
      return computed;
    done += piece.size();
  }
  return Status::success();
}

ErrorOr<std::vector<OpDifference>> mp::compareOps(const StepPrograms &step, const StepPrograms &other,
                                                  const StepInputs &inputs) {
  std::vector<OpDifference> differences;
  Status seen = step.forEachRun(inputs, [&](const StepRun &run) -> ErrorOr<bool> {
    Status inner = other.forEachRun(inputs, [&](const StepRun &otherRun) -> ErrorOr<bool> {
      if (!isSameRun(run, otherRun))
        return true;
      Status compared = compareRuns(step, run, other, otherRun, differences);
      return compared.ok() ? ErrorOr<bool>(false) : ErrorOr<bool>(compared);
    });
    return inner.ok() ? ErrorOr<bool>(true) : ErrorOr<bool>(inner);
  });
  if (!seen.ok())
    return seen;
  return differences;
}
