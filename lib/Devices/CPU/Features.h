// What this processor is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_DEVICES_CPU_FEATURES_H
#define MP_LIB_DEVICES_CPU_FEATURES_H

#include "mp/Runtime/Core/Device.h"

#include <string>
#include <vector>

namespace mp {

/// The processor's name as it gives it itself.
std::string hostModel();

/// The types that its instructions for products and sums work in, fastest first.
std::vector<MatrixUnit> hostMatrixUnits();

} // namespace mp

#endif // MP_LIB_DEVICES_CPU_FEATURES_H
