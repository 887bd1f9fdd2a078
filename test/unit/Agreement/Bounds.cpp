// How far a device may be from the evaluator.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Agreement/Bounds.h"

#include "OpCases/AttentionError.h"
#include "OpCases/BatchNormError.h"
#include "OpCases/GroupNormError.h"
#include "OpCases/LossError.h"
#include "OpCases/NormError.h"

#include "mp/Numerics/ErrorBounds.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>
#include <optional>
#include <set>

using namespace mp;

/// Elementary functions, and a product whose f32 value is rounded again: ulps in f32, and in f16 and bf16.
static const std::map<std::string, std::pair<double, double>> kUlps = {
    {"mp.exp", {2, 1}},          {"mp.log", {2, 1}},
    {"mp.tanh", {2, 1}},         {"mp.tanh_grad", {4, 1}},
    {"mp.gelu", {8, 1}},         {"mp.gelu_grad", {16, 1}},
    {"mp.dropout", {0, 1}},      {"mp.masked_dropout", {0, 1}},
    {"mp.rsqrt", {2, 1}},        {"mp.erf", {2, 1}},
    {"mp.sigmoid", {4, 1}},      {"mp.silu", {4, 1}},
    {"mp.softplus", {4, 1}},     {"mp.leaky_relu", {0, 1}},
    {"mp.elu", {6, 1}},          {"mp.selu", {8, 1}},
    {"mp.hard_sigmoid", {2, 1}}, {"mp.hard_swish", {3, 1}},
    {"mp.pow", {1, 1}},          {"mp.sin", {1, 1}},
    {"mp.cos", {1, 1}},          {"mp.tan", {1, 1}},
    {"mp.asin", {1, 1}},         {"mp.acos", {1, 1}},
    {"mp.atan", {1, 1}},         {"mp.atan2", {1, 1}},
    {"mp.sinh", {1, 1}},         {"mp.cosh", {1, 1}},
    {"mp.expm1", {1, 1}},        {"mp.log1p", {1, 1}},
    {"mp.log2", {1, 1}},         {"mp.log10", {1, 1}},
    {"mp.erfinv", {1, 1}},       {"mp.recenter_squares", {12, 12}}};

/// Ops that sum: what they give for absolute operands is the sum of absolute terms.
static const std::set<std::string> kSums = {"mp.matmul",
                                            "mp.matmul_parts",
                                            "mp.conv",
                                            "mp.conv_transpose",
                                            "mp.conv_filter_grad",
                                            "mp.depthwise_conv_row_sums",
                                            "mp.avg_pool",
                                            "mp.avg_pool_grad",
                                            "mp.reduce_sum",
                                            "mp.reduce_mean",
                                            "mp.global_norm",
                                            "mp.sum_squares_blocks",
                                            "mp.clip_by_global_norm",
                                            "mp.clip_by_norm",
                                            "mp.scatter_add",
                                            "mp.conv_filter_grad_parts",
                                            "mp.reduce_prod",
                                            "mp.cumsum",
                                            "mp.top_k_grad",
                                            "mp.scatter_add_elements",
                                            "mp.resize",
                                            "mp.resize_grad",
                                            "mp.resample",
                                            "mp.depthwise_conv",
                                            "mp.depthwise_conv_transpose"};

/// Optimizers that measure norms.
static const std::set<std::string> kNormed = {"mp.lamb"};

/// Rows of exponentials.
static const std::set<std::string> kRows = {"mp.softmax",
                                            "mp.softmax_grad",
                                            "mp.log_softmax",
                                            "mp.softmax_cross_entropy",
                                            "mp.softmax_cross_entropy_rows",
                                            "mp.softmax_cross_entropy_grad",
                                            "mp.softmax_cross_entropy_grad_rows"};

/// Rows that are normalized.
static const std::set<std::string> kNorms = {"mp.layer_norm",       "mp.rms_norm",     "mp.layer_norm_statistics",
                                             "mp.layer_norm_grad",  "mp.l2_normalize", "mp.l2_norm",
                                             "mp.cosine_similarity"};

/// Weights of keys, and what they weigh.
static const std::set<std::string> kAttention = {"mp.attention", "mp.attention_grad"};

/// Channels that are.
static const std::set<std::string> kBatchNorms = {"mp.batch_norm", "mp.batch_norm_grad", "mp.batch_norm_inference"};

/// Groups of channels.
static const std::set<std::string> kGroupNorms = {"mp.group_norm", "mp.group_norm_grad"};

