// What to do after a comparison.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TOOLS_MP_RUN_ADVICE_H
#define MP_TOOLS_MP_RUN_ADVICE_H

#include "mp-run/CompileFlags.h"
#include "mp/Report/Comparison.h"
#include "mp/Training/TrainOptions.h"

namespace mp {

/// Commands for a shell that train `variant` as the comparison did, keep it and use it.
void printAdvice(std::ostream &os, const std::string &model, const VariantReport &variant, const CompileFlags &flags,
                 const TrainOptions &options);

} // namespace mp

#endif // MP_TOOLS_MP_RUN_ADVICE_H
