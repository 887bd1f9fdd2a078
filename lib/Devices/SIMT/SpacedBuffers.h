// A launch's buffers, far from one another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_DEVICES_SIMT_SPACEDBUFFERS_H
#define MP_LIB_DEVICES_SIMT_SPACEDBUFFERS_H

#include "Devices/SIMT/Checks.h"
#include "Devices/SIMT/Memory.h"

#include <span>
#include <vector>

namespace mp {

/// Copies of a launch's buffers for as long as it runs. kReach bytes and more lie between any two, so that an index
/// that is wrong, by little or by much, leads into none of the others; the nearest are a margin that no launch may
/// touch. A slice that is twice in a launch has one copy.
class SpacedBuffers {
public:
  static constexpr uint64_t kReach = uint64_t(1) << 30;
  static constexpr uint64_t kMargin = 4160; ///< no multiple of a page: copies are aligned as buffers are, not better

  /// Moves `buffers` into copies; `pointers` are what the launch would have got.
  static ErrorOr<SpacedBuffers> make(std::span<SimulatedBuffer> buffers, std::span<void *const> pointers);

  /// What the launch gets.
  std::span<void *const> pointers() const { return addresses; }

  /// An error that names the first byte of a margin that is not as it was.
  Status checkMargins() const;

  /// Puts what the launch wrote where it belongs.
  void copyBack() const;

private:
  std::span<SimulatedBuffer> buffers;
  Mapping memory;
  std::vector<std::byte *> originals;
  std::vector<void *> addresses;
};

} // namespace mp

#endif // MP_LIB_DEVICES_SIMT_SPACEDBUFFERS_H
