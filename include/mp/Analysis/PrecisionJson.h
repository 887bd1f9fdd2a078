// What autocast made of programs, as JSON.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_ANALYSIS_PRECISIONJSON_H
#define MP_ANALYSIS_PRECISIONJSON_H

#include "mp/Analysis/PrecisionReport.h"

namespace mp {

/// The document of `mp-run explain --json`: of each function its ops with type, category and reason, and its
/// parameters.
std::string precisionJson(llvm::StringRef policy, const PrecisionReport &report);

} // namespace mp

#endif // MP_ANALYSIS_PRECISIONJSON_H
