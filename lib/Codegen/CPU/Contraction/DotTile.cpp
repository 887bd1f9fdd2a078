// The register tile of a product of bf16, by dot products of pairs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// vdpbf16ps adds to each f32 the products of two pairs of bf16, that of the odd k first. Either sum is rounded to
// nearest even; what is below the least normal f32 is taken and given as 0, whatever the control register says.

#include "Codegen/CPU/Contraction/TileProduct.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mp;

namespace {

/// Each pair of steps of k is one row of rhs, and a broadcast of each pair of lhs.
class DotTile final : public VectorTile {
public:
  DotTile(CPUFunction &f, const TileShape &shape, bool isDepthInner)
      : VectorTile(f, shape), isDepthInner(isDepthInner), pairWord(b.getI32Type()) {}

  Type word() const override { return pairWord; }

private:
  static constexpr int64_t kPair = 2;

  FailureOr<SmallVector<Value>> addProducts(const TileOperands &operands, ValueRange sums) override;
  bool flushesSums() const override { return true; }

  Value pairsOf(Value words) {
    return LLVM::BitcastOp::create(b, VectorType::get(kPair * shape.width, b.getBF16Type()), words);
  }
  Value dot(Value sums, Value lhs, Value rhs) {
    auto name = b.getStringAttr("llvm.x86.avx512bf16.dpbf16ps." + Twine(32 * shape.width));
    return LLVM::CallIntrinsicOp::create(b, sums.getType(), name, ValueRange{sums, lhs, rhs}).getResult(0);
  }

  const bool isDepthInner;
  Type pairWord;
};

} // namespace

FailureOr<SmallVector<Value>> DotTile::addProducts(const TileOperands &operands, ValueRange sums) {
  const int64_t vectors = shape.vectorsOfRow();
  const bool isInner = isDepthInner && !operands.lhsAt; // rows are neighbours where each pair has a place
  const int64_t rowStep = isInner ? operands.lhsDepth / kPair : 1, pairStep = isInner ? 1 : shape.rows;
  const int64_t together = std::max<int64_t>(operands.together / kPair, 1);
  Value pairs = f.div(f.add(operands.depth, f.i64(kPair - 1)), kPair);
  Value first = operands.lhsRow ? operands.lhsRow(0) : operands.lhs;
  auto step = [&](Value pair, Value lhsAt, ValueRange soFar) -> FailureOr<SmallVector<Value>> {
    SmallVector<Value> rhs, next;
    for (int64_t vector = 0; vector < vectors; ++vector) {
      FailureOr<Value> words = operands.wordsOfRhs(pair, vector);
      if (failed(words))
        return failure();
      rhs.push_back(pairsOf(*words));
    }
    for (int64_t row = 0; row < shape.rows; ++row) {
      Value lhs = pairsOf(splat(b, load(pairWord, f.offset(lhsAt, pairWord, row * rowStep), 1), shape.width));
      for (int64_t vector = 0; vector < vectors; ++vector)
        next.push_back(dot(soFar[row * vectors + vector], lhs, rhs[vector]));
    }
    return next;
  };
  // Where the pairs are is asked for once for those that lie together.
  auto steps = [&](Value pair, ValueRange soFar) -> FailureOr<SmallVector<Value>> {
    Value along =
        operands.lhsAlongDepth ? f.div(operands.lhsAlongDepth(f.mul(pair, kPair)), kPair) : f.mul(pair, pairStep);
    Value lhsAt = operands.lhsAt ? operands.lhsAt(pair) : f.offset(first, pairWord, along);
    SmallVector<Value> all(soFar);
    for (int64_t next = 0; next < together; ++next) {
      FailureOr<SmallVector<Value>> added =
          step(f.add(pair, f.i64(next)), f.offset(lhsAt, pairWord, next * pairStep), all);
      if (failed(added))
        return failure();
      all = std::move(*added);
    }
    return all;
  };
  return forUnits(operands, pairs, together, sums, steps);
}

std::unique_ptr<TileProduct> mp::makeDotTile(CPUFunction &f, const TileShape &shape, bool isDepthInner) {
  return std::make_unique<DotTile>(f, shape, isDepthInner);
}
