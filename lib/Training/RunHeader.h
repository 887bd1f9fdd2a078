// What a training run is, for people.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRAINING_RUNHEADER_H
#define MP_LIB_TRAINING_RUNHEADER_H

#include "mp/Runtime/Core/Session.h"
#include "mp/Training/Data/Augmentation.h"

namespace mp {

/// Two lines about a run whose program with data is `variant`, each of whose steps takes `microBatches` batches:
///
///   clothes: 101,770 parameters, policy mixed_float16, batch 64, augment flip,crop:4
///   device cpu (avx512, 2 threads): Intel(R) Xeon(R) Platinum 8488C
std::string describeRun(Session &session, const executable::VariantT &variant, uint64_t microBatches,
                        const Augmentation &augmentation);

} // namespace mp

#endif // MP_LIB_TRAINING_RUNHEADER_H
