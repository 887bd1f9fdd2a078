// Which op of a training step is the first that is not finite.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_INSPECT_FIRSTNONFINITE_H
#define MP_INSPECT_FIRSTNONFINITE_H

#include "mp/Inspect/StepPrograms.h"

#include <optional>
#include <string>
#include <vector>

namespace mp {

/// What a tensor holds.
struct ValueFacts {
  uint64_t count = 0, infinities = 0, nans = 0, zeros = 0;
  double largest = 0; ///< magnitude among the finite elements
  bool isFinite() const { return infinities == 0 && nans == 0; }
};

ValueFacts factsOf(const HostTensor &tensor);

/// Where values that are not finite come from.
struct NonfiniteOrigin {
  explicit NonfiniteOrigin(mlir::Location location) : location(location) {}

  mlir::Location location;
  std::string run;  ///< as describeRun has it
  std::string name; ///< of the op: "mp.mul"; or of the input or state that was not finite from the start
  bool isOp = true;
  std::string type; ///< of its elements: "f16"
  StepPart part = StepPart::Forward;
  ValueFacts result;
  std::vector<ValueFacts> operands; ///< of the op, those of floats
  /// The same op's result in float32, of the same state, batch and loss scale; nothing where float32 has no such op.
  std::optional<ValueFacts> inFloat32;
  /// Of a cast that autocast wrote the op that takes it, "mp.matmul"; else empty.
  std::string reader;
  std::optional<mlir::Location> readerLocation;
  std::vector<std::string> gradients; ///< parameters whose gradients are not finite for it
  /// Of infinities that end without a trace, the op that makes 0 of them.
  struct End {
    mlir::Location location;
    std::string name; ///< "mp.rsqrt"
    uint64_t zeros, inFloat32;
  };
  std::optional<End> end;
};

/// Traces what is not finite in a step (its loss, the gradients that the scaler checks, the state that it leaves) back
/// to the first op, in the order of the step, whose result is not finite although its operands are, or is NaN although
/// none of them is; or to an input, state or constant. Infinities that reach none of these, such as those of masks, are
/// none of its business, unless they are lost: where all these are finite, the first infinity that an op makes of
/// finite values and another makes 0 of, where float32 has finite values and fewer zeros. Nothing where there is none.
/// `float32` is the step of the same model without low types, which is asked about the op.
ErrorOr<std::optional<NonfiniteOrigin>> findNonfinite(const StepPrograms &step, const StepPrograms &float32,
                                                      const StepInputs &inputs);

} // namespace mp

#endif // MP_INSPECT_FIRSTNONFINITE_H