/// Means of a term of each element.
static const std::set<std::string> kLosses = {"mp.mse_loss", "mp.l1_loss", "mp.huber_loss", "mp.sigmoid_cross_entropy",
                                              "mp.binary_cross_entropy"};

/// Means over rows of classes.
static const std::set<std::string> kClassLosses = {"mp.cross_entropy", "mp.nll_loss", "mp.kl_div"};

/// Roundings of an exponential in a row: its argument, which is at most 4 below the row's maximum, 2 ulp of exp, the
/// same once more in the sum that it is divided by, the quotient, and the factors that follow.
static constexpr uint64_t kOfExponential = 24;

namespace {

/// An element as a sum: how often its terms are rounded, and how large they are.
struct Rounded {
  uint64_t roundings;
  double size;
};

/// The sizes of a case: what each of its results is made of.
class Sizes {
public:
  Sizes(const OpCase &use, const std::vector<Tensor> &operands, uint64_t results)
      : use(use), operands(operands), shape(operands.front().type.shape), results(results) {
    for (const Tensor &operand : operands)
      values.push_back(isFloat(operand.type.element) ? operand.reals() : std::vector<double>());
  }

  Rounded ofSum(double expected, double absolute) const {
    if (isWhole())
      return use.op == "mp.reduce_mean" ? Rounded{2, std::abs(expected)} : Rounded{0, 0};
    if (use.text.find("mode cubic") != std::string::npos)
      return {termsOfSum(), ofCubic()};
    return {termsOfSum(), absolute};
  }

  Rounded ofRow(uint64_t index, double expected) const {
    const auto columns = static_cast<uint64_t>(shape.back());
    const uint64_t rows = operands.front().count() / columns, roundings = columns + kOfExponential;
    if (use.op == "mp.softmax")
      return {roundings, std::abs(expected)};
    if (use.op == "mp.softmax_grad")
      return {roundings, sizeOfSoftmaxGradient(index, columns)};
    // A logarithm makes an absolute error of the sum's relative one. What it is added to is positive, too.
    if (use.op == "mp.softmax_cross_entropy")
      return isFloat(operands[1].type.element) ? ofClassLoss() : Rounded{roundings + 2 * rows, 1 + expected};
    if (use.op == "mp.softmax_cross_entropy_rows" || use.op == "mp.log_softmax")
      return {roundings, 1 + std::abs(expected)};
    return {roundings + rows, std::abs(expected) + 2 * factorOfRow(index / columns)};
  }

  Rounded ofNorm(uint64_t index, double expected) const {
    if (use.op == "mp.l2_norm") { // a sum of squares, of whole numbers exactly, and its root
      const uint64_t squares = operands.front().count() / std::max<uint64_t>(results, 1);
      return {(isWhole() ? 0 : squares) + 8, std::abs(expected)};
    }
    const auto columns = static_cast<uint64_t>(shape.back());
    // The terms of a cosine are no larger than 1 together.
    if (use.op == "mp.cosine_similarity")
      return {3 * columns + 24, 1};
    const uint64_t row = index * (operands.front().count() / columns) / results, j = index % columns;
    auto rowOf = [&](size_t operand) { return std::span(values[operand]).subspan(row * columns, columns); };
    if (use.op == "mp.rms_norm" || use.op == "mp.l2_normalize")
      return {columns + 12, std::abs(expected)};
    const NormError error(rowOf(0), epsilon());
    if (use.op == "mp.layer_norm")
      return {error.roundings(), error.ofResult(j, values[1][j], values[2][j])};
    if (use.op == "mp.layer_norm_grad")
      return {error.roundings(),
              NormError::ofGradient(rowOf(0), values[1], values[2][row], values[3][row], rowOf(4), j)};
    return {error.roundings(), std::max(error.ofMean(), error.ofInvStdDev())};
  }

  Rounded ofLoss() const {
    const LossError error{use.op,
                          numberOf("delta", 1),
                          static_cast<uint64_t>(shape.front()),
                          values[0],
                          values[1],
                          values.size() > 2 ? values[2] : std::vector<double>()};
    return {error.roundings(), error.size()};
  }

  Rounded ofClassLoss() const {
    const bool ignores = use.text.find("ignore_label") != std::string::npos;
    const ClassLossError error(use.op, operands, numberOf("label_smoothing", 0),
                               ignores ? std::optional(static_cast<int64_t>(numberOf("ignore_label", 0)))
                                       : std::nullopt);
    return {error.roundings(), error.size()};
  }

