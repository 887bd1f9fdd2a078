// Uses of poolings and their gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_OPCASES_POOLINGCASES_H
#define MP_TEST_OPCASES_POOLINGCASES_H

#include "OpCases/OpCases.h"

namespace mp {

void addPoolings(std::vector<OpCase> &cases);

} // namespace mp

#endif // MP_TEST_OPCASES_POOLINGCASES_H
