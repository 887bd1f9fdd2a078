// Values that share memory over time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_KERNELS_MEMORY_ARENA_H
#define MP_KERNELS_MEMORY_ARENA_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <vector>

namespace mp {

/// What every offset in memory is a multiple of.
inline constexpr int64_t kBufferAlignment = 64;

/// A value's size, and the first and the last step at which its bytes are in use.
struct Lifetime {
  int64_t bytes;
  unsigned begin, end;
};

/// An offset for each value, and the bytes of them all.
struct ArenaPlan {
  std::vector<int64_t> offsets;
  int64_t bytes = 0;
};

/// Offsets such that no two values in use at one step overlap: each value takes the smallest hole that fits when it
/// begins. `values` are in the order of `begin`. {100 B, steps 0-1}, {100 B, 1-2}, {100 B, 2-3} -> offsets 0, 128, 0.
ArenaPlan planArena(llvm::ArrayRef<Lifetime> values);

} // namespace mp

#endif // MP_KERNELS_MEMORY_ARENA_H
