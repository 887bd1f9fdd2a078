// Rows with labels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TRAINING_DATA_DATASET_H
#define MP_TRAINING_DATA_DATASET_H

#include "mp/Runtime/Tensors/Tensor.h"

#include <span>
#include <string>
#include <vector>

namespace mp {

/// An array in someone else's memory, with a row for each sample.
struct DataArray {
  std::string name; ///< of the input that it is for
  TensorTypeT type; ///< of all of it; the first size is that of the rows
  std::span<const std::byte> bytes;

  uint64_t rowBytes() const { return bytes.size() / static_cast<uint64_t>(type.shape[0]); }
};

/// Rows of images, each with a label; or arrays, by the names of inputs.
struct Dataset {
  std::string name;                // for messages: where the data are from, and the part
  std::vector<int64_t> imageShape; // of one row, as the file has it: [28, 28], or [32, 32, 3] with colours innermost
  std::vector<std::byte> images;
  std::vector<int64_t> labels;
  ElementType imageElement = ElementType::UI8; // or F32
  std::vector<DataArray> arrays = {};          // where there are any, there are no images and labels

  uint64_t rows() const { return arrays.empty() ? labels.size() : static_cast<uint64_t>(arrays.front().type.shape[0]); }
  uint64_t imageBytes() const { return rows() ? images.size() / rows() : 0; }
};

enum class DataPart : uint8_t { Train, Test };

/// Fails where `source` names no data set whatever is on the disk: the settings behind an .npz file are no settings.
Status checkDataSource(const std::string &source);

/// Reads a part of a folder, in one of these layouts, or of an .npz file:
///
///   MNIST      train-images-idx3-ubyte and train-labels-idx1-ubyte; t10k-... for test. Plain or with .gz behind
///   CIFAR-10   data_batch_1.bin to data_batch_5.bin; test_batch.bin
///   CIFAR-100  train.bin; test.bin. Labels are the fine ones
///   F.npz      arrays x_train and y_train; x_test and y_test. "F.npz:x=A,y=B,x_test=C,y_test=D" names others, each by
///              itself. Images are [n, k], [n, y, x] or [n, y, x, colour] of ui8, f32 or f64 (which becomes f32),
///              labels [n] or [n, 1] of integers
///
/// The files are untrusted: sizes that they state are compared with the file before memory is taken for them. Files
/// that are missing, damaged or not of the size that they should be, numbers of images and labels that differ, and a
/// set without rows are errors that name the file. CIFAR's Python version is an error, too: it is pickles.
ErrorOr<Dataset> readDataset(const std::string &source, DataPart part);

/// The data set of arrays, which are as many rows each and at least one; no two have one name. `name` is for messages.
ErrorOr<Dataset> makeDataset(const std::string &name, std::vector<DataArray> arrays);

/// Whether there is that part, or it is named.
bool hasDataset(const std::string &source, DataPart part);

} // namespace mp

#endif // MP_TRAINING_DATA_DATASET_H
