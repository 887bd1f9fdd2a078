// Any number of rows through a program of one batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_RUNTIME_CORE_BATCHES_H
#define MP_LIB_RUNTIME_CORE_BATCHES_H

#include "mp/Runtime/Core/ProgramRunner.h"

namespace mp {

/// Checks that `inputs` are what the program takes: every input there once, no other, types and
/// shapes right but for the number of rows, which is returned (nothing if no argument is batched).
ErrorOr<std::optional<int64_t>> checkInputs(std::string_view program, const executable::VariantT &variant,
                                            const NamedTensors &inputs);

/// Whether a result is a state that so many rows, no more and no fewer, change: any next value but that of the random
/// generator, which goes on with each batch.
bool isOfAllRows(const executable::ResultT &result);

/// Runs checked inputs as Session::run says.
ErrorOr<NamedTensors> runInBatches(ProgramRunner &runner, const NamedTensors &inputs, std::optional<int64_t> rows);

} // namespace mp

#endif // MP_LIB_RUNTIME_CORE_BATCHES_H
