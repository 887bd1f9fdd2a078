// Uses of ops over whole rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_OPCASES_ROWCASES_H
#define MP_TEST_OPCASES_ROWCASES_H

#include "OpCases/OpCases.h"

namespace mp {

void addRows(std::vector<OpCase> &cases);

} // namespace mp

#endif // MP_TEST_OPCASES_ROWCASES_H
