// Random bits of include/mp/Numerics/Philox.h, in lanes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Forms/Forms.h"

#include <cmath>

using namespace mlir;
using namespace mp;

/// The low and the high word of the product of `factor` and the lanes of `x`, i32.
static std::pair<Value, Value> wideProduct(LaneBuilder &b, Value x, uint32_t factor) {
  Type narrow = x.getType(), wide = withLanes(b.getI64Type(), laneCount(narrow));
  Value product = arith::MulIOp::create(b, arith::ExtUIOp::create(b, wide, x), intConstant(b, wide, factor));
  Value high = arith::ShRUIOp::create(b, product, intConstant(b, wide, 32));
  return {arith::TruncIOp::create(b, narrow, product), arith::TruncIOp::create(b, narrow, high)};
}

/// Word `element % 4` of philox4x32 for each lane's element; see randomBits in Philox.h.
static Value buildRandomBits(LaneBuilder &b, Value position, uint32_t stream, const ScalarParts &parts) {
  const int64_t width = laneCount(position.getType());
  Type type = withLanes(b.getI32Type(), width);
  Value four = intConstant(b, position.getType(), 4);
  Value block = arith::TruncIOp::create(b, type, arith::DivUIOp::create(b, position, four));
  Value word = arith::TruncIOp::create(b, type, arith::RemUIOp::create(b, position, four));

  Value counter[] = {block, intConstant(b, type, stream), splat(b, parts[2], width), splat(b, parts[3], width)};
  Value key[] = {parts[0], parts[1]};
  for (int round = 0; round < 10; ++round) {
    auto [low0, high0] = wideProduct(b, counter[0], 0xD2511F53);
    auto [low1, high1] = wideProduct(b, counter[2], 0xCD9E8D57);
    auto mix = [&](Value high, Value word, Value roundKey) -> Value {
      return arith::XOrIOp::create(b, arith::XOrIOp::create(b, high, word), splat(b, roundKey, width));
    };
    Value first = mix(high1, counter[1], key[0]), third = mix(high0, counter[3], key[1]);
    counter[0] = first, counter[1] = low1, counter[2] = third, counter[3] = low0;
    key[0] = arith::AddIOp::create(b, key[0], intConstant(b, b.getI32Type(), 0x9E3779B9));
    key[1] = arith::AddIOp::create(b, key[1], intConstant(b, b.getI32Type(), 0xBB67AE85));
  }

  Value bits = counter[0];
  for (int index = 1; index < 4; ++index) {
    Value isIt = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, word, intConstant(b, type, index));
    bits = arith::SelectOp::create(b, isIt, counter[index], bits);
  }
  return bits;
}

namespace {

struct DropoutForms : ScalarForms {
  FormResult form(DropoutOp op);
};

/// Words of Philox that all elements share: both of the key, both of the step.
struct DropoutParts : ScalarPartsInterface::ExternalModel<DropoutParts, DropoutOp> {
  SmallVector<OpOperand *, 2> getPartOperands(Operation *op) const { return {&cast<DropoutOp>(op).getRngMutable()}; }

  FailureOr<ScalarParts> buildParts(Operation *op, LaneBuilder &b,
                                    function_ref<FailureOr<Value>(Value, int64_t)> load) const {
    Value rng = cast<DropoutOp>(op).getRng();
    FailureOr<Value> seed = load(rng, 0), step = load(rng, 1);
    if (failed(seed) || failed(step))
      return failure();
    auto low = [&](Value x) -> Value { return arith::TruncIOp::create(b, b.getI32Type(), x); };
    auto high = [&](Value x) -> Value { return low(arith::ShRUIOp::create(b, x, intConstant(b, b.getI64Type(), 32))); };
    return ScalarParts{low(*seed), high(*seed), low(*step), high(*step)};
  }
};

} // namespace

FormResult DropoutForms::form(DropoutOp op) {
  Value bits = buildRandomBits(b, in.position(), static_cast<uint32_t>(op.getStream()),
                               ScalarParts(in.parts.begin(), in.parts.end()));
  // uniformFloat(bits) >= rate, on the integers that it is 2^-24 of.
  const double rate = op.getRate().convertToDouble();
  Value upper = arith::ShRUIOp::create(b, bits, intConstant(b, bits.getType(), 8));
  Value bound = intConstant(b, bits.getType(), static_cast<int64_t>(std::ceil(rate * 0x1p24)));
  Value isKept = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, upper, bound);

  Value x = in.values[0];
  Value scale = floatConstant(b, x.getType(), static_cast<float>(1.0 / (1.0 - rate)));
  Type element = cast<RankedTensorType>(op.getType()).getElementType();
  Value kept = roundTo(b, arith::MulFOp::create(b, x, scale), element);
  return SmallVector<Value>{arith::SelectOp::create(b, isKept, kept, floatConstant(b, x.getType(), 0))};
}

void mp::attachDropoutForms(MLIRContext *context) {
  attachForms<DropoutForms>(context);
  DropoutOp::attachInterface<DropoutParts>(*context);
}
