// What ops and casts of a program take in each type.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels are not formed yet, so that an op counts by itself: its arithmetic, and its bytes where those take longer.
// What a type changes in an op that is no product is the bytes of its values and their conversion, for each computes in
// f32. A low type adds no launches but those of loss scaling: its casts are computed where values are made or read, and
// its weights are kept in it.

#include "Transforms/Autocast/ModelledTimes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mp/Analysis/CostModel.h"
#include "mp/IR/Program.h"

#include <numeric>

using namespace mlir;
using namespace mp;

/// Kernels that loss scaling adds to a step.
static constexpr int kScalingLaunches = 4;

static ArithmeticType arithmeticOf(Precision precision) {
  switch (precision) {
  case Precision::F16:
    return ArithmeticType::F16;
  case Precision::BF16:
    return ArithmeticType::BF16;
  case Precision::F32:
    return ArithmeticType::F32;
  }
  llvm_unreachable("unknown precision");
}

static double rateOf(const std::array<double, 4> &rates, Precision precision) {
  return rates[static_cast<size_t>(arithmeticOf(precision))];
}

static double countElements(Value value) {
  return static_cast<double>(cast<RankedTensorType>(value.getType()).getNumElements());
}

static double bytesOf(Precision precision) { return precision == Precision::F32 ? 4 : 2; }

/// Whether a convolution reads too few channels for a low type's units. Its operand is gathered by single elements,
/// which takes what the units save: forward, bf16 was slower than f32 up to 8 channels in one dimension and up to 4 in
/// two. Gradients were faster; what a step gains of them did not always pay for that, so that none of it counts.
static bool gathersFewChannels(Operation *op) {
  auto conv = dyn_cast<ConvOp>(op);
  if (!conv)
    return false;
  const ArrayRef<int64_t> filter = conv.getFilter().getType().getShape();
  constexpr size_t kRankOfOneDimension = 3;
  return filter.back() <= (filter.size() == kRankOfOneDimension ? 8 : 4);
}

/// Whether `value` is a weight: one that the optimizer updates.
static bool isParameter(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto function = argument ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp()) : nullptr;
  return function && function.getArgAttr(argument.getArgNumber(), names::parameter);
}

namespace {

class Model {
public:
  Model(ProgramGraph &program, Precision low, const CPULevel &level, bool training)
      : program(program), low(low), level(level), training(training) {}

  void run() {
    findGradients();
    for (NodeId id = 0; id < program.nodes.size(); ++id)
      for (Precision precision : {Precision::F16, Precision::BF16, Precision::F32})
        program.graph.nodes[id].seconds[static_cast<size_t>(precision)] = modelOp(id, precision);
    for (ValueId id = 0; id < program.values.size(); ++id)
      if (!program.graph.values[id].constant)
        program.graph.values[id].castSeconds = modelCast(id);
    if (training)
      program.graph.lossScalingSeconds = modelLossScaling();
  }

private:
  /// A step that trains has a gradient of each parameter and of what is computed of one.
  void findGradients() {
    for (Value value : program.values)
      hasGradient.push_back(training && isParameter(value));
    for (const PrecisionNode &node : program.graph.nodes)
      if (llvm::any_of(node.operands, [&](ValueId value) { return hasGradient[value]; }))
        for (ValueId value : node.results)
          hasGradient[value] = training;
  }

  double modelOp(NodeId id, Precision precision) const {
    const PrecisionNode &node = program.graph.nodes[id];
    if (gathersFewChannels(program.nodes[id]))
      precision = Precision::F32;
    double elements = 0;
    for (ValueId value : llvm::concat<const ValueId>(node.operands, node.results))
      elements += countElements(program.values[value]);
    const Work work = countArithmetic(program.nodes[id]);
    const auto sum = [](const std::array<double, 4> &parts) { return std::reduce(parts.begin(), parts.end()); };
    const double bytes = elements * bytesOf(precision);
    const double traffic = bytes / (bytes > level.cacheBytes ? level.memoryBandwidth : level.cacheBandwidth);
    if (const double operations = sum(work.contractionOperations); operations > 0) {
      if (auto product = dyn_cast<ContractionOpInterface>(program.nodes[id])) {
        // A product for the gradient of each factor; that of the bias is none.
        const int factors =
            hasGradient[program.ids.at(product.getLhs())] + hasGradient[program.ids.at(product.getRhs())];
        return (1 + factors) * (operations / rateOf(level.contractionRates, precision) + traffic);
      }
      // Attention computes in f32 whatever it reads; its gradient has five products in the place of two.
      constexpr double kGradientOfAttention = 2.5;
      const bool hasOne = llvm::any_of(node.operands, [&](ValueId value) { return hasGradient[value]; });
      return (1 + (hasOne ? kGradientOfAttention : 0)) *
             (operations / rateOf(level.contractionRates, Precision::F32) + traffic);
    }
    const double conversion = 1 / rateOf(level.mapRates, precision) - 1 / rateOf(level.mapRates, Precision::F32);
    const double operations = sum(work.mapOperations);
    const bool isTwice = llvm::any_of(node.results, [&](ValueId value) { return hasGradient[value]; });
    return (isTwice ? 2 : 1) * (operations / rateOf(level.mapRates, Precision::F32) + elements * conversion + traffic);
  }

  double modelCast(ValueId id) const {
    const double elements = countElements(program.values[id]);
    const double conversion = elements / rateOf(level.mapRates, low);
    // The optimizer writes the low copy of a weight, too; where nothing trains, it is made once.
    if (isParameter(program.values[id]))
      return training ? conversion + elements * bytesOf(low) / level.memoryBandwidth : 0;
    const double once = conversion + elements * (bytesOf(low) + bytesOf(Precision::F32)) / level.cacheBandwidth;
    return hasGradient[id] ? 2 * once : once;
  }

  /// Gradients are unscaled and tested, and the update waits for that.
  double modelLossScaling() const {
    double elements = 0;
    for (Value value : program.values)
      elements += isParameter(value) ? countElements(value) : 0;
    return kScalingLaunches * level.launchSeconds + elements / rateOf(level.mapRates, Precision::F32);
  }

  ProgramGraph &program;
  const Precision low;
  const CPULevel &level;
  const bool training;
  std::vector<bool> hasGradient; ///< by value
};

} // namespace

void mp::setModelledTimes(ProgramGraph &program, Precision low, const CPULevel &level, bool training) {
  Model(program, low, level, training).run();
}
