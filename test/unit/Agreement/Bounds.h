// How far a device may be from the evaluator.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same bits for movement, casts and correctly rounded ops, ulps for elementary functions, the forward bound for
// sums: as many roundings as a result has, times the size of what is rounded. Sums of whole numbers are exact.

#ifndef MP_TEST_AGREEMENT_BOUNDS_H
#define MP_TEST_AGREEMENT_BOUNDS_H

#include "OpCases/OpCases.h"

#include <vector>

namespace mp {

/// How far a device's value of each element of result number `result` may be from the evaluator's, `expected`, which is
/// rounded itself.
/// `absolute` is what the evaluator gives for absolute operands; `splitsF16` says that the device multiplies f16 as
/// sums of two bf16 each.
std::vector<double> allowedErrors(const OpCase &use, const std::vector<Tensor> &operands, const HostTensor &expected,
                                  const HostTensor &absolute, size_t result, bool splitsF16 = false);

/// Whether the results of an op are sums, or come of exponentials that are summed: what has bounds that depend on how
/// many there are.
bool isSummed(const std::string &op);
/// Whether they are sums of products of two operands' elements: contractions.
bool isProduct(const std::string &op);

} // namespace mp

#endif // MP_TEST_AGREEMENT_BOUNDS_H
