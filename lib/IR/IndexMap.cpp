// Where an operand's elements lie, as seen by a contraction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/IndexMap.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>

using namespace llvm;
using namespace mp;

IndexMap IndexMap::ofMatrix(int64_t batch, int64_t rows, int64_t depth, bool isTransposed, bool isShared) {
  IndexMap map;
  const bool hasBatch = batch != 1 && !isShared;
  const unsigned first = hasBatch ? 1 : 0;
  if (hasBatch) {
    map.dimensions.push_back({batch});
    map.batch.push_back({batch, 0});
  }
  map.dimensions.push_back({isTransposed ? depth : rows});
  map.dimensions.push_back({isTransposed ? rows : depth});
  map.row.push_back({rows, isTransposed ? first + 1 : first});
  map.depth.push_back({depth, isTransposed ? first : first + 1});
  return map;
}

IndexMap IndexMap::ofFilters(ArrayRef<int64_t> shape, bool isTransposed) {
  const unsigned last = shape.size() - 1;
  IndexMap map;
  for (int64_t size : shape)
    map.dimensions.push_back({size});
  for (unsigned tap = 1; tap < last; ++tap) {
    if (isTransposed)
      map.dimensions[tap].shift = shape[tap] - 1;
    map.depth.push_back({shape[tap], tap, isTransposed ? -1 : 1});
  }
  const Digit filter{shape.front(), 0}, channel{shape.back(), last};
  map.row.push_back(isTransposed ? channel : filter);
  map.depth.push_back(isTransposed ? filter : channel);
  map.simplify();
  return map;
}

/// Adds what the digits of `number` move.
static void addDigits(ArrayRef<IndexMap::Digit> digits, int64_t number, MutableArrayRef<int64_t> sums) {
  for (const IndexMap::Digit &digit : reverse(digits)) {
    sums[digit.dimension] += number % digit.size * digit.factor;
    number /= digit.size;
  }
}

std::optional<int64_t> IndexMap::find(int64_t batchNumber, int64_t rowNumber, int64_t k) const {
  SmallVector<int64_t, 4> sums;
  for (const Dimension &dimension : dimensions)
    sums.push_back(dimension.shift);
  addDigits(batch, batchNumber, sums);
  addDigits(row, rowNumber, sums);
  addDigits(depth, k, sums);

  int64_t element = 0;
  for (auto [dimension, sum] : zip_equal(dimensions, sums)) {
    if (sum < 0 || sum % dimension.divisor != 0 || sum / dimension.divisor >= dimension.size)
      return std::nullopt;
    element = element * dimension.size + sum / dimension.divisor;
  }
  return element;
}

static bool walksMemory(ArrayRef<IndexMap::Digit> digits, unsigned last) {
  return !digits.empty() && digits.back().dimension == last && digits.back().factor == 1;
}

bool IndexMap::isAlongDepth() const { return walksMemory(depth, dimensions.size() - 1); }

int64_t IndexMap::getRun() const {
  const unsigned last = dimensions.size() - 1;
  const Digits &along = isAlongDepth() ? depth : row;
  if (!walksMemory(along, last) || dimensions[last].divisor != 1)
    return 1;
  int64_t run = std::gcd(along.back().size, std::gcd(dimensions[last].size, dimensions[last].shift));
  for (const Digits *digits : {&batch, &row, &depth})
    for (const Digit &digit : *digits)
      if (digit.dimension == last && &digit != &along.back())
        run = std::gcd(run, digit.factor);
  return run;
}

bool IndexMap::isMatrix() const {
  if (row.size() != 1 || depth.size() != 1 || batch.size() > 1 || dimensions.size() != batch.size() + 2)
    return false;
  auto isWhole = [&](const Digit &digit) {
    const Dimension &dimension = dimensions[digit.dimension];
    return digit.factor == 1 && digit.size == dimension.size && dimension.shift == 0 && dimension.divisor == 1;
  };
  const bool isApart = row[0].dimension != depth[0].dimension;
  const bool hasBatch = batch.empty() || (batch[0].dimension == 0 && row[0].dimension != 0 && depth[0].dimension != 0);
  return isApart && hasBatch && isWhole(row[0]) && isWhole(depth[0]) && all_of(batch, isWhole);
}

