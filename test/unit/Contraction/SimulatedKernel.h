// A kernel's text, run on the simulated device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_CONTRACTION_SIMULATEDKERNEL_H
#define MP_TEST_CONTRACTION_SIMULATEDKERNEL_H

#include "Devices/Host/NativeLibrary.h"
#include "Devices/SIMT/GridRunner.h"
#include "mp/Codegen/Build/GPU.h"

#include <memory>
#include <string>
#include <vector>

namespace mp::test {

/// The bytes of one tensor.
using Bytes = std::vector<std::byte>;

/// The one kernel of a module, compiled for a chip and the simulated device.
class KernelOnSimulator {
public:
  /// Errors and remarks are kept; where there is an error there is no code.
  KernelOnSimulator(const std::string &text, const std::string &chip, bool reportAccesses = false);

  bool ok() const { return function != nullptr; }

  /// Runs all blocks; gives the results.
  ErrorOr<std::vector<Bytes>> run(const std::vector<Bytes> &inputs, const SIMTOptions &options = {}) const;

  std::string errors, remarks;
  CompiledKernel kernel;

private:
  std::string chip;
  std::vector<size_t> resultBytes;
  std::unique_ptr<NativeLibrary> library;
  SimulatedKernel function = nullptr;
};

} // namespace mp::test

#endif // MP_TEST_CONTRACTION_SIMULATEDKERNEL_H