  /// A parameter changes by a product with norms.
  Rounded ofUpdate(uint64_t index, double expected) const {
    return {termsOfSum(), std::abs(expected - values[0][index])};
  }

  /// Every element of a result: what they share is computed once.
  std::vector<Rounded> ofBatchNorm() const {
    const auto channels = static_cast<uint64_t>(shape.back());
    const bool isImage = results == operands.front().count();
    if (use.op == "mp.batch_norm_inference")
      return collect([&](uint64_t index) -> Rounded {
        const uint64_t c = index % channels;
        const double factor = values[1][c] / std::sqrt(values[4][c] + epsilon());
        return {8, std::abs(factor * (values[0][index] - values[3][c])) + std::abs(values[2][c])};
      });
    const size_t ofWeights = use.op == "mp.batch_norm" ? 3 : 5;
    const WeightedImages images{values[0], values.size() > ofWeights ? values[ofWeights] : std::vector<double>(),
                                channels};
    if (use.op == "mp.batch_norm") {
      const BatchNormError error(images, epsilon());
      return collect([&](uint64_t index) -> Rounded {
        const uint64_t c = index % channels;
        const double size = isImage        ? error.ofResult(index, values[1][c], values[2][c])
                            : results == 1 ? std::max({error.ofCount(), error.ofMean(0), error.ofVariance(0)})
                                           : std::max(error.ofMean(c), error.ofVariance(c));
        return {error.roundings(), size};
      });
    }
    const BatchNormGradError error(images, values[1], values[2], values[3], values[4], epsilon());
    return collect([&](uint64_t index) -> Rounded {
      const uint64_t c = index % channels;
      return {error.roundings(), isImage ? error.ofInput(index) : std::max(error.ofScale(c), error.ofOffset(c))};
    });
  }

  /// Every element of result `number`.
  std::vector<Rounded> ofAttention(size_t number, bool splitsF16) const {
    const bool isGradient = use.op == "mp.attention_grad";
    const AttentionValues of = attentionValues(isGradient ? 6 : 3, splitsF16);
    auto rounded = [](RoundedElement element) -> Rounded { return {element.roundings, element.size}; };
    if (isGradient) {
      const AttentionGradError error(of, values[3], values[4], values[5]);
      return collect([&](uint64_t i) { return rounded(error.of(number, i)); });
    }
    const AttentionError error(of);
    return collect([&](uint64_t i) { return rounded(number == 0 ? error.ofResult(i) : error.ofLse(i)); });
  }

  /// Every element of a result.
  std::vector<Rounded> ofGroupNorm() const {
    const auto channels = static_cast<uint64_t>(shape.back());
    const auto groups = static_cast<uint64_t>(std::stoull(use.text.substr(use.text.find("groups ") + 7)));
    const GroupNormError error(values[0], static_cast<uint64_t>(shape.front()), channels, groups, epsilon());
    if (use.op == "mp.group_norm")
      return collect(
          [&](uint64_t index) -> Rounded { return {error.roundings(), error.ofResult(index, values[1], values[2])}; });
    const bool isImage = results == operands.front().count();
    return collect([&](uint64_t index) -> Rounded {
      return {error.roundingsOfGradients(),
              isImage ? error.ofInput(index, values[1], values[2])
                      : std::max(error.ofScale(index, values[2]), error.ofOffset(index, values[2]))};
    });
  }

private:
  /// Of each element of the result.
  template <typename Get> std::vector<Rounded> collect(Get get) const {
    std::vector<Rounded> elements;
    for (uint64_t i = 0; i < results; ++i)
      elements.push_back(get(i));
    return elements;
  }

