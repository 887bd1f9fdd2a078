// The tile registers of AMX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_AMX_TILES_H
#define MP_TEST_AMX_TILES_H

#include <array>
#include <cstddef>
#include <cstdint>

namespace mp::test {

/// The eight registers of one thread, and what instructions do to them. A method gives null, or, having changed
/// nothing, why a processor would stop there: a text that lives forever. Numbers of registers are below 8. Nothing is
/// allocated and nothing depends on the thread's floating-point modes, so that it serves in a signal handler.
class Tiles {
public:
  /// The types of what is multiplied; sums are f32.
  enum class Operand : uint8_t { BF16, F16 };
  using Fault = const char *;

  static constexpr size_t kConfigurationBytes = 64, kTiles = 8, kRows = 16, kRowBytes = 64;

  /// ldtilecfg: palette 1 gives each register its rows and bytes of a row, and content 0; palette 0 is release().
  Fault configure(const std::byte *configuration);
  void release() { *this = Tiles(); }
  Fault zero(unsigned tile);
  /// Rows are `stride` bytes apart.
  Fault load(unsigned tile, const std::byte *rows, int64_t stride);
  Fault store(unsigned tile, std::byte *rows, int64_t stride) const;
  /// tdpbf16ps, tdpfp16ps: adds to sums[i][j] the products of lhs[i][2 p + q] and rhs[p][2 j + q].
  Fault multiply(Operand type, unsigned sums, unsigned lhs, unsigned rhs);

private:
  struct Register {
    uint8_t rows = 0, rowBytes = 0;
    bool isWritten = false; // what is read before is a fault of ours, though not the processor's
    std::array<std::array<std::byte, kRowBytes>, kRows> content = {};
  };

  bool isThere(unsigned tile) const { return registers[tile].rows != 0; }
  Fault checkProduct(unsigned sums, unsigned lhs, unsigned rhs) const;

  std::array<Register, kTiles> registers;
};

} // namespace mp::test

#endif // MP_TEST_AMX_TILES_H
