// Uses of normalization of groups of channels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_OPCASES_GROUPNORMCASES_H
#define MP_TEST_OPCASES_GROUPNORMCASES_H

#include "OpCases/OpCases.h"

namespace mp {

void addGroupNorms(std::vector<OpCase> &cases);

} // namespace mp

#endif // MP_TEST_OPCASES_GROUPNORMCASES_H
