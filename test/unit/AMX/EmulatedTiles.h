// Code with tiles of AMX, where the processor has none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_AMX_EMULATEDTILES_H
#define MP_TEST_AMX_EMULATEDTILES_H

#include "mp/Hardware/CPULevels.h"
#include "mp/Hardware/HostFeatures.h"

#include <csignal>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mp::test {

/// How often instructions were emulated.
struct TileCounts {
  uint64_t configurations = 0, loads = 0, stores = 0, products = 0;
};

/// While there is one, each tile instruction that a thread of this process meets is emulated: the processor does not
/// know it, and raises SIGILL. What would stop a processor that knows it, or reads a tile that nothing was written to,
/// ends the process with a line that names the instruction, its address and the function. One at a time, on processors
/// without tiles: of those with them only some instructions would come here.
class EmulatedTiles {
public:
  EmulatedTiles();
  ~EmulatedTiles();
  EmulatedTiles(const EmulatedTiles &) = delete;
  EmulatedTiles &operator=(const EmulatedTiles &) = delete;

  /// Of all threads, since this began.
  static TileCounts counts();
  /// Whether one is there, and gives the process the feature of LLVM's name.
  static bool provides(std::string_view feature);

private:
  struct sigaction before;
};

/// What runs code of a level with tiles in this process.
enum class TileSource : uint8_t {
  Nothing, ///< other instructions of the level are missing, too, or some of its tiles' alone
  Emulation,
  Processor ///< which Linux lets the process use from then on
};
TileSource findTiles(const CPULevel &level, const std::vector<std::string> &features = hostFeatures());

} // namespace mp::test

#endif // MP_TEST_AMX_EMULATEDTILES_H
