// CIFAR's binary files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRAINING_DATA_CIFAR_H
#define MP_LIB_TRAINING_DATA_CIFAR_H

#include "mp/Training/Data/Dataset.h"

namespace mp {

/// Whether the folder has a file of that part of CIFAR-10: a data_batch_K.bin, or test_batch.bin.
bool hasCifar10Files(const std::string &folder, DataPart part);

/// The same for CIFAR-100: train.bin, or test.bin.
bool hasCifar100Files(const std::string &folder, DataPart part);

/// Reads a part: images [32, 32, 3], made of the files' planes of red, green and blue. A file that is missing, one that
/// is not whole records and a label that is none of the classes are errors with the file's path.
ErrorOr<Dataset> readCifar10Files(const std::string &folder, DataPart part);

/// The same for CIFAR-100. Labels are the fine ones, 0 to 99.
ErrorOr<Dataset> readCifar100Files(const std::string &folder, DataPart part);

/// Fails where the folder has the files of CIFAR's Python version, which are pickles.
Status refuseCifarPickles(const std::string &folder);

} // namespace mp

#endif // MP_LIB_TRAINING_DATA_CIFAR_H
