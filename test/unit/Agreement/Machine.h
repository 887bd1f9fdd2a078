// Devices that run cases of ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_AGREEMENT_MACHINE_H
#define MP_TEST_AGREEMENT_MACHINE_H

#include "OpCases/CaseProgram.h"

#include <string>

namespace mp {

/// A device that is compared with the evaluator, and the chip that it plays.
struct Machine {
  std::string target, chip;

  bool isGPU() const { return target == "simt"; }
};

/// The evaluator.
inline const Machine kEvaluator = {"reference", ""};

/// The outputs of a program on a device, or what went wrong.
ErrorOr<NamedTensors> runOn(const CaseProgram &program, const Machine &machine, unsigned threads);

/// The tensors with absolute values in place of floats: what an op that sums gives for them is its sum of absolute
/// terms.
NamedTensors absolutes(const NamedTensors &tensors);

} // namespace mp

#endif // MP_TEST_AGREEMENT_MACHINE_H
