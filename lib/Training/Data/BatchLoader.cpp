// Batches, prepared ahead.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Training/Data/BatchLoader.h"
#include "mp/Numerics/Philox.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <numeric>

using namespace mp;
using namespace mp::executable;

/// Next to the initializers' stream, far from those of ops.
static constexpr uint32_t kShuffleStream = kInitializerStream - 1;

std::vector<uint32_t> mp::shuffledRows(uint64_t seed, uint64_t epoch, uint64_t rows) {
  std::vector<uint32_t> order(rows);
  std::iota(order.begin(), order.end(), 0u);
  for (uint64_t left = rows; left > 1; --left) {
    // The upper half of a product maps 32 bits to 0 .. left-1, even to within 2^-32 * left.
    uint64_t bits = randomBits(seed, epoch, kShuffleStream, left);
    std::swap(order[left - 1], order[bits * left >> 32]);
  }
  return order;
}

BatchLoader::BatchLoader(const Dataset &data, const DataBinding &binding, const BatchOrder &order,
                         const Augmentation &augmentation)
    : data(data), binding(binding), order(order), augmentation(augmentation),
      augmented(augmentation.any() ? data.imageBytes() : 0) {
  assert(batchesPerEpoch(data.rows(), static_cast<uint64_t>(binding.batchRows()), order) &&
         "an epoch without batches never gets to one");
  for (Batch &batch : slots) {
    for (const ArrayBinding &array : binding.arrays)
      batch.arrays.emplace_back(*byteCount(array.type));
    if (binding.arrays.empty()) {
      batch.images.resize(*byteCount(binding.imageType));
      if (binding.labelArgument)
        batch.labels.resize(*byteCount(binding.labelType));
    }
    if (binding.weightArgument)
      batch.weights.resize(*byteCount(binding.weightType));
  }
  producer = std::thread(&BatchLoader::produce, this);
}

BatchLoader::~BatchLoader() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  changed.notify_all();
  producer.join();
}

uint64_t BatchLoader::batchesPerEpoch(uint64_t rows, uint64_t batch, const BatchOrder &order) {
  uint64_t batches = order.pad ? (rows + batch - 1) / batch : rows / batch;
  return batches / order.multipleOf * order.multipleOf;
}

const Batch &BatchLoader::next() {
  std::unique_lock<std::mutex> lock(mutex);
  const Batch &batch = slots[taken % kSlots];
  taken += 1;
  changed.notify_all();
  changed.wait(lock, [&] { return made >= taken; });
  return batch;
}

void BatchLoader::produce() {
  uint64_t batchRows = static_cast<uint64_t>(binding.batchRows());
  uint64_t count = batchesPerEpoch(data.rows(), batchRows, order);
  uint64_t first = order.firstBatch;
  for (uint64_t epoch = order.firstEpoch;; ++epoch, first = 0) {
    std::vector<uint32_t> rows;
    if (order.shuffle) {
      rows = shuffledRows(order.seed, epoch, data.rows());
    } else {
      rows.resize(data.rows());
      std::iota(rows.begin(), rows.end(), 0u);
    }
    for (uint64_t index = first; index < count; ++index) {
      {
        // The slot's former batch was given back when a later one was taken.
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [&] { return stopping || made + 1 < taken + kSlots; });
        if (stopping)
          return;
      }
      Batch &batch = slots[made % kSlots];
      batch.epoch = epoch;
      batch.index = index;
      batch.rows = std::min(batchRows, data.rows() - index * batchRows);
      gather(batch, rows);
      {
        std::lock_guard<std::mutex> lock(mutex);
        made += 1;
      }
      changed.notify_all();
    }
  }
}

/// Copies one row, whose elements are `from`, as elements of the batch.
static void storeRow(std::vector<std::byte> &batch, ElementType element, uint64_t row,
                     std::span<const std::byte> values, ElementType from) {
  uint64_t count = values.size() / elementBytes(from), size = elementBytes(element);
  std::span<std::byte> to = std::span(batch).subspan(row * count * size, count * size);
  if (element == from) {
    std::memcpy(to.data(), values.data(), values.size());
    return;
  }
  for (uint64_t i = 0; i < count; ++i) {
    float value = std::to_integer<uint8_t>(values[i]);
    if (from == ElementType::F32)
      std::memcpy(&value, values.data() + i * sizeof(value), sizeof(value));
    storeElement(to, element, i, value);
  }
}

void BatchLoader::gatherArrays(Batch &batch, std::span<const uint32_t> rows) {
  for (size_t i = 0; i < data.arrays.size(); ++i) {
    const DataArray &array = data.arrays[i];
    const uint64_t size = array.rowBytes();
    std::byte *to = batch.arrays[i].data();
    for (uint32_t row : rows) {
      std::memcpy(to, array.bytes.data() + row * size, size);
      to += size;
    }
    std::fill(to, batch.arrays[i].data() + batch.arrays[i].size(), std::byte(0));
  }
}

void BatchLoader::gatherImages(Batch &batch, std::span<const uint32_t> rows) {
  uint64_t batchRows = static_cast<uint64_t>(binding.batchRows());
  if (batch.rows < batchRows) {
    std::fill(batch.images.begin(), batch.images.end(), std::byte(0));
    std::fill(batch.labels.begin(), batch.labels.end(), std::byte(0));
  }
  std::span<const std::byte> images(data.images);
  for (uint64_t i = 0; i < batch.rows; ++i) {
    uint64_t row = rows[i];
    std::span<const std::byte> image = images.subspan(row * data.imageBytes(), data.imageBytes());
    if (augmentation.any()) {
      augmentRow(augmentation, data, order.seed, batch.epoch, row, augmented);
      image = augmented;
    }
    storeRow(batch.images, binding.imageType.element, i, image, data.imageElement);
    if (binding.labelArgument)
      storeElement(batch.labels, binding.labelType.element, i, static_cast<double>(data.labels[row]));
  }
}

void BatchLoader::gather(Batch &batch, const std::vector<uint32_t> &order) {
  const uint64_t batchRows = static_cast<uint64_t>(binding.batchRows());
  const std::span<const uint32_t> rows = std::span(order).subspan(batch.index * batchRows, batch.rows);
  if (binding.arrays.empty())
    gatherImages(batch, rows);
  else
    gatherArrays(batch, rows);
  if (binding.weightArgument)
    for (uint64_t i = 0; i < batchRows; ++i)
      storeElement(batch.weights, binding.weightType.element, i, i < batch.rows);
}
