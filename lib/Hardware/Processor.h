// What a processor and its operating system answer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_HARDWARE_PROCESSOR_H
#define MP_LIB_HARDWARE_PROCESSOR_H

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mp {

struct Processor {
  /// The registers A, B, C and D of a leaf and subleaf of CPUID; zeros where the processor has none of that number.
  std::function<std::array<uint32_t, 4>(uint32_t leaf, uint32_t subleaf)> cpuid;
  /// The register XCR0: the parts of the register file that the operating system saves. Asked where CPUID says that it
  /// saves any.
  std::function<uint64_t()> savedState;
  /// Asks the operating system for the use of tile registers, and says whether it agrees. Asked at most once.
  std::function<bool()> askForTiles;
};

/// Features under LLVM's names, in the order of the table.
struct FeatureNames {
  std::vector<std::string> usable;
  /// Those that the processor has and the operating system lets no code of this process use.
  std::vector<std::string> refused;
};

FeatureNames namesOfFeatures(const Processor &processor);

} // namespace mp

#endif // MP_LIB_HARDWARE_PROCESSOR_H
