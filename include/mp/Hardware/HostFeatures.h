// What this processor can do, and what of it this process may use.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_HARDWARE_HOSTFEATURES_H
#define MP_HARDWARE_HOSTFEATURES_H

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mp {

/// The features of this processor under LLVM's names ("avx512f", "amx-bf16"), those that the operating system lets this
/// process use; none where it is no x86. The first call asks it for the use of AMX, where the processor has it: code
/// with tiles runs in no process that has not called this.
const std::vector<std::string> &hostFeatures();

/// The others: those that the processor has and the operating system refuses this process. An old kernel, or one that
/// plays another (gVisor), refuses AMX.
const std::vector<std::string> &refusedFeatures();

/// Why code for a processor of `maker` that has all of `usable` is not code of a higher level: one line that names the
/// level, and the features of it that are among `refused`. Empty where no higher one is refused.
std::string describeRefusedLevel(std::span<const std::string> usable, std::span<const std::string> refused,
                                 std::string_view maker);

} // namespace mp

#endif // MP_HARDWARE_HOSTFEATURES_H
