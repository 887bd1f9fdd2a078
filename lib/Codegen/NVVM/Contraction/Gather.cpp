// Where a thread finds its vectors of an operand whose elements a map gathers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/NVVM/Contraction/Gather.h"

#include "llvm/Support/MathExtras.h"

#include <limits>
#include <numeric>
#include <utility>

using namespace mlir;
using namespace mp;

// Bits of taps: those of values of digits; one that each tap asks for, and pixels lack that are nowhere; one that all
// pixels lack.
static constexpr int64_t kAnywhere = 30, kNowhere = 31;
static constexpr int64_t kMostKnown = 64;  // registers of a thread, beside sums and fragments
static constexpr int64_t kMostDepths = 16; // that a thread looks for in one step
static constexpr int64_t kLeastShared = 4; // k that a thread looks for
static constexpr int64_t kOfDigits = 12, kOfSpan = 8, kOfComparison = 4; // instructions for a k, and its dimensions
static constexpr int64_t kStepsAhead = 8;     // steps begin so far beyond the last, or as far as there are stages
static constexpr int64_t kLeastStretch = 4;   // what a copy brings at least that elements are not brought one by one
static constexpr int64_t kMostEntries = 8192; // 128 KiB of constants
static constexpr int64_t kMostCounted = std::numeric_limits<int32_t>::max();

static int64_t sizeOf(ArrayRef<IndexMap::Digit> digits) {
  int64_t size = 1;
  for (const IndexMap::Digit &digit : digits)
    size = digit.size == 0 || size > kMostCounted / digit.size ? kMostCounted : size * digit.size;
  return size;
}

/// At most one of these digits, not the innermost, moves each dimension that has an edge, and their values are few.
bool Gather::hasFewTaps(const IndexMap &map, ArrayRef<IndexMap::Digit> digits) {
  int64_t bits = 0;
  for (unsigned number = 0; number < map.dimensions.size(); ++number) {
    if (map.isCertain(number))
      continue;
    int64_t count = 0;
    for (const IndexMap::Digit &digit : digits)
      if (digit.dimension == number) {
        ++count;
        bits += std::min<int64_t>(digit.size, kAnywhere + 1);
      }
    if (count > 1 || digits.back().dimension == number)
      return false;
  }
  return bits <= kAnywhere;
}

/// Of few k a shuffle, on which the copy has to wait, costs more than it saves.
static bool isWorthSharing(const Gather::Pattern &pattern) {
  return pattern.sharers > 1 && pattern.depths >= kLeastShared;
}

/// Where rows are taps, what is under them is found out of each k. That pays where it is asked for several rows, which
/// would compare indices else, or where lanes share it.
Gather::Taps Gather::tapsOf(const IndexMap &map, const Pattern &pattern) {
  if (hasFewTaps(map, map.depth))
    return Taps::OfDepth;
  auto isUncertain = [&](const IndexMap::Digit &digit) { return !map.isCertain(digit.dimension); };
  if (map.row.empty() || !hasFewTaps(map, map.row) || llvm::any_of(map.batch, isUncertain))
    return Taps::None;
  if (hasPixelTable(map, pattern))
    return Taps::OfRow;
  const int64_t found = isWorthSharing(pattern) ? llvm::divideCeil(pattern.depths, pattern.sharers) : pattern.depths;
  int64_t ofTaps = kOfDigits, ofComparisons = 0;
  for (unsigned number = 0; number < map.dimensions.size(); ++number)
    ofComparisons += map.isCertain(number) ? 0 : kOfComparison * pattern.rows;
  for (const IndexMap::Digit &digit : map.row)
    if (isUncertain(digit))
      ofTaps += digit.factor == 1 ? kOfSpan : kOfComparison * digit.size;
  return ofTaps * found < (ofComparisons + kOfDigits) * pattern.depths ? Taps::OfRow : Taps::None;
}

/// Steps of `blockK` stay within the innermost digit of k.
bool Gather::staysUnderTap(const IndexMap &map, int64_t blockK) {
  return map.depth.back().size % blockK == 0 && map.isCertain(map.depth.back().dimension);
}

/// Steps that stay under a tap need none.
bool Gather::hasPixelTable(const IndexMap &map, const Pattern &pattern) {
  return pattern.apart > 0 && !staysUnderTap(map, pattern.blockK) && PixelTable::fits(map, pattern.blockK);
}

