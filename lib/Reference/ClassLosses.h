// Means over rows of classes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_REFERENCE_CLASSLOSSES_H
#define MP_LIB_REFERENCE_CLASSLOSSES_H

#include "mp/Reference/Tensor.h"

#include <optional>
#include <vector>

namespace mp {

/// `sum(weights * rows) / sum(weights)`, or the mean where there are no weights.
double weightedMean(const std::vector<double> &rows, const std::vector<double> &weights);

/// The mean of `-target * logs` over the rows that count: those whose label is not `ignored`. `logs` are the elements
/// of `rows`, of which a target may be a label or the probabilities of all classes. NaN where no row counts.
double crossEntropy(std::vector<double> logs, const Tensor &rows, const Tensor &labels, std::vector<double> weights,
                    double smoothing, std::optional<int64_t> ignored);

} // namespace mp

#endif // MP_LIB_REFERENCE_CLASSLOSSES_H
