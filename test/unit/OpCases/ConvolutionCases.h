// Uses of convolutions and their gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_OPCASES_CONVOLUTIONCASES_H
#define MP_TEST_OPCASES_CONVOLUTIONCASES_H

#include "OpCases/OpCases.h"

namespace mp {

void addConvolutions(std::vector<OpCase> &cases);

} // namespace mp

#endif // MP_TEST_OPCASES_CONVOLUTIONCASES_H
