// What a program must give, and how closely.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program is evaluated op by op beside what a device returned. A returned value is compared with the op's result, and
// goes on in its place: where everything is returned, each op is held to its own bound. Between returned values errors
// add up: the ops are evaluated several times, each result off by its bound in either direction, and what comes of that
// is allowed.

#ifndef MP_TEST_RANDOMMODELS_EXPECTATION_H
#define MP_TEST_RANDOMMODELS_EXPECTATION_H

#include "RandomModels/Bounds.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <functional>
#include <optional>
#include <string>

namespace mp {

/// What a device has for result `index` of the program.
using ResultOf = std::function<const HostTensor &(unsigned index)>;

/// Nothing if the results of `program` for these arguments are as close as they must be; else the first that is not.
/// `splitsF16` says that the device multiplies f16 as sums of two bf16 each.
std::optional<std::string> findDifference(mlir::func::FuncOp program, const Tensors &arguments, const ResultOf &found,
                                          bool splitsF16);

} // namespace mp

#endif // MP_TEST_RANDOMMODELS_EXPECTATION_H
