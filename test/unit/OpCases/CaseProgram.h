// Cases of ops as a program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_OPCASES_CASEPROGRAM_H
#define MP_TEST_OPCASES_CASEPROGRAM_H

#include "OpCases/OpCases.h"

namespace mp {

/// Cases as one program "infer": operand j of case i is the input "ci_j", result j the output "ri_j".
class CaseProgram {
public:
  /// Adds cases, each with operands of `element`. With `broadcasts`, every result is broadcast to three rows of it, and
  /// that is the output.
  void add(const std::vector<const OpCase *> &cases, ElementType element, bool broadcasts = false);

  bool isEmpty() const { return count == 0; }
  std::string text() const;
  const NamedTensors &inputs() const { return inputList; }

  /// The same program with other inputs.
  CaseProgram with(NamedTensors inputs) const;

private:
  size_t count = 0;
  NamedTensors inputList;
  std::string signature, body, returned, types, results;
};

/// Whether an instance of a case has a bf16 somewhere.
bool usesBF16(const OpCase &use, ElementType element);

/// The cases of an op that native code and code for GPUs compute: they have no f64.
std::vector<const OpCase *> nativeCases(const std::string &op);

/// The same cases with 1 for each size, but for the (seed, step) of random numbers: one of those that then are equal,
/// and none whose text states elements, padding or groups.
const std::vector<OpCase> &singleElementCases();

/// Every op that has a case, in order of the names.
std::vector<std::string> opsWithCases();

} // namespace mp

#endif // MP_TEST_OPCASES_CASEPROGRAM_H
