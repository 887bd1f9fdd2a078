// How GPU code is simulated.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_RUNTIME_CORE_SIMTOPTIONS_H
#define MP_RUNTIME_CORE_SIMTOPTIONS_H

#include "mp/Base/Status.h"

#include <cstdint>
#include <string_view>

namespace mp {

/// How the products of a matrix instruction are added up; the PTX ISA leaves it open.
enum class MatrixArithmetic : uint8_t {
  NearestEven,  ///< in order of k, each sum rounded to nearest even
  HardwareLike, ///< a few products at once, aligned to the largest and truncated, as Tensor Cores were found to do
};

/// What the simulated device looks for while kernels run, and in which order threads do.
struct SIMTOptions {
  bool races = false;         ///< two threads touch the same bytes of shared memory unordered, one writing
  bool uninitialized = false; ///< reads of shared and global memory that nothing was written to
  bool bounds = false;        ///< accesses outside of a launch's buffers and shared memory
  uint64_t seed = 0;          ///< shuffles the order of threads; 0 is the order of their numbers
  MatrixArithmetic arithmetic = MatrixArithmetic::NearestEven;

  /// Whether loads and stores must be reported, which code does that was compiled for it.
  bool checksMemory() const { return races || uninitialized || bounds; }

  bool operator==(const SIMTOptions &) const = default;
};

/// Reads "races,uninitialized,bounds,seed=7,hardware-like"; "checks" is the first three. What is said is set, the rest
/// stays.
Status setSIMTOptions(SIMTOptions &options, std::string_view text);

} // namespace mp

#endif // MP_RUNTIME_CORE_SIMTOPTIONS_H
