// Inputs that nobody gives.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_RUNTIME_CORE_RANDOMVALUES_H
#define MP_RUNTIME_CORE_RANDOMVALUES_H

#include "mp/Runtime/Core/Session.h"

namespace mp {

/// A value for the input of that name of a program: floats are standard normal, flags 0 or 1, labels any class, bytes 0
/// to 255, other integers 0 to 15. Each element is a pure function of seed, name and index, the same on every machine;
/// after kRandomPeriod elements they begin again.
ErrorOr<HostTensor> randomInput(const Session &session, const executable::ArgumentT &argument, uint64_t seed);

/// A prime, so that no row of a matrix is like the one above.
inline constexpr uint64_t kRandomPeriod = 1048573;

/// Adds a value for each input of a program that `inputs` does not have.
Status addRandomInputs(const Session &session, std::string_view program, uint64_t seed, NamedTensors &inputs);

} // namespace mp

#endif // MP_RUNTIME_CORE_RANDOMVALUES_H
