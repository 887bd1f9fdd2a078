// How far one op may be from its exact value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RandomModels/Bounds.h"

#include "OpCases/AttentionError.h"
#include "OpCases/BatchNormError.h"
#include "OpCases/GroupNormError.h"
#include "OpCases/LossError.h"
#include "OpCases/NormError.h"

#include "mp/IR/MP.h"
#include "mp/Numerics/ErrorBounds.h"
#include "mp/Reference/Evaluator.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/ADT/TypeSwitch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

using namespace mp;

Tensors mp::evaluateAlone(mlir::Operation *op, const Tensors &operands) {
  mlir::OpBuilder builder(op->getContext());
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(op->getLoc());
  builder.setInsertionPointToStart(module->getBody());
  auto type = builder.getFunctionType(op->getOperandTypes(), op->getResultTypes());
  auto func = mlir::func::FuncOp::create(builder, op->getLoc(), "alone", type);
  builder.setInsertionPointToStart(func.addEntryBlock());
  mlir::Operation *clone = builder.clone(*op);
  clone->setOperands(func.getArguments());
  mlir::func::ReturnOp::create(builder, op->getLoc(), clone->getResults());
  llvm::FailureOr<Tensors> results = evaluate(func, operands);
  EXPECT_TRUE(succeeded(results)) << op->getName().getStringRef().str();
  return succeeded(results) ? std::move(*results) : Tensors();
}

static Tensors absolutes(Tensors tensors) {
  for (Tensor &tensor : tensors)
    if (isFloat(tensor.type.element))
      for (uint64_t i = 0; i < tensor.count(); ++i)
        storeElement(tensor.bytes, tensor.type.element, i, std::abs(elementAt(tensor, i)));
  return tensors;
}

/// The largest finite magnitude.
static double largest(const Tensor &tensor) {
  double most = 0;
  for (uint64_t i = 0; i < tensor.count(); ++i)
    if (const double value = std::abs(elementAt(tensor, i)); std::isfinite(value))
      most = std::max(most, value);
  return most;
}

namespace {

/// A sum: the number of its terms and the sum of their absolutes.
struct Sum {
  uint64_t terms;
  double absolute;
};

/// The contraction that an op is.
struct Product {
  uint64_t terms; ///< of each sum
  bool isInF16;   ///< what is summed
};

std::optional<Product> productOf(mlir::Operation *op) {
  return llvm::TypeSwitch<mlir::Operation *, std::optional<Product>>(op)
      .Case<MatmulOp, ConvOp, ConvTransposeOp, ConvFilterGradOp>([](auto product) {
        return Product{static_cast<uint64_t>(product.getContractionSize()), product.getAcc().isF16()};
      })
      .Default(std::nullopt);
}

bool isNonfinite(const Tensor &tensor) {
  for (uint64_t i = 0; i < tensor.count(); ++i)
    if (!std::isfinite(elementAt(tensor, i)))
      return true;
  return false;
}

/// Whether a convolution multiplies an infinity or a NaN by padding or by what a stride leaves out: that is NaN on a
/// device, and nothing in the evaluator.
bool multipliesPadding(mlir::Operation *op, const Tensors &operands) {
  return llvm::TypeSwitch<mlir::Operation *, bool>(op)
      .Case<ConvOp, ConvTransposeOp, ConvFilterGradOp>([&](auto) { return isNonfinite(operands[1]); })
      .Default(false);
}

/// What the results of the ops that add up are sums of.
class Sums {
public:
  Sums(mlir::Operation *op, const Tensors &operands, const Tensors &results, size_t index, bool splitsF16)
      : op(op), operands(operands), result(results[index]), index(index) {
    if (productOf(op) || llvm::isa<ReduceSumOp, ReduceMeanOp, GlobalNormOp, ClipByGlobalNormOp, ClipByNormOp>(op))
      absolute = evaluateAlone(op, absolutes(operands))[index];
    else if (llvm::isa<AvgPoolOp, AvgPoolGradOp, ScatterAddOp, ScatterAddElementsOp, ReduceProdOp, CumsumOp, TopKGradOp,
                       ResizeOp, ResizeGradOp>(op)) // none is cubic
      absolute = evaluateAlone(op, absolutes(operands))[index];
    else if (llvm::isa<MaxPoolGradOp>(op)) // who wins a window is as it was
      absolute = evaluateAlone(op, {operands[0], absolutes({operands[1]}).front()})[index];
    else if (llvm::isa<SoftmaxCrossEntropyOp>(op))
      absolute = results[index];
    else if (auto forward = llvm::dyn_cast<AttentionOp>(op))
      attention = ofAttention(forward, splitsF16);
    else if (auto gradient = llvm::dyn_cast<AttentionGradOp>(op))
      attention = ofAttention(gradient, splitsF16);
  }

