// Where autocast is on, and with which type.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRANSFORMS_AUTOCAST_REGIONS_H
#define MP_LIB_TRANSFORMS_AUTOCAST_REGIONS_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mp/Analysis/Policy.h"

#include "llvm/ADT/DenseMap.h"

namespace mp {

/// What a region says of its ops: whether autocast works there, and the low type, where not the policy's.
struct RegionSetting {
  bool isEnabled;
  std::optional<Precision> low;
};
using RegionSettings = llvm::DenseMap<mlir::Operation *, RegionSetting>;

/// Inlines every mp.autocast region of `function` and returns what the innermost region of each op said, where that is
/// not what `policy` does anyway, which decides by each op or `byCost`. The values that a region yields take the place
/// of its results.
RegionSettings inlineRegions(mlir::FunctionOpInterface function, const PrecisionPolicy &policy, bool byCost);

} // namespace mp

#endif // MP_LIB_TRANSFORMS_AUTOCAST_REGIONS_H
