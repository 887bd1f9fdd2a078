// What pixels add to where vectors lie, as constants in memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/NVVM/Contraction/PixelTable.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace mp;

static constexpr int64_t kLeastTogether = 4;
static constexpr int64_t kMostBytes = 64 << 10;  // where what a thread reads of a step lies side by side
static constexpr int64_t kMostEntries = 1 << 14; // a few of which are read in each step

Value mp::quotient(GPUFunction &f, Value number, int64_t divisor, int64_t most) {
  auto constant = [&](int64_t value) { return intConstant(f.b, f.b.getI32Type(), value); };
  for (int64_t shift = 31; shift > 0 && !llvm::isPowerOf2_64(static_cast<uint64_t>(divisor)); --shift) {
    const int64_t factor = ((int64_t(1) << shift) + divisor - 1) / divisor,
                  excess = factor * divisor - (int64_t(1) << shift);
    if (most * factor > std::numeric_limits<int32_t>::max())
      continue;
    if (excess * most >= int64_t(1) << shift)
      break;
    return arith::ShRUIOp::create(f.b, f.b.createOrFold<arith::MulIOp>(number, constant(factor)), constant(shift));
  }
  return arith::DivUIOp::create(f.b, number, constant(divisor));
}

/// k of one image: what the digits but the first count.
static int64_t periodOf(const IndexMap &map) {
  int64_t period = 1;
  for (const IndexMap::Digit &digit : ArrayRef(map.depth).drop_front())
    period = period > kMostEntries ? period : period * digit.size;
  return period;
}

bool PixelTable::fits(const IndexMap &map, int64_t blockK) {
  if (map.depth.size() < 2 || !map.isCertain(map.depth.front().dimension))
    return false;
  const int64_t period = periodOf(map);
  return period > 0 && period + blockK <= kMostEntries;
}

PixelTable::PixelTable(GPUFunction &f, const IndexMap &map, ArrayRef<int64_t> strides, const Steps &steps,
                       BitsOf bitsOf)
    : f(f), steps(steps), period(periodOf(map)),
      distance(map.depth.front().factor * strides[map.depth.front().dimension]), bits(bitsOf) {
  SmallVector<int64_t> offsets, bitsOfEntries;
  for (int64_t number = 0; number < period + steps.blockK; ++number) {
    SmallVector<int64_t, 4> moved(map.dimensions.size(), 0);
    int64_t rest = number, offset = 0;
    for (const IndexMap::Digit &digit : llvm::reverse(map.depth)) {
      const bool isFirst = &digit == map.depth.begin();
      const int64_t by = (isFirst ? rest : rest % digit.size) * digit.factor;
      moved[digit.dimension] += by;
      offset += by * strides[digit.dimension];
      rest /= digit.size;
    }
    offsets.push_back(offset);
    bitsOfEntries.push_back(bits ? bitsOf(moved) : 0);
  }
  const int64_t step = offsets[1];
  auto isEven = [&](auto each) { return each.value() == static_cast<int64_t>(each.index()) * step; };
  if (distance == period * step && llvm::all_of(llvm::enumerate(offsets), isEven))
    even = step;
  // Filters, seen from the gradient of an image, lie one tap before the other.
  inBytes = !bits && !even && steps.elementBytes > 0 && *llvm::min_element(offsets) >= 0 &&
            *llvm::max_element(offsets) <= std::numeric_limits<int32_t>::max() / steps.elementBytes;
  if (inBytes)
    for (int64_t &offset : offsets)
      offset *= steps.elementBytes;
  if (!bits && even)
    return;
  // What a thread reads of a step lies side by side, so that it is one access, or few. Of fewer, and of offsets alone,
  // that saves too little for the order in which ptxas has them then.
  const bool areFew = static_cast<int64_t>(offsets.size()) * steps.count * entryBytes() <= kMostBytes;
  areWhole = period % steps.blockK == 0 && steps.apart * steps.count == steps.blockK;
  if (bits && steps.count >= kLeastTogether && llvm::isPowerOf2_64(static_cast<uint64_t>(steps.count)) &&
      (areWhole || areFew))
    together = steps.count;
  areWhole &= together > 1;
  SmallVector<uint32_t> numbers;
  auto append = [&](int64_t number) {
    if (!even)
      numbers.push_back(static_cast<uint32_t>(offsets[number]));
    if (bits)
      numbers.push_back(static_cast<uint32_t>(bitsOfEntries[number]));
  };
  const int64_t last = areWhole ? period : static_cast<int64_t>(offsets.size()) - (together - 1) * steps.apart;
  for (int64_t first = 0; first < last; ++first)
    for (int64_t index = 0; index < together; ++index)
      if (!areWhole || first % steps.blockK < steps.apart)
        append(first + index * steps.apart);
  SmallVector<int64_t> words;
  for (size_t index = 0; index < numbers.size(); index += 2)
    words.push_back(
        static_cast<int64_t>(numbers[index] | (index + 1 < numbers.size() ? uint64_t(numbers[index + 1]) << 32 : 0)));
  table = f.allocateConstants(words);
}

void PixelTable::locate(Value first) {
  if (table)
    own = f.offset(table, f.b.getI32Type(),
                   f.mul(arith::ExtUIOp::create(f.b, f.b.getI64Type(), first), ofEntry() * together));
}

void PixelTable::expect(Value k) {
  if (!table)
    return;
  LaneBuilder &b = f.b;
  // Steps begin at multiples of their length: divided is the smaller number, so that 32 bits have room.
  const int64_t unit = std::gcd(period, steps.blockK);
  Value image = quotient(f, b.createOrFold<arith::DivUIOp>(k, i32(unit)), period / unit, steps.mostK / unit);
  Value inImage = arith::SubIOp::create(b, k, b.createOrFold<arith::MulIOp>(image, i32(period)));
  ofStep = even ? Value() : b.createOrFold<arith::MulIOp>(image, i32(distance));
  from = f.offset(own, b.getI32Type(),
                  f.mul(arith::ExtUIOp::create(b, b.getI64Type(), inImage), ofEntry() * (areWhole ? 1 : together)));
}

SmallVector<Value> PixelTable::read() {
  SmallVector<Value> values;
  if (!table)
    return values;
  LaneBuilder &b = f.b;
  if (ofStep)
    values.push_back(ofStep);
  const int64_t width = std::min(together, Chip::kAccessBytes / entryBytes());
  const int64_t lanes = ofEntry() * width;
  for (int64_t index = 0; index < steps.count; index += width) {
    Value address = f.offset(from, b.getI32Type(), f.i64(ofEntry() * (together > 1 ? index : index * steps.apart)));
    auto loaded = LLVM::LoadOp::create(b, withLanes(b.getI32Type(), lanes), address, width * entryBytes());
    loaded.setInvariant(true);
    for (int64_t lane = 0; lane < lanes; ++lane)
      values.push_back(lanes == 1 ? loaded.getResult() : Value(vector::ExtractOp::create(b, loaded, lane)));
  }
  return values;
}

PixelTable::Entry PixelTable::find(ValueRange values, int64_t index) {
  Entry entry;
  if (!table)
    return entry;
  if (even) {
    entry.bits = values[index];
    return entry;
  }
  entry.ofStep = values.front();
  (inBytes ? entry.bytes : entry.offset) = values[1 + ofEntry() * index];
  if (bits)
    entry.bits = values[2 + ofEntry() * index];
  return entry;
}
