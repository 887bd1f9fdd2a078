// A case of an op as a function.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_REFERENCE_OPFUNCTION_H
#define MP_TEST_REFERENCE_OPFUNCTION_H

#include "OpCases/OpCases.h"

namespace mp {

/// The text of a function "f" of the case's operands, with the op alone, that returns its results.
inline std::string functionOf(const OpInstance &instance) {
  std::string signature, returned, types;
  for (size_t i = 0; i < instance.operands.size(); ++i)
    signature += (i ? ", %" : "%") + std::to_string(i) + ": " + instance.operands[i];
  for (size_t i = 0; i < instance.results.size(); ++i) {
    returned += (i ? ", " : "") + instance.result(i);
    types += (i ? ", " : "") + instance.results[i];
  }
  return "func.func @f(" + signature + ") -> (" + types + ") {\n" + instance.statement + "\nreturn " + returned +
         " : " + types + "\n}";
}

} // namespace mp

#endif // MP_TEST_REFERENCE_OPFUNCTION_H
