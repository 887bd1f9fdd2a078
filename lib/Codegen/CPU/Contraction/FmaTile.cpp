// The register tile of a product, by fused multiply-adds.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/CPU/Contraction/TileProduct.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mp;

namespace {

/// Each step of k is one row of rhs, and a broadcast of each element of lhs. Operands are packed in the type of the
/// sums, lhs the way it lies in memory, rhs by steps of k; or lhs is of that type and read where it lies.
class FmaTile final : public VectorTile {
public:
  FmaTile(CPUFunction &f, const TileShape &shape, bool isDepthInner)
      : VectorTile(f, shape), isDepthInner(isDepthInner) {}

  Type word() const override { return shape.sum; }

private:
  FailureOr<SmallVector<Value>> addProducts(const TileOperands &operands, ValueRange sums) override;

  const bool isDepthInner;
};

} // namespace

FailureOr<SmallVector<Value>> FmaTile::addProducts(const TileOperands &operands, ValueRange sums) {
  const int64_t vectors = shape.vectorsOfRow();
  const bool isInner = isDepthInner && !operands.lhsAt; // rows are neighbours where each k has a place
  const int64_t rowStep = isInner ? operands.lhsDepth : 1, depthStep = isInner ? 1 : shape.rows;
  Value first = operands.lhsRow ? operands.lhsRow(0) : operands.lhs;
  auto step = [&](Value k, Value lhsAt, ValueRange soFar) -> FailureOr<SmallVector<Value>> {
    SmallVector<Value> rhs, next;
    for (int64_t vector = 0; vector < vectors; ++vector) {
      FailureOr<Value> words = operands.wordsOfRhs(k, vector);
      if (failed(words))
        return failure();
      rhs.push_back(*words);
    }
    for (int64_t row = 0; row < shape.rows; ++row) {
      Value lhs = splat(b, load(shape.sum, f.offset(lhsAt, shape.sum, row * rowStep), 1), shape.width);
      for (int64_t vector = 0; vector < vectors; ++vector)
        next.push_back(math::FmaOp::create(b, lhs, rhs[vector], soFar[row * vectors + vector]));
    }
    return next;
  };
  // Where the elements of a k are is asked for once for those that lie together.
  auto steps = [&](Value k, ValueRange soFar) -> FailureOr<SmallVector<Value>> {
    Value along = operands.lhsAlongDepth ? operands.lhsAlongDepth(k) : f.mul(k, depthStep);
    Value lhsAt = operands.lhsAt ? operands.lhsAt(k) : f.offset(first, shape.sum, along);
    SmallVector<Value> all(soFar);
    for (int64_t next = 0; next < operands.together; ++next) {
      FailureOr<SmallVector<Value>> added =
          step(f.add(k, f.i64(next)), f.offset(lhsAt, shape.sum, next * depthStep), all);
      if (failed(added))
        return failure();
      all = std::move(*added);
    }
    return all;
  };
  return forUnits(operands, operands.depth, operands.together, sums, steps);
}

std::unique_ptr<TileProduct> mp::makeFmaTile(CPUFunction &f, const TileShape &shape, bool isDepthInner) {
  return std::make_unique<FmaTile>(f, shape, isDepthInner);
}
