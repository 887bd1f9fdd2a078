// What is said of a step that is not finite.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_INSPECT_NONFINITEREPORT_H
#define MP_INSPECT_NONFINITEREPORT_H

#include "mp/Inspect/FirstNonfinite.h"
#include "mp/Training/Trainer.h"

namespace mp {

/// The op, what it was given and gave, and what a user may do about it, as lines of text.
std::string describeNonfinite(const NonfiniteOrigin &origin, const StepRecord &record);

/// The same as a JSON object, with those lines as "text".
std::string nonfiniteJson(const NonfiniteOrigin &origin, const StepRecord &record);

/// Whether floats that a step left are not all finite.
bool isBroken(const NamedTensors &state);

/// Which steps of a run are to be looked into.
class NonfiniteWatch {
public:
  /// Whether this is the first step of all, or the first that is skipped, or leaves a loss or, as `isBroken` says,
  /// state that is not finite.
  bool wants(const StepRecord &record, bool isBroken);
  /// Whether it wanted the last step for what that shows, and not as the first.
  bool showed() const { return hasShown; }
  /// Whether there may be more behind it: of a loss or state that is lost there is none.
  bool goesOn() const { return !isLost; }

private:
  bool hasSeenStep = false, hasSeenSkip = false, hasShown = false, isLost = false;
};

/// findNonfinite of a step of `module`, compiled with `options`; an error where it does not compile, with a diagnostic
/// through the module's context.
ErrorOr<std::optional<NonfiniteOrigin>> traceStep(mlir::ModuleOp module, const CompileOptions &options,
                                                  const StepInputs &inputs);

} // namespace mp

#endif // MP_INSPECT_NONFINITEREPORT_H
