// A GPU that the host plays.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Devices/SIMT/SIMTDevice.h"
#include "Devices/CPU/Features.h"
#include "Devices/Host/HostDevice.h"
#include "Devices/SIMT/SIMTLaunches.h"
#include "mp/Hardware/CPULevels.h"
#include "mp/Hardware/ChipTable.h"
#include "mp/Hardware/HostFeatures.h"

#include <algorithm>

using namespace mp;

/// What simulated code is compiled to.
static Status checkHost() {
  for (std::string_view needed : simulatorLevel().features)
    if (std::ranges::find(hostFeatures(), needed) == hostFeatures().end())
      return makeError("device simt needs a processor with ", needed, ", which this one (", hostModel(),
                       ") does not have; use ", FlagName{"device"}, "=cpu");
  return Status::success();
}

namespace {

class SIMTDevice final : public HostDevice {
public:
  explicit SIMTDevice(const DeviceOptions &options) : HostDevice(options), runner(options.simulation, options.threads) {
    self = {"simt", targets::simt, "simulated GPU", {}, physicalMemory(), runner.threads(), {}};
    if (!options.chip.empty()) {
      self.model += " as " + options.chip;
      self.features = {options.chip};
      return;
    }
    // Whichever a variant was made for.
    for (const Chip &chip : allChips())
      self.features.emplace_back(chip.name);
  }

  ErrorOr<std::unique_ptr<LoadedVariant>> load(const LoadedExecutable &file, const executable::ProgramT &program,
                                               const executable::VariantT &variant) override {
    ErrorOr<std::unique_ptr<DeviceMemory>> arena = makeArena(file, program, variant);
    if (!arena)
      return arena.status();
    return loadHostVariant(file, program, variant, std::make_unique<SIMTLaunches>(runner, variant), std::move(*arena));
  }

private:
  GridRunner runner;
};

} // namespace

ErrorOr<std::unique_ptr<Device>> mp::createSIMTDevice(const DeviceOptions &options) {
  if (Status able = checkHost(); !able.ok())
    return able;
  if (!options.chip.empty() && std::ranges::find(allChips(), options.chip, &Chip::name) == allChips().end())
    return makeError("device simt does not simulate chip '", options.chip, "'");
  return std::unique_ptr<Device>(std::make_unique<SIMTDevice>(options));
}

void mp::registerSIMTDevice() { registerDevice("simt", createSIMTDevice); }
