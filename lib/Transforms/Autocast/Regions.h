// Where autocast is on, and with which type.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRANSFORMS_AUTOCAST_REGIONS_H
#define MP_LIB_TRANSFORMS_AUTOCAST_REGIONS_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mp/Analysis/PrecisionPlan.h"

#include "llvm/ADT/DenseMap.h"

namespace mp {

/// The low type of ops that stood in an mp.autocast region with another setting than the policy's; none where it was
/// off.
using RegionSettings = llvm::DenseMap<mlir::Operation *, std::optional<Precision>>;

/// Inlines every mp.autocast region of `function` and returns what the innermost region of each op said, where that is
/// not `policy`, the low type outside of regions. The values that a region yields take the place of its results.
RegionSettings inlineRegions(mlir::FunctionOpInterface function, std::optional<Precision> policy);

} // namespace mp

#endif // MP_LIB_TRANSFORMS_AUTOCAST_REGIONS_H
