// Uses of losses that are means of a term of each element.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_OPCASES_LOSSCASES_H
#define MP_TEST_OPCASES_LOSSCASES_H

#include "OpCases/OpCases.h"

namespace mp {

void addLosses(std::vector<OpCase> &cases);

} // namespace mp

#endif // MP_TEST_OPCASES_LOSSCASES_H
