// What is said of devices.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/Host/HostDevice.h"
#include "mp/Training/Infer.h"

#include <gtest/gtest.h>

#include <sstream>

using namespace mp;

namespace {

/// A processor with tiles, in a process that may not use them.
class RefusedDevice final : public HostDevice {
public:
  explicit RefusedDevice(const DeviceOptions &options) : HostDevice(options) {
    self = {"refused", "cpu", "Xeon", {"avx512f"}, 1024, 1, {}};
    self.refused = {"amx-bf16", "amx-tile"};
  }

  ErrorOr<std::unique_ptr<LoadedVariant>> load(const LoadedExecutable &, const executable::ProgramT &,
                                               const executable::VariantT &) override {
    return makeError("loads nothing");
  }
};

} // namespace

TEST(PrintDevices, SaysWhatTheOperatingSystemRefuses) {
  registerDevice("refused", [](const DeviceOptions &options) -> ErrorOr<std::unique_ptr<Device>> {
    return std::unique_ptr<Device>(std::make_unique<RefusedDevice>(options));
  });
  std::ostringstream out;
  printDevices(out, {});
  EXPECT_NE(
      out.str().find("\n  features avx512f\n  refused by the operating system amx-bf16 amx-tile\n  multiplies in"),
      std::string::npos)
      << out.str();
}
