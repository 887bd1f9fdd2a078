// The values computed so far.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_REFERENCE_FRAME_H
#define MP_LIB_REFERENCE_FRAME_H

#include "mp/Reference/Evaluator.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>

namespace mp {

/// The tensors of one evaluation, by the SSA value that they are.
class Frame {
public:
  explicit Frame(const EvaluatorOptions &options) : options(options) {}

  const Tensor &operator[](mlir::Value value) const { return *tensors.at(value); }
  void set(mlir::Value value, Tensor tensor) { tensors[value] = std::make_unique<Tensor>(std::move(tensor)); }

  const EvaluatorOptions &options;

private:
  llvm::DenseMap<mlir::Value, std::unique_ptr<Tensor>> tensors;
};

/// The type of a value whose type the evaluator checked before it asked a rule.
inline TensorTypeT runtimeTypeOf(mlir::Value value) { return *tensorTypeOf(value.getType()); }

} // namespace mp

#endif // MP_LIB_REFERENCE_FRAME_H
