// Where the slices of a launch plan are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_RUNTIME_CORE_PLANMEMORY_H
#define MP_RUNTIME_CORE_PLANMEMORY_H

#include "mp/Runtime/Core/Device.h"

#include <functional>
#include <map>

namespace mp {

/// Calls `visit` for every slice that a command of a plan touches.
void forEachSlice(const executable::CommandT &command,
                  const std::function<void(const executable::BufferSlice &)> &visit);

/// From the slices of a variant's commands to addresses in the device's address space: of the
/// variant's own memory, and of what a run is bound to. The same on every device.
class PlanMemory {
public:
  /// `variant` outlives this.
  explicit PlanMemory(const executable::VariantT &variant);

  /// Says where the variant's own memory is.
  void setOwn(void *arena, const void *constants);

  /// Success if `bindings` has a block for all that the plan touches, and each is large enough.
  Status check(const Bindings &bindings) const;

  /// The address of a slice, under bindings that were checked.
  std::byte *resolve(const executable::BufferSlice &slice, const Bindings &bindings) const;

private:
  void note(const executable::BufferSlice &slice);

  const executable::VariantT &variant;
  std::byte *arena = nullptr;
  const std::byte *constants = nullptr;
  std::map<uint32_t, uint64_t> reach;
};

} // namespace mp

#endif // MP_RUNTIME_CORE_PLANMEMORY_H
