// The chip to make code for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Runtime/Core/BestChip.h"
#include "mp/Executable/Targets.h"
#include "mp/Hardware/ChipTable.h"

#include <cstring>

using namespace mp;

/// An executable with one kernel that takes what `chip` has: PTX of its version, and all the shared memory of a block.
static ErrorOr<LoadedExecutable> demandOf(const Chip &chip, const std::string &target) {
  using namespace executable;
  const std::string code =
      ".version " + std::to_string(chip.ptxVersion / 10) + "." + std::to_string(chip.ptxVersion % 10) + "\n";
  std::optional<FileBytes> bytes = FileBytes::allocate(code.size());
  if (!bytes)
    return makeError("no memory");
  std::memcpy(bytes->data(), code.data(), code.size());
  auto blob = std::make_unique<BlobT>();
  blob->kind = BlobKind::PTX;
  blob->length = code.size();
  LaunchT launch;
  launch.shared_bytes = static_cast<uint32_t>(chip.sharedBytesPerBlock);
  auto variant = std::make_unique<VariantT>();
  variant->target = target;
  variant->features = {std::string(chip.name)};
  variant->commands.push_back(std::make_unique<CommandT>());
  variant->commands.back()->what.Set(std::move(launch));
  auto program = std::make_unique<ProgramT>();
  program->variants.push_back(std::move(variant));
  LoadedExecutable file{{}, std::move(*bytes)};
  file.table.blobs.push_back(std::move(blob));
  file.table.programs.push_back(std::move(program));
  return ErrorOr<LoadedExecutable>(std::move(file));
}

ErrorOr<std::string> mp::bestChip(const Device &device) {
  const DeviceDescription &description = device.description();
  if (description.target == targets::simt)
    return std::string(kSimulatedChip);
  std::string best;
  double preference = 0;
  for (const Chip &chip : allChips()) {
    const ErrorOr<LoadedExecutable> file = demandOf(chip, description.target);
    if (!file)
      return file.status();
    const executable::VariantT &variant = *file->table.programs.front()->variants.front();
    if (!device.canRun(*file, variant).ok() || (!best.empty() && device.preference(variant) <= preference))
      continue;
    best = std::string(chip.name);
    preference = device.preference(variant);
  }
  if (best.empty())
    return makeError("device ", description.name, " (", description.model,
                     ") runs code for none of the chips that there is code for: ", chipNames());
  return best;
}
