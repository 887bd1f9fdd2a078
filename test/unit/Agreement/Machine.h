// Devices that run cases of ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_AGREEMENT_MACHINE_H
#define MP_TEST_AGREEMENT_MACHINE_H

#include "OpCases/CaseProgram.h"

#include "mp/Runtime/Core/Session.h"

#include <memory>
#include <string>

namespace mp {

/// A device that is compared with the evaluator, and the chip that it plays.
struct Machine {
  std::string target, chip;

  bool isGPU() const { return target == "simt"; }
  /// Whether it multiplies f16 as sums of two bf16 each: a CPU whose tiles have bf16 alone.
  bool splitsF16() const;
};

/// The evaluator.
inline const Machine kEvaluator = {"reference", ""};

/// A program for a machine, or what went wrong.
ErrorOr<std::shared_ptr<const LoadedExecutable>> compileFor(const CaseProgram &program, const Machine &machine);
/// The outputs of what was compiled for the machine, on these inputs.
ErrorOr<NamedTensors> runOn(std::shared_ptr<const LoadedExecutable> file, const NamedTensors &inputs,
                            const Machine &machine, unsigned threads);
/// The outputs of a program on a device, or what went wrong.
ErrorOr<NamedTensors> runOn(const CaseProgram &program, const Machine &machine, unsigned threads);

/// The tensors with absolute values in place of floats: what an op that sums gives for them is its sum of absolute
/// terms.
NamedTensors absolutes(const NamedTensors &tensors);

} // namespace mp

#endif // MP_TEST_AGREEMENT_MACHINE_H
