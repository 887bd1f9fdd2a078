// What a program of an executable holds and needs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TRAINING_STATISTICS_H
#define MP_TRAINING_STATISTICS_H

#include "mp/Executable/Executable.h"

#include <string>
#include <utility>
#include <vector>

namespace mp {

/// Bytes of device memory of each kind: parameters, what optimizer and loss scaler keep, copies of weights in the low
/// type, values between kernels, and what of `residentBytes`, where it is not 0, is none of these. Kinds of which there
/// is nothing are left out.
std::vector<std::pair<std::string, uint64_t>> memoryByKind(const executable::ExecutableT &table,
                                                           const executable::VariantT &variant, uint64_t residentBytes);

/// A JSON object of a variant: "ops_by_type", "casts", "kernels", "batch" and "memory", a list of kinds and their
/// bytes.
std::string statisticsJson(const executable::ExecutableT &table, const executable::VariantT &variant,
                           uint64_t residentBytes);

} // namespace mp

#endif // MP_TRAINING_STATISTICS_H
