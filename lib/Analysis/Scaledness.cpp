// Which values carry the loss scale.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Analysis/Scaledness.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mp/IR/Program.h"

using namespace mlir;
using namespace mp;

// The lattice

Scaledness Scaledness::join(Scaledness other) const {
  if (isZero() || *this == other)
    return other;
  return other.isZero() ? *this : mixed();
}

Scaledness Scaledness::times(Scaledness other) const {
  if (isZero() || other.isZero())
    return zero();
  if (isMixed() || other.isMixed())
    return mixed();
  if (exponent == 0 || other.exponent == 0)
    return exponent == 0 ? other : *this;
  // Beyond any power that a program means; without it a chain of squares would overflow the count.
  constexpr int kLimit = 64;
  int sum = exponent + other.exponent;
  return scale == other.scale && sum >= -kLimit && sum <= kLimit ? power(scale, sum) : mixed();
}

Scaledness Scaledness::over(Scaledness other) const {
  if (other.isZero())
    return isZero() ? zero() : mixed();
  return times({other.kind, other.scale, -other.exponent});
}

llvm::raw_ostream &mp::operator<<(llvm::raw_ostream &os, const Scaledness &scaledness) {
  if (scaledness.isZero())
    return os << "zero";
  if (scaledness.isMixed())
    return os << "mixed";
  if (scaledness.isPlain())
    return os << "plain";
  if (scaledness.getPower() < 0)
    return os << "unscaled too often";
  os << "scaled";
  return scaledness.getPower() == 1 ? os : os << '^' << scaledness.getPower();
}

// The analysis

ScalednessAnalysis::ScalednessAnalysis(func::FuncOp func) {
  if (func.isExternal())
    return;
  BlockArgument lossScale;
  for (BlockArgument argument : func.getArguments())
    if (auto name = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(), names::state))
      if (name == states::lossScale)
        lossScale = argument;
  for (BlockArgument argument : func.getArguments()) {
    bool isScaled = argument == lossScale || (lossScale && func.getArgAttr(argument.getArgNumber(), names::scaled));
    update(argument, isScaled ? ofScale(lossScale) : Scaledness::plain());
  }
  for (Block &block : func.getBody())
    visitBlock(block);
}

Scaledness ScalednessAnalysis::of(Value value) const {
  auto found = known.find(value);
  return found == known.end() ? Scaledness::plain() : found->second;
}

/// Each value used as a scale gets a number, so that unscaling by another scale is no unscaling.
Scaledness ScalednessAnalysis::ofScale(Value scale) {
  return Scaledness::power(scales.try_emplace(scale, scales.size()).first->second, 1);
}

static bool hasNoElements(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getNumElements() == 0;
}

bool ScalednessAnalysis::update(Value value, Scaledness scaledness) {
  if (hasNoElements(value)) // scaled by anything, it is the same
    scaledness = Scaledness::zero();
  auto [entry, isNew] = known.try_emplace(value, scaledness);
  Scaledness joined = isNew ? scaledness : entry->second.join(scaledness);
  bool changed = isNew || joined != entry->second;
  entry->second = joined;
  return changed;
}

void ScalednessAnalysis::visitBlock(Block &block) {
  for (Operation &op : block) {
    if (op.getNumRegions() != 0) {
      visitRegions(&op);
      continue;
    }
    visitOp(&op);
  }
}

/// Follows values into regions and out of them, again until nothing changes where a region may run more than once.
void ScalednessAnalysis::visitRegions(Operation *op) {
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  if (!branch) {
    // Nothing says how values pass: whatever comes out may be anything.
    for (Region &region : op->getRegions())
      for (Block &block : region)
        visitBlock(block);
    for (Value result : op->getResults())
      update(result, Scaledness::mixed());
    return;
  }
  bool changed = true;
  while (changed) {
    changed = false;
    auto passTo = [&](RegionSuccessor successor, ValueRange inputs) {
      for (auto [index, input] : llvm::enumerate(inputs)) {
        SmallVector<Value> sources;
        branch.getPredecessorValues(successor, static_cast<int>(index), sources);
        for (Value source : sources)
          if (known.contains(source))
            changed |= update(input, of(source));
      }
    };
    for (Region &region : op->getRegions()) {
      passTo(RegionSuccessor(&region), region.getArguments());
      for (Block &block : region)
        visitBlock(block);
    }
    passTo(RegionSuccessor(op, op->getResults()), op->getResults());
    changed &= op->getNumRegions() != 0 && !op->getRegion(0).getArguments().empty();
  }
}

static bool isZeroConstant(Operation *op) {
  DenseElementsAttr value;
  return matchPattern(op, m_Constant(&value)) && value.isSplat() && isa<FloatType>(value.getElementType()) &&
         value.getSplatValue<APFloat>().isZero();
}

/// A result is the sum of terms and of the product of factors over divisors, as the op says of each operand. Nothing is
/// known of an op that says nothing: it may have plain operands only.
void ScalednessAnalysis::visitOp(Operation *op) {
  auto scaling = dyn_cast<ScalingOpInterface>(op);
  std::optional<Scaledness> terms, product;
  SmallVector<Scaledness> ownTerms;
  Scaledness rest = Scaledness::plain();
  for (OpOperand &operand : op->getOpOperands()) {
    Scaledness known = of(operand.get());
    switch (scaling ? scaling.getScaling(operand) : Scaling::Nonlinear) {
    case Scaling::Term:
      terms = terms ? terms->join(known) : known;
      break;
    case Scaling::Factor:
      product = product ? product->times(known) : known;
      break;
    case Scaling::Divisor:
      product = product.value_or(Scaledness::plain()).over(known);
      break;
    case Scaling::OwnTerm:
      ownTerms.push_back(known);
      break;
    case Scaling::Nonlinear:
      rest = known.isPlain() ? rest : Scaledness::mixed();
      break;
    case Scaling::Independent:
    case Scaling::Unscaled: // that it is plain is for the verifier to say
      break;
    case Scaling::PutsScale:
      rest = rest.times(ofScale(operand.get()));
      break;
    case Scaling::TakesScale:
      rest = rest.over(ofScale(operand.get()));
      break;
    }
  }
  Scaledness value = terms && product ? terms->join(*product) : terms ? *terms : product.value_or(Scaledness::plain());
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    if (ownTerms.empty())
      update(result, isZeroConstant(op) ? Scaledness::zero() : value.times(rest));
    else
      update(result, index < ownTerms.size() ? ownTerms[index].times(rest) : Scaledness::plain());
  }
}