  AttentionValues attentionValues(size_t ofMask, bool splitsF16) const {
    const std::vector<int64_t> &ofValue = operands[2].type.shape;
    const AttentionSizes sizes{shape[0], shape[1], ofValue[1], shape[2], ofValue[2], shape[3], ofValue[3]};
    std::vector<double> mask;
    if (use.text.find(" mask ") != std::string::npos) {
      const Tensor &given = operands[ofMask];
      std::vector<int64_t> own(4 - given.type.shape.size(), 1);
      own.insert(own.end(), given.type.shape.begin(), given.type.shape.end());
      const int64_t all[] = {sizes.batch, sizes.heads, sizes.queries, sizes.keys};
      for (int64_t score = 0; score < all[0] * all[1] * all[2] * all[3]; ++score) {
        int64_t rest = score, source = 0, stride = 1;
        for (size_t dimension : {3, 2, 1, 0}) {
          source += own[dimension] == 1 ? 0 : rest % all[dimension] * stride;
          rest /= all[dimension];
          stride *= own[dimension];
        }
        const double element = elementAt(given, source);
        mask.push_back(isFloat(given.type.element) ? element : element != 0 ? 0 : -INFINITY);
      }
    }
    const ElementType element = operands.front().type.element;
    return {sizes,
            values[0],
            values[1],
            values[2],
            std::move(mask),
            use.text.find(" causal") != std::string::npos,
            numberOf("scale", 1 / std::sqrt(static_cast<double>(sizes.depth))),
            1 / (1 - numberOf("rate", 0)),
            formatOf(element),
            splitsF16 && element == ElementType::F16};
  }

  /// Some weights are negative. Of a pixel they are no more than 1.4 together along a dimension; of a pixel of a
  /// gradient's image, as many as it has readers.
  double ofCubic() const {
    const double share = std::max(1.0, static_cast<double>(operands.front().count()) / static_cast<double>(results));
    double most = 0;
    for (double value : values.front())
      most = std::max(most, std::abs(value));
    return most * 2 * share * std::pow(1.4, shape.size() - 2);
  }
  double epsilon() const { return numberOf("epsilon", 1e-5); }
  double numberOf(const std::string &attribute, double otherwise) const {
    const size_t found = use.text.find(attribute + " = ");
    return found == std::string::npos ? otherwise : std::stod(use.text.substr(found + attribute.size() + 3));
  }

  /// Whether the sums are exact in their accumulator.
  bool isWhole() const {
    return std::all_of(use.operands.begin(), use.operands.end(),
                       [](const Operand &operand) { return operand.fill == Fill::Whole; });
  }

  uint64_t termsOfSum() const {
    if (use.op.starts_with("mp.matmul")) {
      const size_t dimension = shape.size() - (use.text.find("transpose_lhs") == std::string::npos ? 1 : 2);
      return static_cast<uint64_t>(shape[dimension]) + 1; // and a bias
    }
    if (use.op == "mp.depthwise_conv_row_sums")
      return static_cast<uint64_t>(*(operands[1].type.shape.rbegin() + 1)); // pixels of a row
    if (use.op.starts_with("mp.depthwise_conv"))
      return static_cast<uint64_t>(operands[1].type.shape.front()) + 1; // taps, and a bias
    if (use.op.starts_with("mp.conv"))
      return termsOfConvolution() + 1; // and a bias
    if (use.op.starts_with("mp.avg_pool"))
      // Quotients, each a term of the gradient's sum; what is padding is none.
      return 2 * std::min<uint64_t>(pixelsOfWindow(), operands.front().count());
    if (use.op == "mp.scatter_add")
      return operands[1].count() + 1; // as many indices may be of one slice, which has a value of its own
    if (use.op == "mp.scatter_add_elements")
      return operands[1].count() + 1;
    if (use.op.starts_with("mp.resize") || use.op == "mp.resample") // products with a weight for each dimension
      return 3 * operands.front().count() / static_cast<uint64_t>(shape.front() * shape.back()) + 64;
    if (use.op == "mp.cumsum") // in doublings
      return std::bit_width(static_cast<uint64_t>(*std::max_element(shape.begin(), shape.end()))) + 1;
    if (use.op == "mp.top_k_grad")
      return static_cast<uint64_t>(shape.back()) + 1;
    uint64_t terms = 0;
    for (const Tensor &operand : operands)
      terms += operand.count();
    if (use.op.starts_with("mp.reduce"))
      return terms / results + 1; // and the division
    return terms + 8;             // squares, a root, a quotient, a factor
  }

  /// Taps and channels of a filter; taps and filters, of all groups; pixels of all results.
  uint64_t termsOfConvolution() const {
    const Tensor &second = operands[1];
    return second.count() /
           static_cast<uint64_t>(use.op == "mp.conv" ? second.type.shape.front() : second.type.shape.back());
  }

  uint64_t pixelsOfWindow() const {
    uint64_t pixels = 1;
    for (const char *number = use.text.c_str() + use.text.find("window = [") + 9; *number != ']';) {
      char *end;
      pixels *= std::strtoull(number + 1, &end, 10);
      number = end;
    }
    return pixels;
  }

