// What this machine runs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_CODEGEN_LOWER_NATIVE_HOSTLEVEL_H
#define MP_CODEGEN_LOWER_NATIVE_HOSTLEVEL_H

#include "mp/Hardware/CPULevels.h"

namespace mp {

/// The highest level whose features this machine has, of those that are taken on processors of its maker.
const CPULevel &hostLevel();

} // namespace mp

#endif // MP_CODEGEN_LOWER_NATIVE_HOSTLEVEL_H
