// NumPy's files of several arrays.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRAINING_DATA_NPZ_H
#define MP_LIB_TRAINING_DATA_NPZ_H

#include "mp/Training/Data/Dataset.h"

namespace mp {

/// Whether `source` names an .npz file, with settings or without.
bool isNpzSource(const std::string &source);

/// Fails where what stands behind "F.npz:" is none of x=NAME, y=NAME, x_test=NAME and y_test=NAME, each at most once.
Status checkNpzSource(const std::string &source);

/// Whether the file has an array of that part, or the source names one.
bool hasNpzArrays(const std::string &source, DataPart part);

/// Reads a part's images and labels.
ErrorOr<Dataset> readNpzArrays(const std::string &source, DataPart part);

} // namespace mp

#endif // MP_LIB_TRAINING_DATA_NPZ_H
