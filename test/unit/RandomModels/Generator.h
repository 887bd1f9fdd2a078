// Models that no one would write.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_RANDOMMODELS_GENERATOR_H
#define MP_TEST_RANDOMMODELS_GENERATOR_H

#include "RandomModels/Model.h"

namespace mp {

/// The model of a seed: forward ops of every kind between inputs, parameters of ranks 0 to 3, constants, scalars and
/// views; a loss; states; and the settings that it is compiled with. The same for the same seed.
RandomModel generateModel(uint64_t seed);

/// Of how many seeds in a row the models have every op that the generator writes.
uint64_t modelsWithEveryOp();

/// The ops of the dialect that the generator writes itself, as "mp.add".
std::vector<std::string> writtenOps();

/// The ops that the compiler makes of those, in a training step or in kernels.
const std::vector<std::string> &derivedOps();

/// Those that it makes of strides, long sums and products larger than models here have, or of a batch norm right behind
/// a convolution: other tests run them.
const std::vector<std::string> &opsOfLargerModels();

} // namespace mp

#endif // MP_TEST_RANDOMMODELS_GENERATOR_H
