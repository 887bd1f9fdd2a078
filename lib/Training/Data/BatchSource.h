// Where the batches of a training come from.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRAINING_DATA_BATCHSOURCE_H
#define MP_LIB_TRAINING_DATA_BATCHSOURCE_H

#include "mp/Training/Data/BatchLoader.h"

#include <functional>

namespace mp {

/// Gives micro-batches, step by step.
class BatchSource {
public:
  virtual ~BatchSource() = default;

  /// Whether the epoch has another step; `next` then gives its batches.
  virtual ErrorOr<bool> startStep() = 0;

  /// The next batch, which is the caller's until it asks for another.
  virtual const Batch &next() = 0;
};

/// Of a data set, whose epochs are of a known number of steps, and which never ends.
class LoadedBatches : public BatchSource {
public:
  LoadedBatches(const Dataset &data, const DataBinding &binding, const BatchOrder &order,
                const Augmentation &augmentation)
      : loader(data, binding, order, augmentation) {}

  ErrorOr<bool> startStep() override { return true; }
  const Batch &next() override { return loader.next(); }

private:
  BatchLoader loader;
};

/// Of who makes them, checked: types are those of the variant's arguments, labels and indices are classes.
class GivenBatches : public BatchSource {
public:
  using NextStep = std::function<ErrorOr<std::vector<GivenBatch>>()>;

  /// All of them outlive it. A step has `microBatches`.
  GivenBatches(const executable::VariantT &variant, const DataBinding &binding, const Classes &classes,
               const NextStep &nextStep, uint64_t microBatches)
      : variant(variant), binding(binding), classes(classes), nextStep(nextStep), microBatches(microBatches) {}

  ErrorOr<bool> startStep() override;
  const Batch &next() override { return batches[taken++]; }

private:
  ErrorOr<Batch> fill(GivenBatch given) const;

  const executable::VariantT &variant;
  const DataBinding &binding;
  const Classes classes;
  const NextStep &nextStep;
  uint64_t microBatches;
  std::vector<Batch> batches; // of the step
  size_t taken = 0;
};

} // namespace mp

#endif // MP_LIB_TRAINING_DATA_BATCHSOURCE_H
