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

MappedOperand::Element MappedOperand::at(const Sums &sums) {
  Element at;
  auto require = [&](Value condition) {
    at.isThere = at.isThere ? f.b.createOrFold<arith::AndIOp>(at.isThere, condition) : condition;
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value index, int64_t bound) {
    return f.b.createOrFold<arith::CmpIOp>(predicate, index, f.i64(bound));
  };
  for (auto [number, dimension] : llvm::enumerate(map.dimensions)) {
    Value index = sums[number] ? sums[number] : f.i64(0);
    index = f.add(index, f.i64(dimension.shift));
    // Below 0 is above every bound without a sign.
    if (!map.isCertain(number))
      require(compare(arith::CmpIPredicate::ult, index, dimension.size * dimension.divisor));
    if (dimension.divisor != 1) {
      require(compare(arith::CmpIPredicate::eq, f.rem(index, dimension.divisor), 0));
      index = f.div(index, dimension.divisor);
    }
    if (number + 1 == map.dimensions.size())
      at.column = index;
    else
      at.row = at.row ? f.add(f.mul(at.row, dimension.size), index) : index;
  }
  if (!at.row)
    at.row = f.i64(0);
  if (at.isThere) {
    at.row = arith::SelectOp::create(f.b, at.isThere, at.row, f.i64(0));
    at.column = arith::SelectOp::create(f.b, at.isThere, at.column, f.i64(0));
  }
  return at;
}

LogicalResult MappedOperand::forRuns(ArrayRef<IndexMap::Digit> digits, Value from, Value to, bool isWhole,
                                     function_ref<LogicalResult(const Run &)> body) {
  if (digits.size() < 2)
    return body({f.i64(0), from, to, Sums(map.dimensions.size())});
  const int64_t size = std::max<int64_t>(digits.back().size, 1); // of no elements, too
  Value end = f.div(f.add(to, f.i64(size - 1)), size);
  return f.forEach(f.div(from, size), end, 1, [&](Value number) {
    Value start = f.mul(number, size);
    Value first = f.i64(0), last = f.i64(size);
    if (!isWhole) {
      first = f.max(f.sub(from, start), first);
      last = f.min(f.sub(to, start), last);
    }
    return body({start, first, last, movedBy(digits.drop_back(), number)});
  });
}
