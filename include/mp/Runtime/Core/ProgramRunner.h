// A program with memory to run in.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_RUNTIME_CORE_PROGRAMRUNNER_H
#define MP_RUNTIME_CORE_PROGRAMRUNNER_H

#include "mp/Runtime/Core/Device.h"
#include "mp/Runtime/Tensors/Tensor.h"

namespace mp {

/// One variant loaded on a device, with memory for its arguments and results, several times over
/// (slots), so that the host fills and reads one slot while the device works in another.
class ProgramRunner {
public:
  /// Loads and allocates. `state` has one block for each row of the state table; it, `file` and
  /// `device` outlive the runner.
  static ErrorOr<std::unique_ptr<ProgramRunner>> create(Device &device, const LoadedExecutable &file,
                                                        const executable::ProgramT &program,
                                                        const executable::VariantT &variant,
                                                        std::span<DeviceMemory *const> state, unsigned slots);

  const executable::ProgramT &program() const { return programTable; }
  const executable::VariantT &variant() const { return variantTable; }
  unsigned slots() const { return static_cast<unsigned>(slotList.size()); }

  /// The index of the argument or result of that name, or nothing.
  std::optional<size_t> argument(std::string_view name) const;
  std::optional<size_t> result(std::string_view name) const;

  /// The memory of an argument or a result of a slot; null for kinds State and Next.
  const DeviceMemory *argumentMemory(unsigned slot, size_t index) const { return slotList[slot].argumentList[index]; }
  const DeviceMemory *resultMemory(unsigned slot, size_t index) const { return slotList[slot].resultList[index]; }

  /// Copies a whole argument of kind Input or RowWeights into a slot.
  Status setArgument(unsigned slot, size_t index, std::span<const std::byte> bytes);

  /// Puts one run on the memory of a slot into the device's queue.
  Status enqueue(unsigned slot);

  /// Runs once on the memory of a slot, waits, and gives the seconds of each command of the variant.
  ErrorOr<std::vector<double>> timeCommands(unsigned slot);

  /// Waits for the last run of a slot.
  Status wait(unsigned slot);

  /// A result of the last run of a slot, which is waited for; not for kind Next.
  ErrorOr<HostTensor> read(unsigned slot, size_t index);

  /// Device memory of code, arena, arguments and results.
  uint64_t residentBytes() const;

private:
  using Blocks = std::vector<std::unique_ptr<DeviceMemory>>;

  struct Slot {
    Blocks arguments;
    Blocks results;
    std::vector<DeviceMemory *> argumentList;
    std::vector<DeviceMemory *> resultList;
    QueuePoint done = 0;
  };

  ProgramRunner(Device &device, const executable::ProgramT &program, const executable::VariantT &variant,
                std::span<DeviceMemory *const> state)
      : device(device), programTable(program), variantTable(variant), state(state) {}

  Status allocate(Slot &slot);

  Device &device;
  const executable::ProgramT &programTable;
  const executable::VariantT &variantTable;
  std::span<DeviceMemory *const> state;
  std::unique_ptr<LoadedVariant> loaded;
  std::vector<Slot> slotList;
};

} // namespace mp

#endif // MP_RUNTIME_CORE_PROGRAMRUNNER_H
