// What a GPU can run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_DEVICES_CUDA_CAPABILITY_H
#define MP_LIB_DEVICES_CUDA_CAPABILITY_H

#include "mp/Runtime/Core/Device.h"

#include <optional>

namespace mp::cuda {

/// A compute capability, 9.0; as a chip that code was made for, with the letter of sm_90a.
struct Capability {
  int major = 0;
  int minor = 0;
  /// 0: runs on every later chip. 'f': on later ones of its major version. 'a': on that chip only.
  char suffix = 0;

  /// Whether a device of capability `device` runs PTX that was made for this chip.
  bool runsOn(const Capability &device) const;

  /// The same of a cubin: of the same major version, and alone on the chips of Tegra systems.
  bool cubinRunsOn(const Capability &device) const;

  /// Higher for the chip that code is better made for: sm_80 < sm_90 < sm_90a.
  double rank() const { return major * 100 + minor * 10 + (suffix == 'a' ? 2 : suffix == 'f' ? 1 : 0); }
};

/// Of "sm_90a"; nothing for any other text.
std::optional<Capability> parseChip(std::string_view chip);

/// "9.0".
std::string formatCapability(const Capability &capability);

/// The most special chip whose code the device runs: "sm_86", "sm_90a".
std::string chipOf(const Capability &device);

/// What the device's matrix units multiply.
std::vector<MatrixUnit> matrixUnits(const Capability &device);

/// Success if a driver for this CUDA version reads PTX text; else what the text needs.
Status checkDriverForPTX(std::string_view text, int driver);

/// The driver's version that PTX text needs, by the version that the text says: 12070 for
/// ".version 8.6"; nothing where it says none.
std::optional<int> driverForPTX(std::string_view text);

} // namespace mp::cuda

#endif // MP_LIB_DEVICES_CUDA_CAPABILITY_H
