// Operands of products, packed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/Panels.h"
#include "mp/IR/Faults.h"

#include "mp/IR/MP.h"

using namespace mlir;
using namespace mp;

static PackedMatrix matrixOf(RankedTensorType type, int64_t batches, bool isFilters, bool isTransposed,
                             PanelsAttr panels) {
  const ArrayRef<int64_t> shape = type.getShape();
  auto count = [](ArrayRef<int64_t> sizes) { return ShapedType::getNumElements(sizes); };
  int64_t rows = 0, k = 0;
  if (isFilters) {
    rows = isTransposed ? shape.back() : shape.front();
    k = count(isTransposed ? shape.drop_back() : shape.drop_front());
  } else {
    rows = isTransposed ? shape.back() : count(shape.drop_back()) / std::max<int64_t>(batches, 1);
    k = isTransposed ? shape.end()[-2] : shape.back();
  }
  return {batches,          rows, k, panels.getRows(), panels.getDepth(), panels.getUnit(), panels.getDepthInner(),
          panels.getParts()};
}

template <typename Op> static PackedMatrix matrixOf(Op op, RankedTensorType matrices) {
  return matrixOf(matrices, op.getBatches(), op.getFilters(), op.getTransposed(), op.getPanels());
}
PackedMatrix PackOp::getMatrix() { return matrixOf(*this, typeOf(getInput())); }
PackedMatrix UnpackOp::getMatrix() { return matrixOf(*this, typeOf(getResult())); }

template <typename Op> static IndexMap mapOf(Op op, RankedTensorType matrices) {
  if (op.getFilters())
    return IndexMap::ofFilters(matrices.getShape(), op.getTransposed());
  const PackedMatrix matrix = op.getMatrix();
  return IndexMap::ofMatrix(matrix.batch, matrix.rows, matrix.k, op.getTransposed());
}
IndexMap PackOp::getMap() { return mapOf(*this, typeOf(getInput())); }
IndexMap UnpackOp::getMap() { return mapOf(*this, typeOf(getResult())); }

/// What both ops say of the matrices and of what is packed.
template <typename Op> static LogicalResult verifyPacking(Op op, RankedTensorType matrices, RankedTensorType packed) {
  const int64_t batches = op.getBatches();
  const bool isMatrix = matrices.getRank() >= 2 && matrices.hasStaticShape();
  const int64_t leading = isMatrix ? ShapedType::getNumElements(matrices.getShape().drop_back(2)) : 0;
  if (op.getFilters() && (matrices.getRank() < 3 || !matrices.hasStaticShape() || batches != 1))
    return violates(op, 1) << "takes " << matrices << " as filters in " << batches
                           << " batches, expected three dimensions or more, in one";
  const bool isDivided = isMatrix && batches >= 1 && (op.getTransposed() ? leading == batches : leading % batches == 0);
  if (!op.getFilters() && !isDivided)
    return violates(op, 1) << "takes " << matrices << " as " << batches << " matrices"
                           << (op.getTransposed() ? ", each transposed" : "");
  Type narrow = matrices.getElementType(), wide = packed.getElementType();
  const bool isSplit = op.getPanels().getParts() > 1;
  if (isSplit && !narrow.isF16() && !narrow.isF32())
    return violates(op, 2) << "has parts of " << narrow << ", expected f16 or f32";
  const bool holds = isSplit ? wide.isBF16() : narrow == wide || (wide.isF32() && (narrow.isF16() || narrow.isBF16()));
  const Type own = isSplit ? BFloat16Type::get(op.getContext()) : narrow;
  if (const auto shape = op.getMatrix().shape(); packed.getShape() != ArrayRef(shape) || !holds) {
    InFlightDiagnostic error = violates(op, 2) << "has " << packed << " packed, expected "
                                               << packed.clone(shape).clone(holds ? wide : own);
    const PackedMatrix filters = matrixOf(matrices, 1, /*isFilters=*/true, op.getTransposed(), op.getPanels());
    if (!op.getFilters() && batches == 1 && matrices.getRank() > 2 && packed.getShape() == ArrayRef(filters.shape()))
      error << ", or the word 'filters' before 'panels', as filters of a convolution are packed";
    return error;
  }
  return success();
}
LogicalResult PackOp::verify() { return verifyPacking(*this, typeOf(getInput()), typeOf(getResult())); }
LogicalResult UnpackOp::verify() { return verifyPacking(*this, typeOf(getResult()), typeOf(getInput())); }

LogicalResult PanelsAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t rows, int64_t depth,
                                 int64_t unit, bool, int64_t parts) {
  if (rows < 1 || depth < 1 || unit < 1 || rows > kMostOfPanel || depth > kMostOfPanel || depth % unit != 0)
    return violates(emitError(), "#" + name, 1)
           << "panels of " << rows << " rows and " << depth << " of k in units of " << unit;
  if (parts < 1 || parts > 3 || (parts > 1 && (unit != 2 || depth % kDepthOfParts != 0)))
    return violates(emitError(), "#" + name, 2)
           << "panels of " << parts << " parts, " << depth << " of k in units of " << unit
           << ", expected at most 3 parts, and units of 2 and a multiple of " << kDepthOfParts
           << " where there are several";
  return success();
}

RankedTensorType PackedAttr::getPackedType(RankedTensorType weight, Type element) const {
  const PanelsAttr panels = getPanels();
  const Type own = panels.getParts() > 1 ? BFloat16Type::get(getContext()) : element;
  const PackedMatrix matrix = matrixOf(weight, /*batches=*/1, weight.getRank() > 2, getTransposed(), panels);
  return RankedTensorType::get(matrix.shape(), own);
}

std::string PackedAttr::getWord() const {
  const PanelsAttr panels = getPanels();
  std::string word = (Twine(panels.getRows()) + "x" + Twine(panels.getDepth()) + "x" + Twine(panels.getUnit())).str();
  if (panels.getParts() > 1)
    word += "p" + std::to_string(panels.getParts());
  if (panels.getDepthInner())
    word += "k";
  if (getTransposed())
    word += "t";
  return word;
}
