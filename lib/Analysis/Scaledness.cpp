// Which values carry the loss scale.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Analysis/Scaledness.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mp/IR/Program.h"
#include "llvm/ADT/TypeSwitch.h"

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
    if (auto unscale = dyn_cast<UnscaleOp>(op)) {
      for (auto [gradient, result] : llvm::zip_equal(unscale.getGradients(), unscale.getUnscaled()))
        update(result, of(gradient).over(ofScale(unscale.getScale())));
      update(unscale.getBad(), Scaledness::plain());
      continue;
    }
    if (op.getNumResults() == 0)
      continue;
    Scaledness result = transfer(&op);
    for (Value value : op.getResults())
      update(value, result);
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

/// How each op's result depends on the scale, from how its operands do: the whole table. An op that is not in it may
/// have plain operands only; anything else would be neither S nor any power of it.
Scaledness ScalednessAnalysis::transfer(Operation *op) {
  auto joinOf = [&](ValueRange values) {
    Scaledness joined = Scaledness::zero();
    for (Value value : values)
      joined = joined.join(of(value));
    return joined;
  };
  auto plainIf = [&](ValueRange values) {
    bool isPlain = llvm::all_of(values, [&](Value value) { return of(value).isPlain(); });
    return isPlain ? Scaledness::plain() : Scaledness::mixed();
  };
  return llvm::TypeSwitch<Operation *, Scaledness>(op)
      // Linear in every operand.
      .Case<AddOp, SubOp, MaxOp>([&](Operation *sum) { return joinOf(sum->getOperands()); })
      .Case([&](SelectOp select) { return joinOf({select.getTrueValue(), select.getFalseValue()}); })
      // Linear in the first operand, and the others do not count or are plain.
      .Case<CastOp, ReshapeOp, TransposeOp, BroadcastOp, DropoutOp, ReluOp, ReduceSumOp, ReduceMeanOp, ReduceMaxOp>(
          [&](Operation *linear) { return of(linear->getOperand(0)); })
      // Products.
      .Case([&](MulOp mul) { return of(mul.getLhs()).times(of(mul.getRhs())); })
      .Case([&](DivOp div) { return of(div.getLhs()).over(of(div.getRhs())); })
      .Case([&](MatmulOp matmul) {
        Scaledness product = of(matmul.getLhs()).times(of(matmul.getRhs()));
        return matmul.getBias() ? product.join(of(matmul.getBias())) : product;
      })
      // Gradients: linear in the gradient, where the forward values are plain. Only the sign of relu's output is read.
      .Case([&](ReluGradOp grad) { return of(grad.getGradient()); })
      .Case([&](SoftmaxGradOp grad) { return of(grad.getGradient()).times(plainIf(grad.getOutput())); })
      .Case([&](SoftmaxCrossEntropyGradOp grad) { return of(grad.getGradient()).times(plainIf(grad.getLogits())); })
      // The scale itself.
      .Case([&](ScaleLossOp scale) { return of(scale.getGradient()).times(ofScale(scale.getScale())); })
      .Case<UpdateLossScaleOp, CountSkipsOp>([&](Operation *) { return Scaledness::plain(); })
      // A comparison, an index, or a verdict carries no scale.
      .Case<CompareOp, ArgmaxOp, CheckFiniteOp, IotaOp>([&](Operation *) { return Scaledness::plain(); })
      // Updates make plain values of plain gradients; that the gradients are is for the verifier to say.
      .Case<SGDOp, AdamOp, AdamWOp>([&](Operation *) { return Scaledness::plain(); })
      .Case([&](ClipByGlobalNormOp) { return Scaledness::plain(); })
      .Case([&](GlobalNormOp norm) { return joinOf(norm.getGradients()); })
      .Case([&](ConstantOp) { return isZeroConstant(op) ? Scaledness::zero() : Scaledness::plain(); })
      .Default([&](Operation *other) { return plainIf(other->getOperands()); });
}