bool Gather::fits(const IndexMap &map, const Pattern &pattern) {
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
  if (pattern.rows * (tapsOf(map, pattern) != Taps::None ? 2 : known) > kMostKnown ||
      (pattern.depths > kMostDepths && !staysUnderTap(map, pattern.blockK)))
    return false;
  return sizeOf(map.row) < kMostCounted / 2 && sizeOf(map.depth) < kMostCounted / 2;
}

Gather::Gather(GPUFunction &f, const MappedOperand &operand, const Pattern &pattern, Value first)
    : f(f), operand(operand), strides(operand.map.dimensions.size(), 1), pattern(pattern),
      taps(tapsOf(operand.map, pattern)),
      tapDigits(taps == Taps::OfRow ? this->operand.map.row : this->operand.map.depth),
      isSteady(staysUnderTap(operand.map, pattern.blockK)), isWhole(sizeOf(operand.map.depth) % pattern.blockK == 0),
      mostK(sizeOf(operand.map.depth) + std::max(kStepsAhead, pattern.stages + 1) * pattern.blockK),
      first(narrow(first)) {
  for (size_t number = strides.size() - 1; number > 0; --number)
    strides[number - 1] = strides[number] * operand.map.dimensions[number].size;
  for (unsigned number = 0; number < strides.size(); ++number)
    if (!operand.map.isCertain(number))
      uncertain.push_back(number);
  stretch = std::gcd(operand.map.depth.back().size, pattern.blockK);
  if (isLookedUp()) {
    makeTable();
  } else if (hasPixelTable(operand.map, pattern) && (taps == Taps::OfRow || uncertain.empty())) {
    auto bitsOf = [&](ArrayRef<int64_t> moved) { return tapsOutside(moved); };
    // Of one row, an address and what a step adds are one sum for all of its k.
    const PixelTable::Steps ofSteps = {pattern.blockK, mostK, pattern.rows == 1 ? elementBytes() : 0, pattern.depths,
                                       pattern.apart};
    pixels.emplace(f, operand.map, strides, ofSteps, uncertain.empty() ? PixelTable::BitsOf() : bitsOf);
    pixels->locate(this->first);
  }
  isShared = !isSteady && !table && !pixels && isWorthSharing(pattern) && (taps != Taps::None || uncertain.empty());
  if (isShared) {
    sharer = narrow(f.rem(f.div(f.lane, pattern.distance), pattern.sharers));
    const int64_t group = pattern.sharers * pattern.distance;
    sharers = narrow(f.add(f.mul(f.div(f.lane, group), group), f.rem(f.lane, pattern.distance)));
  }
}

/// Each k that a thread looks for is as far from the begin of its stretch as the first, or all lie in one.
bool Gather::isLookedUp() const {
  const IndexMap::Digit &innermost = operand.map.depth.back();
  const bool areAlike = isSteady || pattern.depths == 1 || (pattern.apart > 0 && pattern.apart % stretch == 0);
  return areAlike && taps != Taps::OfRow && (taps == Taps::OfDepth || uncertain.empty()) && stretch >= kLeastStretch &&
         operand.map.isCertain(innermost.dimension) && mostK / stretch <= kMostEntries;
}

/// Behind the last k are entries of taps that are none.
void Gather::makeTable() {
  const IndexMap &map = operand.map;
  SmallVector<StepTable::Entry> entries;
  for (int64_t k = 0; k < mostK; k += stretch) {
    StepTable::Entry entry{0, uint32_t(1) << kNowhere};
    if (k < sizeOf(map.depth)) {
      entry.bits = uint32_t(1) << kAnywhere;
      int64_t rest = k, offset = 0;
      for (const IndexMap::Digit &digit : llvm::reverse(map.depth)) {
        const int64_t value = rest % digit.size;
        rest /= digit.size;
        offset += value * digit.factor * strides[digit.dimension];
        if (llvm::is_contained(uncertain, digit.dimension))
          entry.bits |= uint32_t(1) << (firstBit(digit.dimension) + value);
      }
      entry.distance = offset * elementBytes();
    }
    entries.push_back(entry);
  }
  table.emplace(f, entries, pattern.blockK / stretch, pattern.isShort);
}

void Gather::startAt(Value startsAt) {
  firstK = narrow(startsAt);
  if (table)
    table->startAt(f.add(f.div(startsAt, stretch), f.div(wide(first), stretch)));
}

void Gather::expect(Value number) {
  expected = number;
  if (pixels)
    pixels->expect(add(firstK, times(number, pattern.blockK)));
}

