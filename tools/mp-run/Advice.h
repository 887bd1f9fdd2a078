// What to do after a comparison.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TOOLS_MP_RUN_ADVICE_H
#define MP_TOOLS_MP_RUN_ADVICE_H

#include "mp-run/CompileFlags.h"
#include "mp-run/Report.h"

#include "mp/Training/TrainOptions.h"

namespace mp {

/// The variant to go on with: of those after the first whose test accuracy (of a model without a metric, whose loss) is
/// as good as the best, the fastest.
const VariantReport &chooseVariant(const std::vector<VariantReport> &reports);

/// Commands for a shell that train `variant` as the comparison did, keep it and use it.
void printAdvice(std::ostream &os, const std::string &model, const VariantReport &variant, const CompileFlags &flags,
                 const TrainOptions &options);

} // namespace mp

#endif // MP_TOOLS_MP_RUN_ADVICE_H