  /// Nothing for an op that does not add up.
  std::optional<Sum> of(uint64_t element) const {
    if (std::optional<Product> product = productOf(op))
      return Sum{product->terms + 1, elementAt(absolute, element)};
    if (llvm::isa<ReduceSumOp, ReduceMeanOp, ReduceProdOp>(op))
      return Sum{operands[0].count() / std::max<uint64_t>(result.count(), 1) + 1, elementAt(absolute, element)};
    if (llvm::isa<ResizeOp, ResizeGradOp>(op))
      return Sum{3 * operands[0].count() + 8, elementAt(absolute, element)};
    if (llvm::isa<ScatterAddOp, ScatterAddElementsOp>(op))
      return Sum{operands[1].count() + 1, elementAt(absolute, element)};
    if (auto scan = llvm::dyn_cast<CumsumOp>(op)) // in doublings
      return Sum{std::bit_width(static_cast<uint64_t>(operands[0].type.shape[scan.getDimension()])) + 1,
                 elementAt(absolute, element)};
    if (llvm::isa<TopKGradOp>(op))
      return Sum{static_cast<uint64_t>(operands[0].type.shape.back()) + 1, elementAt(absolute, element)};
    if (auto pixels = countOfWindow())
      return Sum{2 * *pixels, elementAt(absolute, element)};
    if (llvm::isa<LAMBOp>(op) && index == 0) // its means are no sums
      return Sum{countAll() + 8, std::abs(elementAt(result, element) - elementAt(operands[0], element))};
    if (llvm::isa<GlobalNormOp, ClipByGlobalNormOp, ClipByNormOp>(op))
      return Sum{countAll() + 6, 2 * elementAt(absolute, element)};
    if (llvm::isa<LayerNormOp, LayerNormStatisticsOp, LayerNormGradOp>(op))
      return ofNorm(element);
    if (llvm::isa<BatchNormOp, BatchNormGradOp, BatchNormInferenceOp>(op))
      return ofBatchNorm(element);
    if (llvm::isa<GroupNormOp, GroupNormGradOp>(op))
      return ofGroupNorm(element);
    if (attention)
      return Sum{attention->ofResults[element].roundings, attention->ofResults[element].size};
    if (llvm::isa<ElementLossOpInterface>(op))
      return ofLoss();
    if (llvm::isa<CrossEntropyOp, NLLLossOp, KLDivOp>(op) || isOfProbabilities())
      return ofClassLoss();
    if (llvm::isa<L2NormOp>(op))
      return Sum{operands[0].count() / std::max<uint64_t>(result.count(), 1) + 8, std::abs(elementAt(result, element))};
    if (llvm::isa<CosineSimilarityOp>(op)) // its terms are no larger than 1 together
      return Sum{3 * static_cast<uint64_t>(operands[0].type.shape.back()) + 24, 1};
    if (llvm::isa<RMSNormOp, L2NormalizeOp>(op))
      return Sum{static_cast<uint64_t>(operands[0].type.shape.back()) + 12, std::abs(elementAt(result, element))};
    if (!llvm::isa<SoftmaxOp, LogSoftmaxOp, SoftmaxGradOp, SoftmaxCrossEntropyOp, SoftmaxCrossEntropyGradOp>(op))
      return std::nullopt;
    return ofRow(element);
  }

private:
  struct Attention {
    std::vector<RoundedElement> ofResults;
  };

  template <typename Op> Attention ofAttention(Op of, bool splitsF16) const {
    // Models have no masks.
    const ElementType element = operands[0].type.element;
    const AttentionValues values{of.getSizes(),
                                 operands[0].reals(),
                                 operands[1].reals(),
                                 operands[2].reals(),
                                 {},
                                 of.getCausal(),
                                 of.getFactor(),
                                 1 / (1 - of.getRate().convertToDouble()),
                                 formatOf(element),
                                 splitsF16 && element == ElementType::F16};
    EXPECT_FALSE(of.getMask());
    Attention attention;
    if constexpr (std::is_same_v<Op, AttentionOp>) {
      const AttentionError error(values);
      for (uint64_t i = 0; i < result.count(); ++i)
        attention.ofResults.push_back(index == 0 ? error.ofResult(i) : error.ofLse(i));
    } else {
      const AttentionGradError error(values, operands[3].reals(), operands[4].reals(), operands[5].reals());
      for (uint64_t i = 0; i < result.count(); ++i)
        attention.ofResults.push_back(error.of(index, i));
    }
    return attention;
  }

  uint64_t countAll() const {
    uint64_t count = 0;
    for (const Tensor &operand : operands)
      count += operand.count();
    return count;
  }

