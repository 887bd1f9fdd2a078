// What processors can do, as data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_ANALYSIS_HARDWARETABLE_H
#define MP_ANALYSIS_HARDWARETABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <array>

namespace mp {

/// The float types that arithmetic has a rate in. Integers are counted as F32.
enum class ArithmeticType { F16, BF16, F32, F64 };

/// Register tile of a contraction: rows and columns of f32 accumulators that stay in registers.
struct RegisterTile {
  int64_t rows, columns;
};

/// One level of a target: a set of features that code is made for. All rates are of one core.
struct Hardware {
  /// The target and the level as options spell them: "cpu", "avx2".
  llvm::StringRef target, level;
  /// f32 lanes of a vector register.
  int64_t lanes;
  /// Tiles that fit the registers, the one for large matrices first.
  llvm::ArrayRef<RegisterTile> tiles;
  /// Operations per second by ArithmeticType in a contraction; a multiply and an add are two.
  std::array<double, 4> contractionRates;
  /// Operations per second by ArithmeticType in all other kernels, which convert as they load and store.
  std::array<double, 4> mapRates;
  /// Bytes per second from and to memory, and within the second-level cache.
  double memoryBandwidth, cacheBandwidth;
  /// Bytes of the second-level cache.
  int64_t cacheBytes;
  /// Seconds to start a kernel, and a block of one.
  double launchSeconds, blockSeconds;
};

/// Every level of every target, the lowest first within a target.
llvm::ArrayRef<Hardware> getHardwareTable();

/// The row of `target` and `level`, or null.
const Hardware *findHardware(llvm::StringRef target, llvm::StringRef level);

} // namespace mp

#endif // MP_ANALYSIS_HARDWARETABLE_H
