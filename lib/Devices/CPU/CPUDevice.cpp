// The host's processor as a device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Devices/CPU/CPUDevice.h"
#include "Devices/CPU/CPULaunches.h"
#include "Devices/CPU/Features.h"
#include "Devices/Host/HostDevice.h"
#include "mp/Hardware/HostFeatures.h"

using namespace mp;

namespace {

class CPUDevice final : public HostDevice {
public:
  explicit CPUDevice(const DeviceOptions &options) : HostDevice(options), runner(options.threads, options.pinThreads) {
    self = {"cpu", targets::cpu, hostModel(), hostFeatures(), physicalMemory(), runner.threads(), hostMatrixUnits()};
    self.refused = refusedFeatures();
  }

  ErrorOr<std::unique_ptr<LoadedVariant>> load(const LoadedExecutable &file, const executable::ProgramT &program,
                                               const executable::VariantT &variant) override {
    ErrorOr<std::unique_ptr<DeviceMemory>> arena = makeArena(file, program, variant);
    if (!arena)
      return arena.status();
    return loadHostVariant(file, program, variant, std::make_unique<CPULaunches>(runner), std::move(*arena));
  }

private:
  BlockRunner runner;
};

} // namespace

ErrorOr<std::unique_ptr<Device>> mp::createCPUDevice(const DeviceOptions &options) {
  if (!options.chip.empty())
    return makeError("device cpu has no chip '", options.chip, "'; chips are those of devices cuda and simt");
  return std::unique_ptr<Device>(std::make_unique<CPUDevice>(options));
}

void mp::registerCPUDevice() { registerDevice("cpu", createCPUDevice); }