  /// Pixels of a pooling's window: no sum has more terms, and each may be a quotient.
  std::optional<uint64_t> countOfWindow() const {
    return llvm::TypeSwitch<mlir::Operation *, std::optional<uint64_t>>(op)
        .Case<MaxPoolGradOp, AvgPoolOp, AvgPoolGradOp>(
            [](auto pool) { return static_cast<uint64_t>(pool.getWindowSize()); })
        .Default(std::nullopt);
  }

  /// An exponential of x - max errs by its ulps, and by the rounding of x - max times that.
  Sum ofRow(uint64_t element) const {
    const Tensor &row = operands[0];
    const auto columns = static_cast<uint64_t>(row.type.shape.back());
    const uint64_t rows = row.count() / columns, exponent = columns + 16 + static_cast<uint64_t>(2 * largest(row));
    const double here = std::abs(elementAt(result, element));
    if (llvm::isa<SoftmaxOp>(op))
      return {exponent, here};
    if (llvm::isa<LogSoftmaxOp>(op))
      return {exponent, here + 2 * largest(row) + 1};
    if (llvm::isa<SoftmaxGradOp>(op))
      return {columns + 4, 2 * std::abs(elementAt(row, element)) * largest(operands[1])};
    if (llvm::isa<SoftmaxCrossEntropyOp>(op))
      return {exponent + 2 * rows, here + 2 * largest(row) + 1};
    // (probability - hit) * weight / sum of weights * gradient: at most that of a row which has it all.
    const Tensor &gradient = operands[2];
    double share = 1 / static_cast<double>(rows);
    if (operands.size() > 3) {
      double sum = 0;
      for (uint64_t i = 0; i < operands[3].count(); ++i)
        sum += std::abs(elementAt(operands[3], i));
      share = std::abs(elementAt(operands[3], element / columns)) / sum;
    }
    return {exponent + 2 * rows, here + 2 * share * largest(gradient)};
  }

  Sum ofNorm(uint64_t element) const {
    const auto columns = static_cast<uint64_t>(operands[0].type.shape.back());
    const uint64_t row = element * (operands[0].count() / columns) / result.count(), j = element % columns;
    auto elements = [&](size_t operand, uint64_t first) {
      std::vector<double> values;
      for (uint64_t i = 0; i < columns; ++i)
        values.push_back(elementAt(operands[operand], first + i));
      return values;
    };
    const std::vector<double> x = elements(0, row * columns);
    if (llvm::isa<LayerNormGradOp>(op))
      return {columns + 12, NormError::ofGradient(x, elements(1, 0), elementAt(operands[2], row),
                                                  elementAt(operands[3], row), elements(4, row * columns), j)};
    const NormError error(x, op->getAttrOfType<mlir::FloatAttr>("epsilon").getValueAsDouble());
    if (llvm::isa<LayerNormOp>(op))
      return {error.roundings(), error.ofResult(j, elementAt(operands[1], j), elementAt(operands[2], j))};
    return {error.roundings(), std::max(error.ofMean(), error.ofInvStdDev())};
  }

  Sum ofLoss() const {
    auto delta = op->getAttrOfType<mlir::FloatAttr>("delta");
    const LossError error{op->getName().getStringRef().str(),
                          delta ? delta.getValueAsDouble() : 0,
                          static_cast<uint64_t>(operands[0].type.shape.front()),
                          operands[0].reals(),
                          operands[1].reals(),
                          operands.size() > 2 ? operands[2].reals() : std::vector<double>()};
    return {error.roundings(), error.size()};
  }

  bool isOfProbabilities() const { return llvm::isa<SoftmaxCrossEntropyOp>(op) && isFloat(operands[1].type.element); }

  Sum ofClassLoss() const {
    auto smoothing = op->getAttrOfType<mlir::FloatAttr>("label_smoothing");
    const ClassLossError error(op->getName().getStringRef().str(), operands,
                               smoothing ? smoothing.getValueAsDouble() : 0, std::nullopt);
    return {error.roundings(), error.size()};
  }

