// What a function of mp ops means.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The oracle of every other path: each op is computed in f64 and rounded once to the type that the
// IR states for it. docs/reference-evaluator.md says where that differs by op.

#ifndef MP_REFERENCE_EVALUATOR_H
#define MP_REFERENCE_EVALUATOR_H

#include "mp/Numerics/ProductUnits.h"
#include "mp/Reference/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mp {

struct EvaluatorOptions {
  /// Contractions and sums keep their running sum in the stated accumulator type (`acc` of a
  /// matmul; f32, or f64 for f64, of a reduction) and add in index order, each product and its sum
  /// with one rounding (fma). Otherwise they sum in f64.
  bool exactAccumulator = false;

  /// Matrix products (mp.matmul) of types that this unit multiplies, summed in f32, have its bits; all else is summed
  /// as it is without.
  std::optional<ProductUnit> unit = {};
};

/// The results of `func` for these arguments. `func` is verified and every size in it is known
/// (mp-specialize). Emits an error and fails where arguments do not match the signature, or where
/// an op is none that can be evaluated.
llvm::FailureOr<std::vector<Tensor>> evaluate(mlir::func::FuncOp func, llvm::ArrayRef<Tensor> arguments,
                                              const EvaluatorOptions &options = {});

/// Whether there is a rule that evaluates the operation of this name.
bool canEvaluate(mlir::OperationName name);

} // namespace mp

#endif // MP_REFERENCE_EVALUATOR_H
