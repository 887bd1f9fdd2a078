// Rows with labels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TRAINING_DATA_DATASET_H
#define MP_TRAINING_DATA_DATASET_H

#include "mp/Runtime/Tensors/Tensor.h"

#include <string>
#include <vector>

namespace mp {

/// Rows of images, each with a label.
struct Dataset {
  std::string name;                // for messages: where the data are from, and the part
  std::vector<int64_t> imageShape; // of one row, as the file has it: [28, 28], or [32, 32, 3] with colours innermost
  std::vector<std::byte> images;   // unsigned bytes
  std::vector<uint8_t> labels;

  uint64_t rows() const { return labels.size(); }
  uint64_t imageBytes() const { return rows() ? images.size() / rows() : 0; }
};

enum class DataPart : uint8_t { Train, Test };

/// Reads a part of a folder, in one of these layouts:
///
///   MNIST      train-images-idx3-ubyte and train-labels-idx1-ubyte; t10k-... for test. Plain or with .gz behind
///   CIFAR-10   data_batch_1.bin to data_batch_5.bin; test_batch.bin
///   CIFAR-100  train.bin; test.bin. Labels are the fine ones
///
/// The files are untrusted: sizes that they state are compared with the file before memory is taken for them. Files
/// that are missing, damaged or not of the size that they should be, numbers of images and labels that differ, and a
/// set without rows are errors that name the file. CIFAR's Python version is an error, too: it is pickles.
ErrorOr<Dataset> readDataset(const std::string &folder, DataPart part);

/// Whether the folder has that part.
bool hasDataset(const std::string &folder, DataPart part);

} // namespace mp

#endif // MP_TRAINING_DATA_DATASET_H
