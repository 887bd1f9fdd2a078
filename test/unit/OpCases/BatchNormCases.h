// Uses of normalization over a batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_OPCASES_BATCHNORMCASES_H
#define MP_TEST_OPCASES_BATCHNORMCASES_H

#include "OpCases/OpCases.h"

namespace mp {

void addBatchNorms(std::vector<OpCase> &cases);

} // namespace mp

#endif // MP_TEST_OPCASES_BATCHNORMCASES_H