SmallVector<Value> Gather::lookUp() {
  if (pixels)
    return pixels->read();
  SmallVector<Value> found;
  for (int64_t index = 0; table && index < countLookedUp(); ++index) {
    const StepTable::Found entry = table->find(expected, index * pattern.apart / stretch);
    found.append({entry.distance, entry.bits});
  }
  return found;
}

/// Steps of a part of k end before the table does, which sends no vector of a whole k beyond its end.
Gather::Step Gather::stepInTable(int64_t further) {
  const int64_t number = further == 0 ? 0 : further / pattern.apart;
  Step step{known[2 * number], known[2 * number + 1], Value()};
  if (pattern.isCut)
    step.taps = arith::SelectOp::create(f.b, isThere, step.taps, i32(int64_t(1) << kNowhere));
  return step;
}

/// Below 0 is above every bound without a sign.
Value Gather::isBelow(Value index, int64_t bound) {
  return f.b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult, index, i32(bound));
}

/// The first of the bits of a dimension's taps.
int64_t Gather::firstBit(unsigned dimension) const {
  int64_t bit = 0;
  for (const IndexMap::Digit &digit : tapDigits)
    if (digit.dimension < dimension && llvm::is_contained(uncertain, digit.dimension))
      bit += digit.size;
  return bit;
}

/// The bit of a digit's value.
Value Gather::bitOf(const IndexMap::Digit &digit, Value value) {
  return f.b.createOrFold<arith::ShLIOp>(i32(1), add(value, i32(firstBit(digit.dimension))));
}

/// Bits of the taps of a digit under which there are pixels, where neighbours see neighbours: they are neighbours, too.
Value Gather::spanInside(const IndexMap::Digit &digit, Value index) {
  const int64_t size = operand.map.dimensions[digit.dimension].size;
  auto startAt = [&](Value value) {
    value = f.b.createOrFold<arith::MaxSIOp>(value, i32(0));
    value = f.b.createOrFold<arith::MinSIOp>(value, i32(digit.size));
    return f.b.createOrFold<arith::ShLIOp>(i32(int64_t(1) << firstBit(digit.dimension)), value);
  };
  Value first = startAt(f.b.createOrFold<arith::SubIOp>(i32(0), index));
  return f.b.createOrFold<arith::SubIOp>(startAt(f.b.createOrFold<arith::SubIOp>(i32(size), index)), first);
}

/// A bit for each row, column, ... of taps under which there are no pixels.
Value Gather::tapsOutside(ArrayRef<Value> indices) {
  const IndexMap &map = operand.map;
  Value inside = i32(1 << kAnywhere), isAnywhere;
  for (unsigned number : uncertain) {
    auto isInside = [&](int64_t moved) {
      Value index = add(indices[number], i32(moved));
      return isBelow(index, map.dimensions[number].size);
    };
    const auto *digit = llvm::find_if(tapDigits, [&](auto &own) { return own.dimension == number; });
    if (digit == tapDigits.end()) { // a filter of one row
      Value here = isInside(0);
      isAnywhere = isAnywhere ? f.b.createOrFold<arith::AndIOp>(isAnywhere, here) : here;
      continue;
    }
    if (digit->factor == 1 && taps == Taps::OfRow) { // in the loop
      inside = f.b.createOrFold<arith::OrIOp>(inside, spanInside(*digit, indices[number]));
      continue;
    }
    for (int64_t value = 0; value < digit->size; ++value) {
      Value bit = i32(int64_t(1) << (firstBit(number) + value));
      Value here = arith::SelectOp::create(f.b, isInside(value * digit->factor), bit, i32(0));
      inside = f.b.createOrFold<arith::OrIOp>(inside, here);
    }
  }
  if (isAnywhere)
    inside = arith::SelectOp::create(f.b, isAnywhere, inside, i32(0));
  return f.b.createOrFold<arith::XOrIOp>(inside, i32(-1));
}

/// The same where what k moves is known.
uint32_t Gather::tapsOutside(ArrayRef<int64_t> moved) const {
  const IndexMap &map = operand.map;
  uint32_t inside = uint32_t(1) << kAnywhere;
  bool isAnywhere = true;
  for (unsigned number : uncertain) {
    auto isInside = [&](int64_t further) {
      const int64_t index = map.dimensions[number].shift + moved[number] + further;
      return index >= 0 && index < map.dimensions[number].size;
    };
    const auto *digit = llvm::find_if(tapDigits, [&](auto &own) { return own.dimension == number; });
    if (digit == tapDigits.end())
      isAnywhere &= isInside(0);
    else
      for (int64_t value = 0; value < digit->size; ++value)
        inside |= uint32_t(isInside(value * digit->factor)) << (firstBit(number) + value);
  }
  return ~(isAnywhere ? inside : 0);
}

