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
class DotTile : public TileProduct {
public:
  DotTile(CPUFunction &f, const TileShape &shape, bool isDepthInner)
      : f(f), b(f.b), shape(shape), isDepthInner(isDepthInner), pairWord(b.getI32Type()) {}

  Type word() const override { return pairWord; }
  FailureOr<SmallVector<Value>> multiply(Value lhs, WordsOfRhs rhs, Value depth, int64_t panelDepth,
                                         ValueRange sums) override;

private:
  static constexpr int64_t kPair = 2, kWordBytes = 4;

  Value load(Value pointer, int64_t lanes) {
    return LLVM::LoadOp::create(b, withLanes(pairWord, lanes), pointer, kWordBytes);
  }
  Value pairsOf(Value words) {
    return LLVM::BitcastOp::create(b, VectorType::get(kPair * shape.width, b.getBF16Type()), words);
  }
  Value addProducts(Value sums, Value lhs, Value rhs) {
    auto name = b.getStringAttr("llvm.x86.avx512bf16.dpbf16ps." + Twine(32 * shape.width));
    return LLVM::CallIntrinsicOp::create(b, sums.getType(), name, ValueRange{sums, lhs, rhs}).getResult(0);
  }

  CPUFunction &f;
  LaneBuilder &b;
  const TileShape shape;
  const bool isDepthInner;
  Type pairWord;
};

} // namespace

FailureOr<SmallVector<Value>> DotTile::multiply(Value lhsPanel, WordsOfRhs wordsOfRhs, Value depth, int64_t panelDepth,
                                                ValueRange sums) {
  const int64_t vectors = shape.vectorsOfRow();
  const int64_t rowStep = isDepthInner ? panelDepth / kPair : 1, pairStep = isDepthInner ? 1 : shape.rows;
  Value pairs = f.div(f.add(depth, f.i64(kPair - 1)), kPair);
  auto step = [&](Value pair, ValueRange soFar) -> FailureOr<SmallVector<Value>> {
    SmallVector<Value> rhs, next;
    for (int64_t vector = 0; vector < vectors; ++vector) {
      FailureOr<Value> words = wordsOfRhs(pair, vector);
      if (failed(words))
        return failure();
      rhs.push_back(pairsOf(*words));
    }
    Value lhsAt = f.offset(lhsPanel, pairWord, f.mul(pair, pairStep));
    for (int64_t row = 0; row < shape.rows; ++row) {
      Value lhs = pairsOf(splat(b, load(f.offset(lhsAt, pairWord, row * rowStep), 1), shape.width));
      for (int64_t vector = 0; vector < vectors; ++vector)
        next.push_back(addProducts(soFar[row * vectors + vector], lhs, rhs[vector]));
    }
    return next;
  };
  return f.forEach(f.i64(0), pairs, 1, sums, step);
}

std::unique_ptr<TileProduct> mp::makeDotTile(CPUFunction &f, const TileShape &shape, bool isDepthInner) {
  return std::make_unique<DotTile>(f, shape, isDepthInner);
}
