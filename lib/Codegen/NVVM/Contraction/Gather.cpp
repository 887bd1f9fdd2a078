// Where a thread finds its vectors of an operand whose elements a map gathers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/NVVM/Contraction/Gather.h"

#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace mp;

// Bits of taps: those of values of digits; one that each vector has that is anywhere; one that none has.
static constexpr int64_t kAnywhere = 30, kNowhere = 31, kEverywhere = (int64_t(1) << kNowhere) - 1;
static constexpr int64_t kMostKnown = 64;  // registers of a thread, beside sums and fragments
static constexpr int64_t kMostDepths = 16; // that a thread looks for in one step
static constexpr int64_t kStepsAhead = 8;  // more than there are stages: steps begin so far beyond the last
static constexpr int64_t kMostCounted = std::numeric_limits<int32_t>::max();

static int64_t sizeOf(ArrayRef<IndexMap::Digit> digits) {
  int64_t size = 1;
  for (const IndexMap::Digit &digit : digits)
    size = digit.size == 0 || size > kMostCounted / digit.size ? kMostCounted : size * digit.size;
  return size;
}

/// At most one digit of k, not the innermost, moves each dimension that has an edge, and their values are few.
bool Gather::hasFewTaps(const IndexMap &map) {
  int64_t bits = 0;
  for (unsigned number = 0; number < map.dimensions.size(); ++number) {
    if (map.isCertain(number))
      continue;
    int64_t digits = 0;
    for (const IndexMap::Digit &digit : map.depth)
      if (digit.dimension == number) {
        ++digits;
        bits += std::min<int64_t>(digit.size, kAnywhere + 1);
      }
    if (digits > 1 || map.depth.back().dimension == number)
      return false;
  }
  return bits <= kAnywhere;
}

/// Steps of `blockK` stay within the innermost digit of k.
bool Gather::staysUnderTap(const IndexMap &map, int64_t blockK) {
  return map.depth.back().size % blockK == 0 && map.isCertain(map.depth.back().dimension);
}

bool Gather::fits(const IndexMap &map, int64_t blockK, int64_t rows, int64_t depths) {
  if (map.isMatrix() || map.depth.empty())
    return false;
  // Twice the most, so that rows and k beyond the last are counted, too.
  int64_t elements = 2;
  for (const IndexMap::Dimension &dimension : map.dimensions) {
    if (dimension.divisor != 1 || dimension.size == 0 || elements > kMostCounted / dimension.size)
      return false;
    elements *= dimension.size;
  }
  int64_t known = 1;
  for (unsigned number = 0; number < map.dimensions.size(); ++number)
    known += map.isCertain(number) ? 0 : 1;
  if (rows * (hasFewTaps(map) ? 2 : known) > kMostKnown || (depths > kMostDepths && !staysUnderTap(map, blockK)))
    return false;
  return sizeOf(map.row) < kMostCounted / 2 && sizeOf(map.depth) < kMostCounted / 2;
}

Gather::Gather(GPUFunction &f, const MappedOperand &operand, int64_t blockK, Value first)
    : f(f), operand(operand), strides(operand.map.dimensions.size(), 1), countsTaps(hasFewTaps(operand.map)),
      isSteady(staysUnderTap(operand.map, blockK)), isWhole(sizeOf(operand.map.depth) % blockK == 0),
      mostK(sizeOf(operand.map.depth) + kStepsAhead * blockK), first(narrow(first)) {
  for (size_t number = strides.size() - 1; number > 0; --number)
    strides[number - 1] = strides[number] * operand.map.dimensions[number].size;
  for (unsigned number = 0; number < strides.size(); ++number)
    if (!operand.map.isCertain(number))
      uncertain.push_back(number);
}

/// Below 0 is above every bound without a sign.
Value Gather::isBelow(Value index, int64_t bound) {
  return f.b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult, index, i32(bound));
}

/// The first of the bits of a dimension's taps.
int64_t Gather::firstBit(unsigned dimension) const {
  int64_t bit = 0;
  for (const IndexMap::Digit &digit : operand.map.depth)
    if (digit.dimension < dimension && llvm::is_contained(uncertain, digit.dimension))
      bit += digit.size;
  return bit;
}

/// A bit for each row, column, ... of taps under which there are pixels.
Value Gather::tapsOf(ArrayRef<Value> indices) {
  const IndexMap &map = operand.map;
  Value taps = i32(1 << kAnywhere), isAnywhere;
  for (unsigned number : uncertain) {
    auto isInside = [&](int64_t moved) {
      Value index = add(indices[number], i32(moved));
      return isBelow(index, map.dimensions[number].size);
    };
    const auto *digit = llvm::find_if(map.depth, [&](auto &own) { return own.dimension == number; });
    if (digit == map.depth.end()) { // a filter of one row
      Value here = isInside(0);
      isAnywhere = isAnywhere ? f.b.createOrFold<arith::AndIOp>(isAnywhere, here) : here;
      continue;
    }
    for (int64_t value = 0; value < digit->size; ++value) {
      Value bit = i32(int64_t(1) << (firstBit(number) + value));
      Value here = arith::SelectOp::create(f.b, isInside(value * digit->factor), bit, i32(0));
      taps = f.b.createOrFold<arith::OrIOp>(taps, here);
    }
  }
  return isAnywhere ? Value(arith::SelectOp::create(f.b, isAnywhere, taps, i32(0))) : taps;
}

