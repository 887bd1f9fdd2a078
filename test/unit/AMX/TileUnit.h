// What runs code with tiles of AMX in a test.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_AMX_TILEUNIT_H
#define MP_TEST_AMX_TILEUNIT_H

#include "AMX/EmulatedTiles.h"

#include <gtest/gtest.h>

#include <optional>

namespace mp::test {

/// What runs the instructions of a level's tiles while it is there: the processor, or their emulation. One at a time.
class TileUnit {
public:
  explicit TileUnit(const CPULevel &level) : source(findTiles(level)) {
    if (source == TileSource::Emulation)
      emulated.emplace();
  }
  /// Fails the test where instructions were emulated, and none was a product.
  ~TileUnit() {
    const bool isUsed = !emulated || EmulatedTiles::counts().products > 0;
    EXPECT_TRUE(isUsed) << "nothing was multiplied by tiles";
  }
  TileUnit(const TileUnit &) = delete;
  TileUnit &operator=(const TileUnit &) = delete;

  bool isThere() const { return source != TileSource::Nothing; }

private:
  TileSource source;
  std::optional<EmulatedTiles> emulated;
};

} // namespace mp::test

#endif // MP_TEST_AMX_TILEUNIT_H
