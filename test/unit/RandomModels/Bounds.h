// How far one op may be from its exact value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_RANDOMMODELS_BOUNDS_H
#define MP_TEST_RANDOMMODELS_BOUNDS_H

#include "mp/Reference/Tensor.h"

#include "mlir/IR/Operation.h"

#include <vector>

namespace mp {

using Tensors = std::vector<Tensor>;

/// Evaluates `op` alone on these operands. It is an op that the evaluator knows.
Tensors evaluateAlone(mlir::Operation *op, const Tensors &operands);

/// For each element of result `index` how far a device that has these operands may be from `results`, the evaluator's:
/// 0 for movement, casts and what is rounded correctly, ulps for elementary functions, the forward bound for sums.
/// `splitsF16` says that the device multiplies f16 as sums of two bf16 each.
std::vector<double> allowedErrors(mlir::Operation *op, const Tensors &operands, const Tensors &results, size_t index,
                                  bool splitsF16);

} // namespace mp

#endif // MP_TEST_RANDOMMODELS_BOUNDS_H
