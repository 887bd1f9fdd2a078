// Uses of clipping and of optimizers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_OPCASES_OPTIMIZERCASES_H
#define MP_TEST_OPCASES_OPTIMIZERCASES_H

#include "OpCases/OpCases.h"

namespace mp {

void addOptimizers(std::vector<OpCase> &cases);

} // namespace mp

#endif // MP_TEST_OPCASES_OPTIMIZERCASES_H
