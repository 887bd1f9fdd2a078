// MNIST's files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRAINING_DATA_IDX_H
#define MP_LIB_TRAINING_DATA_IDX_H

#include "mp/Training/Data/Dataset.h"

namespace mp {

/// Whether the folder has that part's images: train-images-idx3-ubyte or t10k-images-idx3-ubyte, plain or with .gz
/// behind.
bool hasIdxFiles(const std::string &folder, DataPart part);

/// Reads a part's images and labels.
ErrorOr<Dataset> readIdxFiles(const std::string &folder, DataPart part);

} // namespace mp

#endif // MP_LIB_TRAINING_DATA_IDX_H
