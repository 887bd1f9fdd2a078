// The tile registers of AMX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_IR_TILEREGISTERS_H
#define MP_IR_TILEREGISTERS_H

#include <cstdint>

namespace mp {

/// A register has so many rows, of so many columns of 4 bytes; there are so many registers.
inline constexpr int64_t kTileRows = 16, kTileColumns = 16, kTileRegisters = 8;

/// What one instruction multiplies of k, elements of 16 bits.
inline constexpr int64_t kTileDepth = 32;

} // namespace mp

#endif // MP_IR_TILEREGISTERS_H
