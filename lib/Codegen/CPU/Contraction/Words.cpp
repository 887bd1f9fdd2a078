// The words that operands of a product are packed in.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/CPU/Contraction/Words.h"

#include "Codegen/Forms/Arithmetic.h"

#include <limits>

using namespace mlir;
using namespace mp;

int64_t mp::elementsOfWord(Type word, Type element) {
  return isa<FloatType>(word) ? 1 : word.getIntOrFloatBitWidth() / element.getIntOrFloatBitWidth();
}

Words mp::splitIntoParts(LaneBuilder &b, Value lanes, Type element, int64_t parts) {
  constexpr double kLargestBF16 = 0x1.fep127;
  const Arithmetic f(b, lanes);
  auto nearest = [&](Value value) -> Value {
    Value narrow = arith::TruncFOp::create(b, withLanes(b.getBF16Type(), laneCount(lanes.getType())), value);
    return arith::ExtFOp::create(b, lanes.getType(), narrow);
  };
  Value isFinite = f.isLess(f.magnitude(lanes), std::numeric_limits<double>::infinity());
  // The largest f32 are nearer to infinity than to a bf16; f16 are not.
  Value inRange = lanes;
  if (element.isF32())
    inRange = f.select(isFinite, f.withSign(f.atMost(f.magnitude(lanes), kLargestBF16), lanes), lanes);
  Words words = {nearest(inRange)};
  Value rest = f.select(isFinite, f.sub(lanes, words.front()), f.constant(0));
  for (int64_t part = 1; part < parts; ++part) {
    words.push_back(nearest(rest));
    rest = f.sub(rest, words.back());
  }
  return words;
}

/// Two bf16 or f16, from the f32 that hold them in registers, in each word.
static Value joinPair(LaneBuilder &b, Type element, Value low, Value high) {
  Type type = integerTwin(low.getType());
  if (element.isF16()) {
    auto halfOf = [&](Value lanes) -> Value {
      Value half = arith::TruncFOp::create(b, withLanes(element, laneCount(lanes.getType())), lanes);
      return arith::ExtUIOp::create(b, type, arith::BitcastOp::create(b, integerTwin(half.getType()), half));
    };
    return arith::OrIOp::create(b, halfOf(low), arith::ShLIOp::create(b, halfOf(high), intConstant(b, type, 16)));
  }
  // Those of bf16 are the upper halves.
  Value lowBits = arith::BitcastOp::create(b, type, low), highBits = arith::BitcastOp::create(b, type, high);
  Value lower = arith::ShRUIOp::create(b, lowBits, intConstant(b, type, 16));
  return arith::OrIOp::create(b, lower, arith::AndIOp::create(b, highBits, intConstant(b, type, -65536)));
}

Words mp::joinPairs(LaneBuilder &b, Type element, int64_t parts, Value low, Value high) {
  if (parts == 1)
    return {joinPair(b, element, low, high)};
  Words words;
  for (auto [lower, upper] :
       llvm::zip_equal(splitIntoParts(b, low, element, parts), splitIntoParts(b, high, element, parts)))
    words.push_back(joinPair(b, b.getBF16Type(), lower, upper));
  return words;
}

/// The 16 bits of a bf16 or f16 that f32 lanes hold.
static Value halfOf(LaneBuilder &b, Type element, Value lanes) {
  Type half = withLanes(b.getI16Type(), laneCount(lanes.getType()));
  if (element.isF16()) {
    Value narrow = arith::TruncFOp::create(b, withLanes(element, laneCount(lanes.getType())), lanes);
    return arith::BitcastOp::create(b, half, narrow);
  }
  Type type = integerTwin(lanes.getType());
  Value bits = arith::BitcastOp::create(b, type, lanes);
  return arith::TruncIOp::create(b, half, arith::ShRUIOp::create(b, bits, intConstant(b, type, 16)));
}

Words mp::halvesOf(LaneBuilder &b, Type element, int64_t parts, Value lanes) {
  if (parts == 1)
    return {halfOf(b, element, lanes)};
  Words halves;
  for (Value part : splitIntoParts(b, lanes, element, parts))
    halves.push_back(halfOf(b, b.getBF16Type(), part));
  return halves;
}
