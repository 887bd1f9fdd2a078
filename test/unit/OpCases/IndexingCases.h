// Uses of what chooses elements by where they are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_OPCASES_INDEXINGCASES_H
#define MP_TEST_OPCASES_INDEXINGCASES_H

#include "OpCases/OpCases.h"

namespace mp {

void addIndexing(std::vector<OpCase> &cases);

} // namespace mp

#endif // MP_TEST_OPCASES_INDEXINGCASES_H