bool IndexMap::isCertain(unsigned dimension) const {
  const Dimension &own = dimensions[dimension];
  int64_t least = own.shift, most = own.shift;
  for (const Digits *digits : {&batch, &row, &depth})
    for (const Digit &digit : *digits) {
      if (digit.size == 0)
        return true;
      if (digit.dimension != dimension)
        continue;
      const int64_t farthest = (digit.size - 1) * digit.factor;
      least += std::min<int64_t>(farthest, 0);
      most += std::max<int64_t>(farthest, 0);
    }
  return own.divisor == 1 && least >= 0 && most < own.size;
}

// Simplification

/// Removes a dimension that no digit moves.
static void dropDimension(IndexMap &map, unsigned dropped) {
  map.dimensions.erase(map.dimensions.begin() + dropped);
  for (IndexMap::Digits *digits : {&map.batch, &map.row, &map.depth})
    for (IndexMap::Digit &digit : *digits)
      if (digit.dimension > dropped)
        --digit.dimension;
}

static unsigned countDigits(const IndexMap &map, unsigned dimension) {
  unsigned count = 0;
  for (const IndexMap::Digits *digits : {&map.batch, &map.row, &map.depth})
    count += count_if(*digits, [&](const IndexMap::Digit &digit) { return digit.dimension == dimension; });
  return count;
}

/// Makes `outer` and the dimension inside of it one, where one number walks both as one: [H, W] of all (h, w).
static bool join(IndexMap &map, unsigned outer) {
  const unsigned inner = outer + 1;
  const IndexMap::Dimension inside = map.dimensions[inner];
  if (inside.shift != 0 || inside.divisor != 1 || map.dimensions[outer].divisor != 1 || countDigits(map, inner) != 1)
    return false;
  for (IndexMap::Digits *digits : {&map.batch, &map.row, &map.depth})
    for (size_t i = 1; i < digits->size(); ++i) {
      IndexMap::Digit &before = (*digits)[i - 1], own = (*digits)[i];
      if (own.dimension != inner || own.factor != 1 || own.size != inside.size || before.dimension != outer ||
          before.factor != 1)
        continue;
      // All that moves the outer dimension moves the joined one so many times as far; the two digits become one.
      for (IndexMap::Digits *others : {&map.batch, &map.row, &map.depth})
        for (IndexMap::Digit &digit : *others)
          if (digit.dimension == outer)
            digit.factor *= inside.size;
      before.size *= inside.size;
      before.factor = 1;
      digits->erase(digits->begin() + static_cast<ptrdiff_t>(i));
      map.dimensions[outer].size *= inside.size;
      map.dimensions[outer].shift *= inside.size;
      dropDimension(map, inner);
      return true;
    }
  return false;
}

void IndexMap::simplify() {
  // A digit of one value moves nothing; what walks memory keeps its one, so that the direction stays.
  const unsigned last = dimensions.size() - 1;
  for (Digits *digits : {&batch, &row, &depth})
    erase_if(*digits, [&](const Digit &digit) { return digit.size == 1 && digit.dimension != last; });
  for (unsigned dimension = last; dimension-- > 0;)
    if (const Dimension &own = dimensions[dimension];
        own.size == 1 && own.shift == 0 && own.divisor == 1 && countDigits(*this, dimension) == 0)
      dropDimension(*this, dimension);
  for (unsigned outer = dimensions.size() - 1; outer-- > 0;)
    if (isCertain(outer))
      (void)join(*this, outer);
}

void IndexMap::joinPixels() {
  if (dimensions.size() > 1)
    (void)join(*this, dimensions.size() - 2);
}
