// The sizes of a matrix product.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Analysis/ProductShape.h"

#include "mp/IR/Tiles.h"

using namespace mlir;
using namespace mp;

static RankedTensorType typeOf(Value tensor) { return cast<RankedTensorType>(tensor.getType()); }

template <typename Op> static ProductShape shapeOf(Op op) {
  RankedTensorType lhs = typeOf(op.getLhs()), result = typeOf(op.getResult());
  ProductShape shape;
  shape.transposeLhs = op.getTransposeLhs();
  shape.transposeRhs = op.getTransposeRhs();
  shape.sharesRhs = typeOf(op.getRhs()).getRank() == 2;
  shape.computesLhs = !isa<BlockArgument>(op.getLhs());
  shape.computesRhs = !isa<BlockArgument>(op.getRhs());
  shape.element = lhs.getElementType();
  shape.acc = op.getAcc();
  shape.batch = ShapedType::getNumElements(lhs.getShape().drop_back(2));
  shape.m = result.getDimSize(result.getRank() - 2);
  shape.n = result.getShape().back();
  shape.k = shape.depth = op.getContractionSize();
  if (shape.sharesRhs && !shape.transposeLhs) {
    shape.m *= shape.batch;
    shape.batch = 1;
  }
  return shape;
}

ProductShape ProductShape::of(Operation *op) {
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return shapeOf(matmul);
  auto parts = cast<MatmulPartsOp>(op);
  ProductShape shape = shapeOf(parts);
  shape.parts = typeOf(parts.getResult()).getDimSize(0);
  shape.depth = static_cast<int64_t>(parts.getDepth());
  return shape;
}

int64_t ProductShape::countTiles(int64_t rows, int64_t columns) const {
  return mp::countTiles({batch, m, n}, rows, columns);
}
