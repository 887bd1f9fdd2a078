// Rows with labels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TRAINING_DATA_DATASET_H
#define MP_TRAINING_DATA_DATASET_H

#include "mp/Runtime/Tensors/Tensor.h"

#include <string>
#include <vector>

namespace mp {

/// Rows of unsigned bytes: an image and a label each.
struct Dataset {
  std::string name;                // for messages: the folder and the part
  std::vector<int64_t> imageShape; // of one row, as the file has it
  std::vector<uint8_t> images;
  std::vector<uint8_t> labels;

  uint64_t rows() const { return labels.size(); }
  uint64_t imageBytes() const { return rows() ? images.size() / rows() : 0; }
};

enum class DataPart : uint8_t { Train, Test };

/// Reads a part of a folder with MNIST's file names: train-images-idx3-ubyte and
/// train-labels-idx1-ubyte, or those with t10k, plain or with .gz behind. The files are untrusted: a
/// header's sizes are compared with the file before memory is taken for them. Wrong magic numbers,
/// truncated or overlong files, numbers of images and labels that differ, and a set without rows are
/// errors that name the file.
ErrorOr<Dataset> readDataset(const std::string &folder, DataPart part);

/// Whether the folder has the images of that part.
bool hasDataset(const std::string &folder, DataPart part);

/// One IDX file of unsigned bytes, decompressed if it is gzip: sizes of its dimensions, and its data.
struct IdxArray {
  std::vector<int64_t> shape;
  std::vector<uint8_t> data;
};

/// Reads an IDX file of unsigned bytes with that many dimensions.
ErrorOr<IdxArray> readIdx(const std::string &path, unsigned dimensions);

} // namespace mp

#endif // MP_TRAINING_DATA_DATASET_H
