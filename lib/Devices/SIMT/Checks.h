// Faults in how a kernel uses memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_DEVICES_SIMT_CHECKS_H
#define MP_LIB_DEVICES_SIMT_CHECKS_H

#include "Devices/SIMT/Clocks.h"
#include "Devices/SIMT/Memory.h"
#include "Devices/SIMT/Thread.h"
#include "mp/Runtime/Core/SIMTOptions.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace mp {

enum class AccessKind : uint8_t { Read, Write, Atomic };

/// NVVM's numbers. A generic address may be of either memory, or of the thread's own.
enum class AddressSpace : uint32_t { Generic = 0, Global = 1, Shared = 3 };

struct Access {
  AccessKind kind;
  AddressSpace space;
  uintptr_t address;
  uint64_t bytes;
};

/// The memory of one buffer of a launch.
struct SimulatedBuffer {
  std::byte *data;
  uint64_t bytes;
  bool isWritable;
  uint8_t *initialized; ///< a byte for each byte, not 0 where something was written; null where all of it was
};

/// Looks for races, uninitialized reads and accesses out of bounds in the accesses of a block, as the options say.
class Checks {
public:
  explicit Checks(const SIMTOptions &options) : options(options) {}

  /// Begins a block.
  void start(std::span<const SimulatedBuffer> memory, const std::byte *sharedMemory, uint32_t bytes);

  /// What is wrong with the access of `thread` at `site`; empty if nothing is. Notes the access.
  std::string check(const SimulatedThread &thread, const SimulatorSite *site, const Access &access);

  /// A copy into shared memory is on its way: nobody may touch these bytes until it lands.
  std::string startCopy(const SimulatedThread &thread, const PendingCopy &copy);

  /// It lands; `thread` writes the bytes now.
  std::string landCopy(const SimulatedThread &thread, const PendingCopy &copy);

  Clocks clocks;

private:
  /// Who did something to a byte, when and where.
  struct Trace {
    Stamp stamp;
    const SimulatorSite *site = nullptr;
  };

  /// What is known of one byte of shared memory. Of unordered readers two are remembered.
  struct Cell {
    Trace writer, readers[2], copier;
    bool isAtomic = false; // the writer
  };

  std::string checkShared(const SimulatedThread &thread, const SimulatorSite *site, const Access &access);
  std::string checkGlobal(const Access &access);
  std::string checkByte(Cell &cell, const SimulatedThread &thread, const SimulatorSite *site, AccessKind kind);
  void noteReader(Cell &cell, const Trace &reader) const;
  bool isShared(const Access &access) const;

  const SIMTOptions &options;
  std::span<const SimulatedBuffer> buffers;
  uintptr_t shared = 0;
  uint32_t sharedBytes = 0;
  std::vector<Cell> cells;
};

} // namespace mp

#endif // MP_LIB_DEVICES_SIMT_CHECKS_H
