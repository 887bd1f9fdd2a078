// mp-run train --find-nonfinite.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp-run/FindNonfinite.h"

#include "mp-run/CompileFlags.h"

#include "mlir/IR/BuiltinOps.h"

#include <iostream>

namespace mp {

ErrorOr<bool> NonfiniteFinder::see(const StepRecord &record, const StepInputs &inputs) {
  if (!watch.wants(record, isBroken(inputs.after)))
    return true;
  Status found;
  withModel(model, "", [&](mlir::ModuleOp module) {
    ErrorOr<std::optional<NonfiniteOrigin>> traced = traceStep(module, options, inputs);
    found = traced.status();
    if (traced && *traced)
      std::cerr << "mp-run: " << describeNonfinite(**traced, record) << std::flush;
    else if (traced && watch.showed())
      std::cerr << "mp-run: step " << record.step
                << " is not finite, but all its ops are where they are computed one by one" << std::endl;
    return true;
  });
  if (!found.ok())
    return found.in("--find-nonfinite");
  return watch.goesOn();
}

} // namespace mp