  /// y * (g - sum(g * y)).
  double sizeOfSoftmaxGradient(uint64_t index, uint64_t columns) const {
    const std::vector<double> &y = values[0], &g = values[1];
    const uint64_t first = index / columns * columns;
    double sum = std::abs(g[index]);
    for (uint64_t j = first; j < first + columns; ++j)
      sum += std::abs(g[j] * y[j]);
    return std::abs(y[index]) * sum;
  }

  /// What (softmax - 1) of a row is multiplied by.
  double factorOfRow(uint64_t row) const {
    if (use.op == "mp.softmax_cross_entropy_grad_rows")
      return std::abs(values[2][row]);
    const double gradient = std::abs(values[2].front());
    if (values.size() < 4)
      return gradient / static_cast<double>(operands[1].count());
    return gradient * values[3][row] / std::accumulate(values[3].begin(), values[3].end(), 0.0);
  }

  const OpCase &use;
  const std::vector<Tensor> &operands;
  const std::vector<int64_t> &shape;
  uint64_t results;
  std::vector<std::vector<double>> values; ///< of operands of floats
};

} // namespace

bool mp::isProduct(const std::string &op) {
  return op.starts_with("mp.matmul") || op.starts_with("mp.conv") || op == "mp.depthwise_conv" ||
         op == "mp.depthwise_conv_transpose";
}

bool mp::isSummed(const std::string &op) {
  return kSums.contains(op) || kRows.contains(op) || kNorms.contains(op) || kBatchNorms.contains(op) ||
         kGroupNorms.contains(op) || kLosses.contains(op) || kClassLosses.contains(op) || kNormed.contains(op) ||
         kAttention.contains(op);
}

std::vector<double> mp::allowedErrors(const OpCase &use, const std::vector<Tensor> &operands,
                                      const HostTensor &expected, const HostTensor &absolute, size_t result,
                                      bool splitsF16) {
  std::vector<double> allowed(expected.count(), 0.0);
  if (allowed.empty() || !isFloat(expected.type.element))
    return allowed;
  const FloatFormat format = formatOf(expected.type.element);
  const FloatFormat acc = use.text.find("acc f16") == std::string::npos ? kF32 : kF16;
  const auto ulps = kUlps.find(use.op);
  const bool isSum = isSummed(use.op);
  const bool isSplit = splitsF16 && isProduct(use.op) && operands.front().type.element == ElementType::F16;
  std::optional<Sizes> sizes;
  if (isSum)
    sizes.emplace(use, operands, allowed.size());
  // The derivative of gelu is 0 near -0.75, where what it is made of is not small.
  const std::vector<double> gradients = use.op == "mp.gelu_grad" ? operands[1].reals() : std::vector<double>();
  const std::vector<Rounded> together = kAttention.contains(use.op)    ? sizes->ofAttention(result, splitsF16)
                                        : kBatchNorms.contains(use.op) ? sizes->ofBatchNorm()
                                        : kGroupNorms.contains(use.op) ? sizes->ofGroupNorm()
                                                                       : std::vector<Rounded>();
  for (uint64_t i = 0; i < allowed.size(); ++i) {
    const double value = elementAt(expected, i);
    if (ulps != kUlps.end())
      allowed[i] =
          (expected.type.element == ElementType::F32 ? ulps->second.first : ulps->second.second) * ulp(value, format);
    if (!gradients.empty())
      allowed[i] += 0x1p-22 * std::abs(gradients[i]);
    if (!isSum)
      continue;
    const Rounded sum = !together.empty()               ? together[i]
                        : kRows.contains(use.op)        ? sizes->ofRow(i, value)
                        : kNorms.contains(use.op)       ? sizes->ofNorm(i, value)
                        : kLosses.contains(use.op)      ? sizes->ofLoss()
                        : kClassLosses.contains(use.op) ? sizes->ofClassLoss()
                        : kNormed.contains(use.op)      ? sizes->ofUpdate(i, value)
                                                        : sizes->ofSum(value, elementAt(absolute, i));
    if (sum.roundings == 0)
      continue;
    allowed[i] = isSplit && acc == kF32 ? splitContractionBound(sum.roundings, sum.size, value, format)
                                        : contractionBound(sum.roundings, sum.size, value, acc, format);
    allowed[i] += ulp(value, format) / 2;
  }
  return allowed;
}
