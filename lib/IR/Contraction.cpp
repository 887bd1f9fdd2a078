// The ops that are contractions, as values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/Contraction.h"

#include "mp/IR/MP.h"
#include "mp/IR/Tiles.h"

using namespace mlir;
using namespace mp;

int64_t Contraction::countTiles(int64_t rows, int64_t columns) const {
  return mp::countTiles({batch, m, n}, rows, columns);
}

/// `product` with what it shares with all others: types, and where operands come from.
static Contraction withOperands(ContractionOpInterface op, Contraction product) {
  product.element = typeOf(op.getLhs()).getElementType();
  product.acc = op.getAcc();
  product.computesLhs = !isa<BlockArgument>(op.getLhs());
  product.computesRhs = !isa<BlockArgument>(op.getRhs());
  return product;
}

// Matrix products

template <typename Op> static int64_t contractionSize(Op op) {
  ArrayRef<int64_t> lhs = typeOf(op.getLhs()).getShape();
  const int64_t k = op.getTransposeLhs() ? lhs[lhs.size() - 2] : lhs.back();
  return ShapedType::isDynamic(k) ? -1 : k;
}
int64_t MatmulOp::getContractionSize() { return contractionSize(*this); }
int64_t MatmulPartsOp::getContractionSize() { return contractionSize(*this); }

template <typename Op> static Contraction describe(Op op) {
  RankedTensorType lhs = typeOf(op.getLhs()), result = typeOf(op.getResult());
  Contraction product = withOperands(op, Contraction());
  product.batch = ShapedType::getNumElements(lhs.getShape().drop_back(2));
  product.m = result.getDimSize(result.getRank() - 2);
  product.n = result.getShape().back();
  product.k = product.depth = op.getContractionSize();
  const bool sharesRhs = typeOf(op.getRhs()).getRank() == 2;
  if (sharesRhs && !op.getTransposeLhs()) {
    product.m *= product.batch;
    product.batch = 1;
  }
  product.lhsMap = IndexMap::ofMatrix(product.batch, product.m, product.k, op.getTransposeLhs());
  product.rhsMap = IndexMap::ofMatrix(product.batch, product.n, product.k, !op.getTransposeRhs(), sharesRhs);
  return product;
}

Contraction MatmulOp::getContraction() {
  Contraction product = describe(*this);
  product.takesParts = true;
  return product;
}

Contraction MatmulPartsOp::getContraction() {
  Contraction product = describe(*this);
  product.hasParts = true;
  product.parts = typeOf(getResult()).getDimSize(0);
  product.depth = static_cast<int64_t>(getDepth());
  return product;
}

Operation *MatmulOp::cloneAsParts(OpBuilder &builder, Value lhs, Value rhs, int64_t depth, RankedTensorType type) {
  return MatmulPartsOp::create(builder, getLoc(), type, lhs, rhs, getTransposeLhs(), getTransposeRhs(),
                               static_cast<uint64_t>(depth), getAcc());
}

void MatmulOp::readTransposed(OpOperand &operand, Value stored) {
  if (operand == getLhsMutable())
    setTransposeLhs(!getTransposeLhs());
  else
    setTransposeRhs(!getTransposeRhs());
  operand.set(stored);
}

// Convolutions

Contraction ConvOp::getContraction() { return withOperands(*this, getConvolution().forward()); }
Contraction ConvTransposeOp::getContraction() { return withOperands(*this, getConvolution().dataGradient()); }
Contraction ConvFilterGradOp::getContraction() {
  Contraction product = withOperands(*this, getConvolution().filterGradient());
  product.takesParts = true;
  product.granule = std::max<int64_t>(product.k / std::max<int64_t>(getConvolution().images, 1), 1);
  return product;
}

Contraction ConvFilterGradPartsOp::getContraction() {
  Contraction product = withOperands(*this, getConvolution().filterGradient());
  product.hasParts = true;
  product.parts = typeOf(getResult()).getDimSize(0);
  product.depth = static_cast<int64_t>(getDepth());
  return product;
}

Operation *ConvFilterGradOp::cloneAsParts(OpBuilder &builder, Value lhs, Value rhs, int64_t depth,
                                          RankedTensorType type) {
  return ConvFilterGradPartsOp::create(builder, getLoc(), type, /*image=*/rhs, /*gradient=*/lhs,
                                       static_cast<uint64_t>(depth), getAcc(), getStrides(), getPadding(),
                                       getDilations(), getGroups());
}

// Each row of the result is a filter's, as each column of the gradient is.
Value ConvFilterGradOp::getLhs() { return getGradient(); }
Value ConvFilterGradOp::getRhs() { return getImage(); }
Value ConvFilterGradPartsOp::getLhs() { return getGradient(); }
Value ConvFilterGradPartsOp::getRhs() { return getImage(); }
