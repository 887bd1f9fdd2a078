// Series of steps as inline SVG.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_REPORT_CURVES_H
#define MP_LIB_REPORT_CURVES_H

#include "mp/Report/Comparison.h"

namespace mp {

enum class Curve { Loss, LossScale };

/// The colour of a variant in every curve and legend: CSS.
std::string colourOf(size_t variant);

/// The losses, or the logarithms of the loss scales, of all variants over their steps, with a mark at each step that
/// was skipped, whose title says for which gradient. Empty where there is nothing to draw.
std::string drawCurves(const std::vector<VariantReport> &reports, Curve curve);

} // namespace mp

#endif // MP_LIB_REPORT_CURVES_H
