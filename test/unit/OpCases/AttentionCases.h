// Uses of attention and its gradient.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_OPCASES_ATTENTIONCASES_H
#define MP_TEST_OPCASES_ATTENTIONCASES_H

#include "OpCases/OpCases.h"

namespace mp {

void addAttention(std::vector<OpCase> &cases);

} // namespace mp

#endif // MP_TEST_OPCASES_ATTENTIONCASES_H
