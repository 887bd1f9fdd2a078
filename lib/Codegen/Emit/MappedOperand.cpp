// Where a product's operand has its elements, in code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Emit/MappedOperand.h"

using namespace mlir;
using namespace mp;

MappedOperand::MappedOperand(KernelFunction &f, Value tensor, const IndexMap &map)
    : tensor(tensor), map(map), columns(map.dimensions.back().size), f(f) {}

/// Adds what the digits of `number` move to `sums`.
void MappedOperand::addDigits(ArrayRef<IndexMap::Digit> digits, Value number, Sums &sums) {
  for (const IndexMap::Digit &digit : llvm::reverse(digits)) {
    // What is left of the number is its first digit.
    const bool isFirst = &digit == digits.begin();
    Value moved = f.mul(isFirst ? number : f.rem(number, digit.size), digit.factor);
    Value &sum = sums[digit.dimension];
    sum = sum ? f.add(sum, moved) : moved;
    if (!isFirst)
      number = f.div(number, digit.size);
  }
}

MappedOperand::Element MappedOperand::findInMatrix(Value batch, Value row, Value k) {
  Value line = map.isAlongDepth() ? row : k, column = map.isAlongDepth() ? k : row;
  if (!map.batch.empty())
    line = f.add(f.mul(batch, map.dimensions[1].size), line);
  return {line, column, Value()};
}

MappedOperand::Element MappedOperand::find(Value batch, Value row, Value k) {
  if (map.isMatrix())
    return findInMatrix(batch, row, k);
  Sums sums(map.dimensions.size());
  addDigits(map.batch, batch, sums);
  addDigits(map.row, row, sums);
  addDigits(map.depth, k, sums);
  return at(sums);
}

MappedOperand::Sums MappedOperand::movedBy(ArrayRef<IndexMap::Digit> digits, Value number) {
  Sums sums(map.dimensions.size());
  addDigits(digits, number, sums);
  return sums;
}

MappedOperand::Sums MappedOperand::add(const Sums &a, const Sums &b) {
  Sums sums = a;
  for (auto [sum, other] : llvm::zip_equal(sums, b))
    if (other)
      sum = sum ? f.add(sum, other) : other;
  return sums;
}

MappedOperand::Sums MappedOperand::along(const Sums &sums, Value elements) {
  Sums moved = sums;
  moved.back() = moved.back() ? f.add(moved.back(), elements) : elements;
  return moved;
}

/// Adds a condition to those of `at`.
static void require(KernelFunction &f, MappedOperand::Element &at, arith::CmpIPredicate predicate, Value index,
                    int64_t bound) {
  Value condition = f.b.createOrFold<arith::CmpIOp>(predicate, index, f.i64(bound));
  at.isThere = at.isThere ? f.b.createOrFold<arith::AndIOp>(at.isThere, condition) : condition;
}

/// The index in a dimension, and what must be so that there is one; of the last dimension of a line, in any case.
Value MappedOperand::indexIn(unsigned number, const Sums &sums, bool isAnywhere, Element &at) {
  const IndexMap::Dimension &dimension = map.dimensions[number];
  Value index = f.add(sums[number] ? sums[number] : f.i64(0), f.i64(dimension.shift));
  // Below 0 is above every bound without a sign.
  if (!isAnywhere && !map.isCertain(number))
    require(f, at, arith::CmpIPredicate::ult, index, dimension.size * dimension.divisor);
  if (dimension.divisor == 1)
    return index;
  require(f, at, arith::CmpIPredicate::eq, f.rem(index, dimension.divisor), 0);
  return f.div(index, dimension.divisor);
}

MappedOperand::Element MappedOperand::lineAt(const Sums &sums) { return elementAt(sums, /*isAnywhere=*/true); }

MappedOperand::Element MappedOperand::elementAt(const Sums &sums, bool isAnywhere) {
  Element at;
  const unsigned last = map.dimensions.size() - 1;
  for (unsigned number = 0; number < last; ++number) {
    Value index = indexIn(number, sums, false, at);
    at.row = at.row ? f.add(f.mul(at.row, map.dimensions[number].size), index) : index;
  }
  if (!at.row)
    at.row = f.i64(0);
  at.column = indexIn(last, sums, isAnywhere, at);
  return at;
}

MappedOperand::Element MappedOperand::at(const Sums &sums) {
  Element at = elementAt(sums, /*isAnywhere=*/false);
  if (at.isThere) {
    at.row = arith::SelectOp::create(f.b, at.isThere, at.row, f.i64(0));
    at.column = arith::SelectOp::create(f.b, at.isThere, at.column, f.i64(0));
  }
  return at;
}

LogicalResult MappedOperand::forRuns(ArrayRef<IndexMap::Digit> digits, Value from, Value to,
                                     function_ref<LogicalResult(const Run &)> body) {
  if (digits.size() < 2)
    return body({f.i64(0), from, to, Sums(map.dimensions.size())});
  const int64_t size = std::max<int64_t>(digits.back().size, 1); // of no elements, too
  Value end = f.div(f.add(to, f.i64(size - 1)), size);
  return f.forEach(f.div(from, size), end, 1, [&](Value number) {
    Value start = f.mul(number, size);
    Value first = f.max(f.sub(from, start), f.i64(0)), last = f.min(f.sub(to, start), f.i64(size));
    return body({start, first, last, movedBy(digits.drop_back(), number)});
  });
}
