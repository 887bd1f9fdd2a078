// What an instruction of AMX says.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_AMX_TILEINSTRUCTION_H
#define MP_TEST_AMX_TILEINSTRUCTION_H

#include <cstdint>
#include <optional>

namespace mp::test {

/// Those that compiled products consist of.
enum class TileOperation : uint8_t { Configure, Release, Zero, Load, Store, MultiplyBF16, MultiplyF16 };

/// An operation's name in assembly.
const char *nameOf(TileOperation operation);

/// The place in memory that an instruction speaks of: base + displacement, and index * scale, which is from row to row
/// where there are rows. Registers have the processor's numbers, 0 for rax to 15 for r15.
struct TileAddress {
  static constexpr int kNone = -1, kNextInstruction = -2;

  int base = kNone, index = kNone;
  unsigned scale = 1;
  int64_t displacement = 0;
};

/// One instruction. `tile` is its result, or what it stores; `lhs` and `rhs` are what it multiplies.
struct TileInstruction {
  TileOperation operation = TileOperation::Release;
  unsigned bytes = 0; ///< of code
  unsigned tile = 0, lhs = 0, rhs = 0;
  TileAddress address;
};

/// The instruction at `code`, or nothing where that is none of TileOperation's in a form that a processor accepts.
/// Reads no further than the instruction goes, 11 bytes at most.
std::optional<TileInstruction> decodeTileInstruction(const uint8_t *code);

} // namespace mp::test

#endif // MP_TEST_AMX_TILEINSTRUCTION_H
