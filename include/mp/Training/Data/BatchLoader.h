// Batches, prepared ahead.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TRAINING_DATA_BATCHLOADER_H
#define MP_TRAINING_DATA_BATCHLOADER_H

#include "mp/Training/Data/Augmentation.h"
#include "mp/Training/Data/Classes.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace mp {

/// The rows of epoch `epoch` in the order in which training sees them: a permutation that is a pure
/// function of (seed, epoch, rows), by Fisher and Yates with Philox bits of stream kShuffleStream
/// and step `epoch`. No device, thread or batch size changes it.
std::vector<uint32_t> shuffledRows(uint64_t seed, uint64_t epoch, uint64_t rows);

/// Where an array goes in a program, and the type of one batch of it.
struct ArrayBinding {
  size_t argument; // index in the variant's arguments
  TensorTypeT type;
};

/// Where a data set goes in a program: the types of one batch of each.
struct DataBinding {
  size_t imageArgument;                 // index in the variant's arguments
  std::optional<size_t> labelArgument;  // none where the model learns from images alone
  std::optional<size_t> weightArgument; // row weights
  TensorTypeT imageType;
  TensorTypeT labelType;
  TensorTypeT weightType;
  std::vector<ArrayBinding> arrays; // of each of the data set's; images and labels are nowhere then

  int64_t batchRows() const { return (arrays.empty() ? imageType : arrays.front().type).shape[0]; }
};

/// Binds arrays to the inputs of their names, whose element types are theirs and whose rows have as many elements.
///
/// Binds images to the first input that is no label and labels to the label (where none is marked:
/// to the second input, if there is one). A row is reshaped to the input's type when it has the right number of
/// elements, an image with colours to a flat one only. Bytes are converted to the input's element type, which is exact,
/// f32 to float types alone, rounded to nearest even. `classes` bounds labels, and indices that
/// are arrays, where they are known; labels else by the input's type. Errors name the input, what it takes and what the
/// data are; one for a label out of range names the row.
ErrorOr<DataBinding> bindDataset(const Dataset &data, const executable::VariantT &variant, const Classes &classes);

/// Binds all inputs of a program, and row weights, by their names: of batches that somebody else makes.
DataBinding bindInputs(const executable::VariantT &variant);

/// A micro-batch that somebody else makes: a whole batch of each input of the program by its name, of which `rows` are
/// data, and row weights where others fill it up.
struct GivenBatch {
  NamedTensors inputs;
  uint64_t rows = 0;
};

/// One batch as the arguments' bytes.
struct Batch {
  std::vector<std::byte> images;
  std::vector<std::byte> labels;
  std::vector<std::vector<std::byte>> arrays;
  std::vector<std::byte> weights; // 1 for rows of the data, 0 for padding
  uint64_t epoch = 0;
  uint64_t index = 0; // within the epoch
  uint64_t rows = 0;  // without padding
};

struct BatchOrder {
  uint64_t seed = 0;
  bool shuffle = true;
  bool pad = false;        // a last partial batch is padded with rows of zeros, else dropped
  uint64_t multipleOf = 1; // batches of an epoch beyond a multiple of this are dropped
  uint64_t firstEpoch = 0;
  uint64_t firstBatch = 0;
};

/// Gathers batches on a thread of its own, ahead of the one that uses them, epoch after epoch.
class BatchLoader {
public:
  /// `data` outlives the loader; its images are those that the augmentation was checked with.
  BatchLoader(const Dataset &data, const DataBinding &binding, const BatchOrder &order,
              const Augmentation &augmentation = {});
  ~BatchLoader();

  /// Batches of one epoch for that data and order.
  static uint64_t batchesPerEpoch(uint64_t rows, uint64_t batch, const BatchOrder &order);

  /// The next batch, which is the caller's until it asks for another. There must be at least one
  /// batch in an epoch.
  const Batch &next();

private:
  void produce();
  void gather(Batch &batch, const std::vector<uint32_t> &order);
  void gatherArrays(Batch &batch, std::span<const uint32_t> rows);
  void gatherImages(Batch &batch, std::span<const uint32_t> rows);

  static constexpr size_t kSlots = 3; // one in use, one ready, one being made

  const Dataset &data;
  DataBinding binding;
  BatchOrder order;
  Augmentation augmentation;
  std::vector<std::byte> augmented; // one image
  Batch slots[kSlots];

  std::mutex mutex;
  std::condition_variable changed;
  uint64_t made = 0;  // batches that are ready or were
  uint64_t taken = 0; // batches handed out; the last is in use
  bool stopping = false;
  std::thread producer;
};

} // namespace mp

#endif // MP_TRAINING_DATA_BATCHLOADER_H
