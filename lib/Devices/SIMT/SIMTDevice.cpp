// A GPU that the host plays.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Devices/SIMT/SIMTDevice.h"
#include "Devices/CPU/Features.h"
#include "Devices/Host/HostDevice.h"
#include "Devices/SIMT/SIMTLaunches.h"
#include "mp/Devices/CPU/CPUDevice.h"

#include <algorithm>

using namespace mp;

/// The chips that it can be. Where none is named it is whichever a variant was made for.
static const std::vector<std::string> &knownChips() {
  static const std::vector<std::string> chips = {"sm_70", "sm_75", "sm_80",  "sm_86",
                                                 "sm_89", "sm_90", "sm_90a", "sm_100a"};
  return chips;
}

/// What simulated code is compiled to.
static Status checkHost() {
  for (const char *needed : {"avx2", "fma", "f16c"})
    if (std::find(hostFeatures().begin(), hostFeatures().end(), needed) == hostFeatures().end())
      return makeError("device simt needs a processor with ", needed, ", this one (", hostModel(), ") has it not");
  return Status::success();
}

namespace {

class SIMTDevice final : public HostDevice {
public:
  explicit SIMTDevice(const DeviceOptions &options) : HostDevice(options), runner(options.simulation, options.threads) {
    self = {"simt", "simt", "simulated GPU", {}, physicalMemory(), runner.threads(), {}};
    if (options.chip.empty()) {
      self.features = knownChips();
    } else {
      self.model += " as " + options.chip;
      self.features = {options.chip};
    }
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
  const std::vector<std::string> &chips = knownChips();
  if (!options.chip.empty() && std::find(chips.begin(), chips.end(), options.chip) == chips.end())
    return makeError("device simt knows no chip '", options.chip, "'");
  return std::unique_ptr<Device>(std::make_unique<SIMTDevice>(options));
}

void mp::registerSIMTDevice() { registerDevice("simt", createSIMTDevice); }
