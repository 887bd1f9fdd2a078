// A smaller model that is wrong in the same way.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_RANDOMMODELS_REDUCE_H
#define MP_TEST_RANDOMMODELS_REDUCE_H

#include "RandomModels/Model.h"

#include <functional>

namespace mp {

/// The smallest model found for which `stillFails`: results, states and settings are dropped, ops replaced by an
/// operand or an input of their type, and sizes made smaller, again and again, while it does. Asks at most `attempts`
/// times.
RandomModel reduceModel(RandomModel model, const std::function<bool(const RandomModel &)> &stillFails,
                        unsigned attempts);

} // namespace mp

#endif // MP_TEST_RANDOMMODELS_REDUCE_H
