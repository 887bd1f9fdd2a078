// Where a thread finds its vectors of an operand whose elements a map gathers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_NVVM_CONTRACTION_GATHER_H
#define MP_LIB_CODEGEN_NVVM_CONTRACTION_GATHER_H

#include "Codegen/Emit/MappedOperand.h"
#include "Codegen/NVVM/GPUFunction.h"

namespace mp {

/// A convolution's image, or its filters seen from the gradient. What does not depend on k is computed once for each
/// vector, before the loop: how far it is from the operand's first element, and where the operand has it. A step of k
/// adds a distance. With few taps, "where" is a bit for each that says whether there is a pixel under it, and a step
/// tests one; else it is the index in each dimension with an edge, and a step compares. (CUTLASS calls the first of
/// these its optimized iterator.) Numbers are i32 here.
class Gather {
public:
  /// Whether vectors of `rows` rows and `depths` k in each step of `blockK` can be found so: no index is divided, an
  /// i32 counts all, and registers have room for what is known of each.
  static bool fits(const IndexMap &map, int64_t blockK, int64_t rows, int64_t depths);

  /// A step takes `blockK` of k, of which `first` is this thread's first.
  Gather(GPUFunction &f, const MappedOperand &operand, int64_t blockK, mlir::Value first);

  /// What is known of a vector before the loop.
  struct Vector {
    mlir::Value offset;                      ///< of its element at k = 0 from the operand's first
    mlir::Value taps;                        ///< bits of those where it is there; null where nothing is asked
    llvm::SmallVector<mlir::Value, 2> edges; ///< its indices in dimensions with an edge, where there are many taps
  };
  /// The vector of that row of the product. One that is not `isInside`, if that is not null, is nowhere.
  Vector locate(mlir::Value batch, mlir::Value row, mlir::Value isInside);

  /// A step begins, with k. One that is not `isThere`, if that is not null, has no elements.
  void enter(mlir::Value k, mlir::Value isThere);
  /// The element with which a vector begins, as i64, `further` k on, and whether it is there; null where it always is.
  struct Place {
    mlir::Value element, isThere;
  };
  Place find(const Vector &vector, int64_t further);

private:
  /// What a step adds, or one k of it.
  struct Step {
    mlir::Value offset, tap;
    llvm::SmallVector<mlir::Value, 2> edges;
  };

  static bool hasFewTaps(const IndexMap &map);
  static bool staysUnderTap(const IndexMap &map, int64_t blockK);
  mlir::Value i32(int64_t value) { return intConstant(f.b, f.b.getI32Type(), value); }
  mlir::Value narrow(mlir::Value value) { return f.b.createOrFold<mlir::arith::TruncIOp>(f.b.getI32Type(), value); }
  mlir::Value add(mlir::Value x, mlir::Value y) { return f.b.createOrFold<mlir::arith::AddIOp>(x, y); }
  mlir::Value times(mlir::Value x, int64_t y) { return f.b.createOrFold<mlir::arith::MulIOp>(x, i32(y)); }
  mlir::Value isBelow(mlir::Value index, int64_t bound);
  mlir::Value quotient(mlir::Value number, int64_t divisor, int64_t most);
  mlir::Value tapsOf(llvm::ArrayRef<mlir::Value> indices);
  Step stepOf(mlir::Value number);
  int64_t firstBit(unsigned dimension) const;
  const Step &stepAt(int64_t further);

  GPUFunction &f;
  MappedOperand operand;
  llvm::SmallVector<int64_t, 4> strides;    ///< of the operand's dimensions, in elements
  llvm::SmallVector<unsigned, 2> uncertain; ///< dimensions with an edge
  bool countsTaps;
  bool isSteady; ///< a step stays under one tap
  bool isWhole;  ///< no step reaches beyond the last k
  int64_t mostK; ///< that a step asks for, of those beyond the last, too
  mlir::Value first, k, isThere;
  llvm::SmallVector<std::pair<int64_t, Step>, 4> steps; ///< of this k, by how far they are on
};

} // namespace mp

#endif // MP_LIB_CODEGEN_NVVM_CONTRACTION_GATHER_H