Gather::Vector Gather::locate(Value batch, Value row, Value isInside) {
  const IndexMap &map = operand.map;
  const MappedOperand::Sums sums = operand.add(operand.movedBy(map.batch, batch), operand.movedBy(map.row, row));
  SmallVector<Value, 4> indices;
  Vector vector;
  vector.offset = i32(0);
  for (auto [sum, dimension, stride] : llvm::zip_equal(sums, map.dimensions, strides)) {
    Value index = add(sum ? narrow(sum) : i32(0), i32(dimension.shift));
    indices.push_back(index);
    vector.offset = add(vector.offset, times(index, stride));
  }
  // Under a step that stays within one tap, each k lies as far on as it is further.
  if (isSteady)
    vector.offset = add(vector.offset, times(first, map.depth.back().factor * strides[map.depth.back().dimension]));
  if (countsTaps && !uncertain.empty())
    vector.taps = tapsOf(indices);
  else if (!countsTaps)
    for (unsigned number : uncertain)
      vector.edges.push_back(indices[number]);
  if (isInside) {
    Value taps = vector.taps ? vector.taps : i32(kEverywhere);
    vector.taps = arith::SelectOp::create(f.b, isInside, taps, i32(0));
  }
  return vector;
}

void Gather::enter(Value newK, Value newIsThere) {
  k = newK;
  isThere = newIsThere;
  steps.clear();
}

/// By a multiplication, if its product is an i32. What LLVM makes of a division of so few is one of 16 bits, each
/// operand of which ptxas cuts out of a register first.
Value Gather::quotient(Value number, int64_t divisor, int64_t most) {
  for (int64_t shift = 31; shift > 0 && !llvm::isPowerOf2_64(static_cast<uint64_t>(divisor)); --shift) {
    const int64_t factor = ((int64_t(1) << shift) + divisor - 1) / divisor,
                  excess = factor * divisor - (int64_t(1) << shift);
    if (most * factor > kMostCounted)
      continue;
    if (excess * most >= int64_t(1) << shift)
      break;
    return arith::ShRUIOp::create(f.b, times(number, factor), i32(shift));
  }
  return arith::DivUIOp::create(f.b, number, i32(divisor));
}

Gather::Step Gather::stepOf(Value number) {
  const IndexMap &map = operand.map;
  SmallVector<Value, 4> moved(map.dimensions.size(), i32(0));
  Step step{i32(0), i32(1 << kAnywhere), {}};
  int64_t most = mostK;
  for (const IndexMap::Digit &digit : llvm::reverse(map.depth)) {
    Value value = number;
    if (&digit != map.depth.begin()) {
      number = quotient(number, digit.size, most);
      value = arith::SubIOp::create(f.b, value, times(number, digit.size));
      most = llvm::divideCeil(most, digit.size);
    }
    Value distance = times(value, digit.factor);
    moved[digit.dimension] = add(moved[digit.dimension], distance);
    if (countsTaps && llvm::is_contained(uncertain, digit.dimension)) {
      Value bit = add(value, i32(firstBit(digit.dimension)));
      // In a step that reaches beyond the last k the first digit may, too, and what is computed of so large a number.
      if (!isWhole)
        bit = f.b.createOrFold<arith::MinUIOp>(bit, i32(kNowhere));
      step.tap = f.b.createOrFold<arith::OrIOp>(step.tap, arith::ShLIOp::create(f.b, i32(1), bit));
    }
    step.offset = add(step.offset, times(distance, strides[digit.dimension]));
  }
  for (unsigned dimension : uncertain)
    step.edges.push_back(moved[dimension]);
  if (isThere)
    step.tap = arith::SelectOp::create(f.b, isThere, step.tap, i32(int64_t(1) << kNowhere));
  return step;
}

const Gather::Step &Gather::stepAt(int64_t further) {
  const int64_t key = isSteady ? 0 : further;
  for (auto &[known, step] : steps)
    if (known == key)
      return step;
  Value number = narrow(k);
  return steps.emplace_back(key, stepOf(isSteady ? number : add(add(number, first), i32(further)))).second;
}

Gather::Place Gather::find(const Vector &vector, int64_t further) {
  const Step &step = stepAt(further);
  auto both = [&](Value x, Value y) { return x ? f.b.createOrFold<arith::AndIOp>(x, y) : y; };
  Place place;
  Value offset = add(vector.offset, step.offset);
  place.element = arith::ExtSIOp::create(f.b, f.b.getI64Type(), offset);
  if (isSteady) {
    const IndexMap::Digit &innermost = operand.map.depth.back();
    place.element = f.add(place.element, f.i64(further * innermost.factor * strides[innermost.dimension]));
  }
  if (vector.taps) {
    Value bit = arith::AndIOp::create(f.b, vector.taps, step.tap);
    place.isThere = arith::CmpIOp::create(f.b, arith::CmpIPredicate::eq, bit, step.tap);
  } else {
    place.isThere = isThere;
  }
  if (!countsTaps)
    for (auto [number, own, moved] : llvm::zip_equal(uncertain, vector.edges, step.edges))
      place.isThere = both(place.isThere, isBelow(add(own, moved), operand.map.dimensions[number].size));
  return place;
}
