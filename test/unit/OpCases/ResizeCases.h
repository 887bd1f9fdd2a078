// Uses of resizing and of its gradient.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_OPCASES_RESIZECASES_H
#define MP_TEST_OPCASES_RESIZECASES_H

#include "OpCases/OpCases.h"

namespace mp {

void addResizing(std::vector<OpCase> &cases);

} // namespace mp

#endif // MP_TEST_OPCASES_RESIZECASES_H
