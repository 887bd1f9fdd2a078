// A model at random, op after op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_RANDOMMODELS_MODELBUILDER_H
#define MP_TEST_RANDOMMODELS_MODELBUILDER_H

#include "RandomModels/Model.h"

#include <random>

namespace mp {

enum class Convolves { Plain, Transposed, Depthwise };

/// What is known of a model that grows. Shapes agree by the symbols of their sizes, whatever numbers stand for them, so
/// that every model stays valid when a size shrinks.
class ModelBuilder {
public:
  explicit ModelBuilder(uint64_t seed);

  /// Inputs, parameters of ranks 0 to 3, and states.
  void addArguments();
  /// The model with a loss, results and settings.
  RandomModel finish();

  unsigned pick(size_t count) { return static_cast<unsigned>(random() % count); }
  /// A float of at least `rank` dimensions, recent ones more often.
  unsigned pickFloat(size_t rank = 0);
  /// A float that can be combined with `value`.
  unsigned pickBroadcastable(unsigned value);
  /// Sizes that are not the batch.
  std::vector<Size> pickShape(size_t rank);
  /// Another shape of the same elements.
  std::vector<Size> pickView(unsigned value);
  /// A dimension of `value` that is not the open batch; the rank where there is none.
  unsigned pickKeptDimension(unsigned value);

  const ValueType &typeOf(unsigned value) const { return model.values[value]; }
  double boundOf(unsigned value) const { return bounds[value]; }
  int64_t countOf(const std::vector<Size> &shape) const;
  /// Whether the first dimension is an open batch.
  bool isBatched(unsigned value) const;
  bool hasBF16() const { return usesBF16; }
  /// From here on bf16 is the low type.
  void takeBF16() { usesBF16 = true; }
  ValueType broadcastType(unsigned lhs, unsigned rhs) const;

  /// Adds an op whose result is at most `bound` in magnitude; too large a tensor stands for one of its operands.
  unsigned add(std::string text, std::vector<unsigned> operands, ValueType type, double bound);
  /// `value`, scaled down where it could be larger than `most`.
  unsigned bounded(unsigned value, double most);
  /// value * value + 0.5.
  unsigned positive(unsigned value);
  unsigned castTo(unsigned value, const std::string &element);
  unsigned transpose(unsigned value);
  unsigned broadcast(unsigned value);
  unsigned reduce(unsigned value, const std::string &op);
  /// A product of `value`, which has rank 2 or more, with a new parameter or with what fits it; `value` where that
  /// would be too much work.
  unsigned product(unsigned value);
  /// A convolution of `value`, which has rank 3 or more, with new filters; `value` where it has no pixels or that would
  /// be too much work.
  unsigned convolution(unsigned value, Convolves how);
  /// A pooling of `value`, which has rank 3 or more, to as many pixels; `value` where it has none.
  unsigned pool(unsigned value, const std::string &op);
  /// A product whose k is long.
  unsigned longProduct();
  /// `value` through a tensor that has each of its elements and another in dimension `dimension`, which has some:
  /// behind one another, or with constants between them.
  unsigned throughTwice(unsigned value, unsigned dimension, const std::string &op);
  /// Rows of a new parameter by new labels.
  unsigned embedding();
  /// A loss of rows of classes that are made of `value`, against new labels or probabilities.
  unsigned classLoss(unsigned value, const std::string &op);
  /// The cosine between `value`, which has rank 1 or more, and a new input; `value` where that is too narrow.
  unsigned cosine(unsigned value);
  /// The mean of a term of each element of `value`, of rank 1 or more, and of another value of its type.
  unsigned elementLoss(unsigned value, const std::string &op);
  /// `value`, which has rank 1 or more, normalized along its last dimension; `value` where that is the batch or
  /// nothing.
  unsigned layerNorm(unsigned value, const std::string &op);
  /// A normalization of all channels of `value`, which has rank 2 or more, together.
  unsigned groupNorm(unsigned value);
  /// A normalization of the channels of `value`, which has rank 2 or more: over its rows, or by statistics that are
  /// given where those are an open batch. `value` where there are too few rows.
  unsigned batchNorm(unsigned value);
  /// The (seed, step) of random numbers.
  unsigned rng();
  void beginRegion(const std::string &what);

private:
  /// New labels for these rows, below the size `classes`.
  unsigned labelsOf(const std::vector<Size> &rows, const Size &classes);
  /// A new input as rows of probabilities in the type of `value`.
  unsigned probabilitiesLike(unsigned value);
  unsigned addArgument(Role role, ValueType type, Size classes = {});
  unsigned addValue(ValueType type, double bound);
  unsigned constant(double value, const std::string &element);
  unsigned factorOf(const ValueType &type);
  unsigned scalarOf(unsigned value);
  void addSettings();

  /// Elements of a tensor, at most: simulated devices run every thread of every launch.
  static constexpr int64_t kMostElements = 2048;

  RandomModel model;
  std::mt19937_64 random;
  std::vector<double> bounds;
  std::vector<bool> depends;  ///< whether a value depends on a parameter, so that a loss of it has a gradient
  std::vector<bool> combines; ///< whether a value depends on several rows of an open batch, which no output may
  bool usesBF16 = false;
  int region = -1;
  unsigned regionEnd = 0;
};

} // namespace mp

#endif // MP_TEST_RANDOMMODELS_MODELBUILDER_H
