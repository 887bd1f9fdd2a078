// A function as decision procedures see it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRANSFORMS_AUTOCAST_PROGRAMGRAPH_H
#define MP_LIB_TRANSFORMS_AUTOCAST_PROGRAMGRAPH_H

#include "Transforms/Autocast/Regions.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mp/Analysis/Policy.h"
#include "mp/Analysis/PrecisionPlan.h"

namespace mp {

/// The precision of an element type or a tensor's; none for f64 and types that are no float.
std::optional<Precision> precisionOf(mlir::Type type);
/// The element type.
mlir::FloatType toType(Precision precision, mlir::MLIRContext *context);

/// A graph of plain values, and the IR that each part of it stands for.
struct ProgramGraph {
  PrecisionGraph graph;
  std::vector<mlir::Operation *> nodes;
  /// An op of the function, its node if it has one, and the operands that follow, as they were before any type changed.
  struct Op {
    mlir::Operation *op;
    std::optional<NodeId> node;
    llvm::SmallVector<mlir::OpOperand *, 3> following;
  };
  /// Every op, in order.
  std::vector<Op> ops;
  llvm::DenseMap<mlir::Value, ValueId> ids;
  /// Of an attribute the first result of its op.
  std::vector<mlir::Value> values;
};

/// Reads a function whose regions are inlined. Emits an error and fails at an op of floats that declares no category,
/// at an mp.precision that is no type to choose, at an mp.follows that is no operand, at an mp.promote_group to which
/// too much comes, and where patterns of the policy disagree.
llvm::FailureOr<ProgramGraph> readProgram(mlir::FunctionOpInterface function, const PrecisionPolicy &policy,
                                          const RegionSettings &settings);

/// The names in a location, and `file:line` and `line:column` for each position in a file: what patterns of a policy
/// are matched with.
llvm::SmallVector<LocationText> namesOf(mlir::Location location);

} // namespace mp

#endif // MP_LIB_TRANSFORMS_AUTOCAST_PROGRAMGRAPH_H
