// Rules of MPContractionOps.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/Accumulator.h"
#include "Reference/Indexing.h"
#include "Reference/Rules.h"

using namespace mp;

/// Reads [batch, rows, columns] of an operand that may lie transposed; an operand of rank 2 serves
/// every batch.
namespace {
class Matrices {
public:
  Matrices(const Tensor &tensor, bool transposed) : values(tensor.reals()), transposed(transposed) {
    const Shape &shape = tensor.type.shape;
    storedRows = shape[shape.size() - 2];
    storedColumns = shape.back();
    batchStride = shape.size() == 2 ? 0 : storedRows * storedColumns;
  }

  int64_t rows() const { return transposed ? storedColumns : storedRows; }
  int64_t columns() const { return transposed ? storedRows : storedColumns; }
  double at(int64_t batch, int64_t row, int64_t column) const {
    if (transposed)
      std::swap(row, column);
    return values[batch * batchStride + row * storedColumns + column];
  }

private:
  std::vector<double> values;
  bool transposed;
  int64_t storedRows, storedColumns, batchStride;
};
} // namespace

/// Adds the products of one element of the result over k in [from, to).
template <typename Sum>
static void addProducts(Sum &sum, const Matrices &lhs, const Matrices &rhs, int64_t element, int64_t from, int64_t to) {
  const int64_t m = lhs.rows(), n = rhs.columns();
  const int64_t batch = element / (m * n), i = element / n % m, j = element % n;
  for (int64_t l = from; l < to; ++l)
    sum.addProduct(lhs.at(batch, i, l), rhs.at(batch, l, j));
}

Tensor rules::evaluate(MatmulPartsOp op, const Frame &frame) {
  const Matrices lhs(frame[op.getLhs()], op.getTransposeLhs());
  const Matrices rhs(frame[op.getRhs()], op.getTransposeRhs());
  TensorTypeT type = runtimeTypeOf(op.getResult());
  const ElementType acc = tensorTypeOf(mlir::RankedTensorType::get({}, op.getAcc()))->element;
  const int64_t k = lhs.columns(), depth = static_cast<int64_t>(op.getDepth());

  std::vector<double> result(elementsOf(type.shape));
  const int64_t inPart = static_cast<int64_t>(result.size()) / type.shape.front();
  for (size_t element = 0; element < result.size(); ++element) {
    const int64_t from = element / inPart * depth;
    Accumulator sum(acc, frame.options);
    addProducts(sum, lhs, rhs, element % inPart, from, std::min(from + depth, k));
    result[element] = sum.get();
  }
  return Tensor::ofReals(std::move(type), result);
}

Tensor rules::evaluate(MatmulOp op, const Frame &frame) {
  const Matrices lhs(frame[op.getLhs()], op.getTransposeLhs());
  const Matrices rhs(frame[op.getRhs()], op.getTransposeRhs());
  const std::vector<double> bias = op.getBias() ? frame[op.getBias()].reals() : std::vector<double>();
  const ElementType acc = tensorTypeOf(mlir::RankedTensorType::get({}, op.getAcc()))->element;
  const ElementType lhsElement = frame[op.getLhs()].type.element, rhsElement = frame[op.getRhs()].type.element;
  TensorTypeT type = runtimeTypeOf(op.getResult());

  std::vector<double> result(elementsOf(type.shape));
  for (size_t element = 0; element < result.size(); ++element) {
    ProductSum sum(lhsElement, rhsElement, acc, frame.options);
    addProducts(sum, lhs, rhs, element, 0, lhs.columns());
    result[element] = bias.empty() ? sum.get() : sum.getWith(bias[element % rhs.columns()]);
  }
  return Tensor::ofReals(std::move(type), result);
}