/// The bits of the tap that a row is.
Value Gather::tapOfRow(Value row) {
  Value bits = i32(1 << kAnywhere), number = row;
  for (const IndexMap::Digit &digit : llvm::reverse(tapDigits)) {
    const bool isFirst = &digit == tapDigits.begin();
    if (llvm::is_contained(uncertain, digit.dimension))
      bits = f.b.createOrFold<arith::OrIOp>(bits, bitOf(digit, narrow(isFirst ? number : f.rem(number, digit.size))));
    if (!isFirst)
      number = f.div(number, digit.size);
  }
  return bits;
}

Gather::Vector Gather::locate(Value batch, Value row, Value isInside, int64_t nearest) {
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
  const int64_t apart = map.depth.back().factor * strides[map.depth.back().dimension];
  if (isSteady || table)
    vector.offset = add(vector.offset, times(table ? narrow(f.rem(wide(first), stretch)) : first, apart));
  if (pixels && pixels->getEven())
    vector.offset = add(vector.offset, times(add(firstK, first), *pixels->getEven()));
  if (taps == Taps::OfDepth && !uncertain.empty())
    vector.taps = tapsOutside(indices);
  else if (taps == Taps::OfRow)
    vector.taps = tapOfRow(row);
  else if (taps == Taps::None)
    for (unsigned number : uncertain)
      vector.edges.push_back(indices[number]);
  // What another lane has found out LLVM cannot take apart again: an address and a step are then one instruction.
  if (table) {
    vector.nearest = nearest;
    vector.offset = add(vector.offset, i32(nearest % stretch * apart));
  }
  if (isShared || table || pixels) {
    Value distance = arith::ExtSIOp::create(f.b, f.b.getI64Type(), vector.offset);
    vector.address = f.offset(origin(), elementType(), distance);
    if (!pattern.isCrowded)
      vector.address = f.hidden(vector.address);
  }
  // What lanes share, or a table has, says by a bit whether a step is there.
  if ((isShared || pixels || (table && !isWhole)) && !vector.taps)
    vector.taps = i32(int64_t(1) << kNowhere);
  // A tap that is none asks for what no pixel has; a pixel that is none has nothing.
  if (isInside)
    vector.taps = arith::SelectOp::create(f.b, isInside, vector.taps ? vector.taps : i32(int64_t(1) << kNowhere),
                                          i32(taps == Taps::OfRow ? int64_t(1) << kNowhere : -1));
  return vector;
}

void Gather::enter(const StepOfK &step) {
  number = step.number;
  k = step.k;
  isThere = step.isThere;
  known = llvm::to_vector(step.known);
  if (known.empty()) {
    expect(step.number);
    known = lookUp();
  }
  steps.clear();
  own.clear();
  // Of k that lanes share each finds out about its own.
  for (int64_t index = 0; isShared && index < pattern.depths; index += pattern.sharers) {
    Value mine = pattern.depths < pattern.sharers ? f.b.createOrFold<arith::RemUIOp>(sharer, i32(pattern.depths))
                                                  : add(sharer, i32(index));
    own.push_back(stepOf(add(add(narrow(k), first), times(mine, pattern.apart))));
  }
}

Gather::Step Gather::stepOf(Value number) {
  const IndexMap &map = operand.map;
  SmallVector<Value, 4> moved(map.dimensions.size(), i32(0));
  Step step{i32(0), i32(1 << kAnywhere), isThere};
  if (!isWhole)
    step.isThere = both(isThere, isBelow(number, sizeOf(map.depth)));
  int64_t most = mostK;
  for (const IndexMap::Digit &digit : llvm::reverse(map.depth)) {
    Value value = number;
    if (&digit != map.depth.begin()) {
      number = quotient(f, number, digit.size, most);
      value = arith::SubIOp::create(f.b, value, times(number, digit.size));
      most = llvm::divideCeil(most, digit.size);
    }
    Value distance = times(value, digit.factor);
    moved[digit.dimension] = add(moved[digit.dimension], distance);
    if (taps == Taps::OfDepth && llvm::is_contained(uncertain, digit.dimension))
      step.taps = f.b.createOrFold<arith::OrIOp>(step.taps, bitOf(digit, value));
    step.offset = add(step.offset, times(distance, strides[digit.dimension]));
  }
  if (taps == Taps::OfRow) {
    for (auto [index, dimension] : llvm::zip_equal(moved, map.dimensions))
      index = add(index, i32(dimension.shift));
    step.taps = tapsOutside(moved);
  }
  for (unsigned dimension : uncertain)
    step.edges.push_back(moved[dimension]);
  leaveOut(step);
  return step;
}

