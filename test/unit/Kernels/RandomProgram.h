// Programs that no one would write.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_KERNELS_RANDOMPROGRAM_H
#define MP_TEST_KERNELS_RANDOMPROGRAM_H

#include <string>

namespace mp::test {

/// The text of an apply program `f` of about `ops` ops on small tensors: all roles, broadcasts, views, transposes,
/// composites, state with next values of every kind, and values returned more than once. The same for the same seed.
std::string randomProgram(unsigned seed, unsigned ops);

} // namespace mp::test

#endif // MP_TEST_KERNELS_RANDOMPROGRAM_H
