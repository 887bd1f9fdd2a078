// The chip to make code for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_RUNTIME_CORE_BESTCHIP_H
#define MP_RUNTIME_CORE_BESTCHIP_H

#include "mp/Runtime/Core/Device.h"

namespace mp {

/// What code for a simulated device is made for, which runs that of any chip: the oldest with all that kernels use.
inline constexpr char kSimulatedChip[] = "sm_80";

/// The chip in our table that code for a GPU is best made for: whatever its kernels take, the device has it. An error
/// where it runs code for none of them.
ErrorOr<std::string> bestChip(const Device &device);

} // namespace mp

#endif // MP_RUNTIME_CORE_BESTCHIP_H
