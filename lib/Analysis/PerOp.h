// What decision procedures share of PyTorch's rule.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_ANALYSIS_PEROP_H
#define MP_LIB_ANALYSIS_PEROP_H

#include "mp/Analysis/PrecisionPlan.h"

namespace mp {

/// The values whose types an op of category infer, clear or promote follows, its operands where it does not say others:
/// numbers have no say beside scalars and tensors, nor scalars beside tensors where the graph says so and the op does
/// not.
llvm::SmallVector<ValueId, 3> findFollowed(const PrecisionGraph &graph, const PrecisionNode &node);

} // namespace mp

#endif // MP_LIB_ANALYSIS_PEROP_H
