// What there can be code for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_EXECUTABLE_TARGETS_H
#define MP_EXECUTABLE_TARGETS_H

#include "mp/Executable/Executable_generated.h"

#include <span>
#include <string_view>

namespace mp {

/// Targets, as a variant names its own and a device the one that it runs.
namespace targets {
inline constexpr char cpu[] = "cpu";
inline constexpr char nvptx[] = "nvptx";
inline constexpr char simt[] = "simt";
inline constexpr char reference[] = "reference";
} // namespace targets

/// What a target's code is, and what a block of it has for itself.
struct TargetFormat {
  std::string_view name;
  /// What its code may be; the first is what the compiler makes.
  std::span<const executable::BlobKind> code;
  /// Whether blocks have threads and shared memory, and `features` of a variant is a chip.
  bool isGPU;
  /// Whether a variant is one launch, of the program's text.
  bool runsText;
};

/// The row of the target of that name. Any other target is a processor.
const TargetFormat &targetFormat(std::string_view name);

} // namespace mp

#endif // MP_EXECUTABLE_TARGETS_H