/// Gives a step that is not there bits of which no vector has what it asks for. What was computed of numbers beyond the
/// last k, as shifts by more than there are bits, is left here.
void Gather::leaveOut(Step &step) {
  if (step.isThere)
    step.taps =
        arith::SelectOp::create(f.b, step.isThere, step.taps, i32(taps == Taps::OfRow ? -1 : int64_t(1) << kNowhere));
}

/// What the table of pixels has. Where it has bits, that a step is not there is said once, by the tap (find()).
Gather::Step Gather::stepOfPixel(int64_t further) {
  const PixelTable::Entry entry = pixels->find(known, further / pattern.apart);
  Step step{entry.offset ? entry.offset : i32(0), entry.bits ? entry.bits : i32(1 << kAnywhere),
            entry.bits ? Value() : isThere};
  step.bytes = entry.bytes;
  if (pixels->getEven())
    step.base = f.mul(signedWide(number), pattern.blockK * *pixels->getEven());
  else if (step.bytes || pattern.rows == 1)
    step.base = signedWide(entry.ofStep);
  else
    step.offset = add(step.offset, entry.ofStep);
  if (!isWhole)
    step.isThere = both(step.isThere, isBelow(add(add(narrow(k), first), i32(further)), sizeOf(operand.map.depth)));
  leaveOut(step);
  return step;
}

/// What another lane has found out.
Gather::Step Gather::sharedStep(int64_t index) {
  const Step &step = own[index / pattern.sharers];
  Value lane = add(sharers, i32(index % pattern.sharers * pattern.distance));
  return {f.shuffleFrom(step.offset, lane), f.shuffleFrom(step.taps, lane)};
}

const Gather::Step &Gather::stepAt(int64_t further) {
  const int64_t key = isSteady ? 0 : further;
  for (auto &[known, step] : steps)
    if (known == key)
      return step;
  if (table)
    return steps.emplace_back(key, stepInTable(key)).second;
  if (pixels)
    return steps.emplace_back(key, stepOfPixel(further)).second;
  if (isShared)
    return steps.emplace_back(key, sharedStep(further / pattern.apart)).second;
  Value from = narrow(k);
  return steps.emplace_back(key, stepOf(isSteady ? from : add(add(from, first), i32(further)))).second;
}

Gather::Place Gather::find(const Vector &vector, int64_t further) {
  const Step &step = stepAt(further);
  Place place{origin(), Value(), 0, step.isThere};
  if (vector.address)
    place.from = vector.address;
  place.offset = vector.address ? step.offset : add(vector.offset, step.offset);
  if (pixels && pixels->getEven())
    place.constant = further * *pixels->getEven();
  if (step.base)
    place.from = f.offset(vector.address, elementType(), step.base);
  if (step.bytes)
    place.from = f.offset(place.from, f.b.getI8Type(), arith::ExtUIOp::create(f.b, f.b.getI64Type(), step.bytes));
  if (isSteady) {
    const IndexMap::Digit &innermost = operand.map.depth.back();
    place.constant = (further - vector.nearest) * innermost.factor * strides[innermost.dimension];
  }
  // Where no pixel is outside the end is, for all vectors at once.
  if (table && !vector.taps)
    place.isThere = isThere;
  if (vector.taps) {
    Value own = vector.taps;
    if (isThere && pixels && pixels->hasBits())
      own = arith::SelectOp::create(f.b, isThere, own, i32(int64_t(1) << kNowhere));
    Value missing = arith::AndIOp::create(f.b, own, step.taps);
    place.isThere = arith::CmpIOp::create(f.b, arith::CmpIPredicate::eq, missing, i32(0));
  }
  if (taps == Taps::None)
    for (auto [number, own, moved] : llvm::zip_equal(uncertain, vector.edges, step.edges))
      place.isThere = both(place.isThere, isBelow(add(own, moved), operand.map.dimensions[number].size));
  return place;
}