  Sum ofBatchNorm(uint64_t element) const {
    const auto channels = static_cast<uint64_t>(operands[0].type.shape.back());
    if (channels == 0) // mp.batch_norm still says how many values each has
      return {2, std::abs(elementAt(result, element))};
    const uint64_t c = element % channels;
    const double epsilon = op->getAttrOfType<mlir::FloatAttr>("epsilon").getValueAsDouble();
    std::vector<std::vector<double>> values;
    for (const Tensor &operand : operands)
      values.push_back(operand.reals());
    if (llvm::isa<BatchNormInferenceOp>(op)) {
      const double factor = values[1][c] / std::sqrt(values[4][c] + epsilon);
      return {8, std::abs(factor * (values[0][element] - values[3][c])) + std::abs(values[2][c])};
    }
    const size_t ofWeights = llvm::isa<BatchNormOp>(op) ? 3 : 5;
    const WeightedImages images{values[0], values.size() > ofWeights ? values[ofWeights] : std::vector<double>(),
                                channels};
    const bool isImage = result.type.shape.size() > 1;
    if (llvm::isa<BatchNormOp>(op)) {
      const BatchNormError error(images, epsilon);
      return {error.roundings(), isImage ? error.ofResult(element, values[1][c], values[2][c])
                                         : std::max({error.ofCount(), error.ofMean(c), error.ofVariance(c)})};
    }
    const BatchNormGradError error(images, values[1], values[2], values[3], values[4], epsilon);
    return {error.roundings(), isImage ? error.ofInput(element) : index == 1 ? error.ofScale(c) : error.ofOffset(c)};
  }

  Sum ofGroupNorm(uint64_t element) const {
    const std::vector<double> x = operands[0].reals(), scale = operands[1].reals(), last = operands[2].reals();
    const std::vector<int64_t> &shape = operands[0].type.shape;
    if (x.empty())
      return {1, 0};
    const GroupNormError error(x, static_cast<uint64_t>(shape.front()), static_cast<uint64_t>(shape.back()),
                               static_cast<uint64_t>(op->getAttrOfType<mlir::IntegerAttr>("groups").getInt()),
                               op->getAttrOfType<mlir::FloatAttr>("epsilon").getValueAsDouble());
    if (llvm::isa<GroupNormOp>(op))
      return {error.roundings(), error.ofResult(element, scale, last)};
    return {error.roundingsOfGradients(), index == 0   ? error.ofInput(element, scale, last)
                                          : index == 1 ? error.ofScale(element, last)
                                                       : error.ofOffset(element, last)};
  }

  mlir::Operation *op;
  const Tensors &operands;
  const Tensor &result;
  size_t index; ///< of the result
  Tensor absolute;
  std::optional<Attention> attention;
};

} // namespace

std::vector<double> mp::allowedErrors(mlir::Operation *op, const Tensors &operands, const Tensors &results,
                                      size_t index, bool splitsF16) {
  const Tensor &result = results[index];
  std::vector<double> allowed(result.count(), 0.0);
  if (!isFloat(result.type.element))
    return allowed;
  const FloatFormat format = formatOf(result.type.element);
  const bool isWide = result.type.element == ElementType::F32;
  const std::optional<Product> product = productOf(op);
  const FloatFormat sumFormat = product && product->isInF16 ? kF16 : kF32;
  const bool isSplit = splitsF16 && product && !product->isInF16 && operands.front().type.element == ElementType::F16;
  const Sums sums(op, operands, results, index, splitsF16);
  const bool mayBeNaN = multipliesPadding(op, operands);
  for (uint64_t i = 0; i < allowed.size(); ++i) {
    const double value = elementAt(result, i);
    if (!std::isfinite(value))
      continue;
    if (mayBeNaN)
      allowed[i] = INFINITY;
    else if (llvm::isa<ExpOp, LogOp, TanhOp>(op))
      allowed[i] = (isWide ? 2 : 1) * ulp(value, format);
    else if (llvm::isa<SinOp, CosOp, PowOp, TanOp, AsinOp, AcosOp, AtanOp, Atan2Op, SinhOp, CoshOp, Expm1Op, Log1pOp,
                       Log2Op, Log10Op, ErfinvOp>(op))
      allowed[i] = ulp(value, format);
    else if (llvm::isa<GeluGradOp>(op))
      allowed[i] = (isWide ? 16 : 1) * ulp(value, format) + 0x1p-22 * std::abs(elementAt(operands[1], i));
    else if (llvm::isa<RsqrtOp, ErfOp>(op))
      allowed[i] = (isWide ? 2 : 1) * ulp(value, format);
    else if (llvm::isa<GeluOp, EluOp, SeluOp, HardSigmoidOp, HardSwishOp>(op))
      allowed[i] = (isWide ? 8 : 1) * ulp(value, format);
    else if (llvm::isa<TanhGradOp, SigmoidOp, SiluOp, SoftplusOp>(op))
      allowed[i] = (isWide ? 4 : 1) * ulp(value, format);
    else if (llvm::isa<DropoutOp, LeakyReluOp>(op))
      allowed[i] = isWide ? 0 : ulp(value, format);
    else if (std::optional<Sum> sum = sums.of(i))
      allowed[i] = (isSplit ? splitContractionBound(sum->terms, sum->absolute, value, format)
                            : contractionBound(sum->terms, sum->absolute, value, sumFormat, format)) +
                   ulp(value, format) / 2;
  }
  return allowed;
}
