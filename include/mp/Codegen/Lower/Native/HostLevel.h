// What this machine runs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_CODEGEN_LOWER_NATIVE_HOSTLEVEL_H
#define MP_CODEGEN_LOWER_NATIVE_HOSTLEVEL_H

#include "mp/Hardware/CPULevels.h"

namespace mp {

/// The highest level whose features this process may use, of those that are taken on processors of this maker.
const CPULevel &hostLevel();

/// The same of levels without tiles (AMX): what its vectors run.
const CPULevel &hostVectorLevel();

/// Why hostLevel() is not a higher one that this processor has, in a line; empty where there is none.
std::string describeHostRefusal();

} // namespace mp

#endif // MP_CODEGEN_LOWER_NATIVE_HOSTLEVEL_H
