// Random numbers and masks of random bits, in lanes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Forms/Forms.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>

using namespace mlir;
using namespace mp;

static Value lowHalf(LaneBuilder &b, Value x) {
  return arith::AndIOp::create(b, x, intConstant(b, x.getType(), 0xFFFFFFFF));
}
static Value shiftRight(LaneBuilder &b, Value x, int64_t bits) {
  return arith::ShRUIOp::create(b, x, intConstant(b, x.getType(), bits));
}

/// The four words that philox4x32 makes of counter (block, stream, step), in the low halves of i64 lanes; what is in
/// the high halves is no matter. `parts` are both words of the key and both of the step, i64. See Numerics/Philox.h.
static std::array<Value, 4> buildPhilox(LaneBuilder &b, Value block, uint32_t stream, ArrayRef<Value> parts) {
  Type type = block.getType();
  const int64_t width = laneCount(type);
  std::array<Value, 4> words = {block, intConstant(b, type, stream), splat(b, parts[2], width),
                                splat(b, parts[3], width)};
  Value key[] = {parts[0], parts[1]};
  // A product of two words has 64 bits, so that its halves are a shift apart.
  auto multiply = [&](Value word, int64_t factor) -> Value {
    return arith::MulIOp::create(b, lowHalf(b, word), intConstant(b, type, factor));
  };
  auto mix = [&](Value product, Value word, Value roundKey) -> Value {
    Value mixed = arith::XOrIOp::create(b, shiftRight(b, product, 32), word);
    return arith::XOrIOp::create(b, mixed, splat(b, roundKey, width));
  };
  for (int round = 0; round < 10; ++round) {
    Value first = multiply(words[0], 0xD2511F53), second = multiply(words[2], 0xCD9E8D57);
    words = {mix(second, words[1], key[0]), second, mix(first, words[3], key[1]), first};
    key[0] = lowHalf(b, arith::AddIOp::create(b, key[0], intConstant(b, b.getI64Type(), 0x9E3779B9)));
    key[1] = lowHalf(b, arith::AddIOp::create(b, key[1], intConstant(b, b.getI64Type(), 0xBB67AE85)));
  }
  return words;
}

/// i1 lanes: bit `position` of the words from `words` on, `width` neighbours of it at once.
static Value loadBits(LaneBuilder &b, Value words, Value position, int64_t width) {
  Value byte = LLVM::GEPOp::create(b, words.getType(), b.getI8Type(), words, ValueRange{shiftRight(b, position, 3)});
  // So many bits from anywhere in the first byte on, at no alignment; the word behind the mask lets them be read.
  const int64_t bits = std::max<int64_t>(llvm::PowerOf2Ceil(width == 1 ? 8 : width + 7), 8);
  Value loaded = LLVM::LoadOp::create(b, b.getIntegerType(bits), byte, /*alignment=*/1);
  Type lane = b.getIntegerType(std::max<int64_t>(bits, 32));
  if (bits < 32)
    loaded = arith::ExtUIOp::create(b, lane, loaded);
  Value shift = arith::AndIOp::create(b, position, intConstant(b, b.getI64Type(), 7));
  if (bits <= 32)
    shift = arith::TruncIOp::create(b, lane, shift);
  Value all = splat(b, arith::ShRUIOp::create(b, loaded, shift), width);
  Value own = arith::ShLIOp::create(b, intConstant(b, all.getType(), 1), laneNumbers(b, all.getType()));
  Value none = intConstant(b, all.getType(), 0);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, arith::AndIOp::create(b, all, own), none);
}

namespace {

struct DropoutForms : ScalarForms {
  FormResult form(DropoutMaskOp op);
  FormResult form(MaskedDropoutOp op);
  FormResult form(RandomUniformOp op);

private:
  Value isKept(Value words);
};

/// Words of Philox that all elements share: both of the key, both of the step; each in an i64.
template <typename Op> struct RandomParts : ScalarPartsInterface::ExternalModel<RandomParts<Op>, Op> {
  SmallVector<OpOperand *, 2> getPartOperands(Operation *op) const { return {&cast<Op>(op).getRngMutable()}; }

  FailureOr<ScalarParts> buildParts(Operation *op, LaneBuilder &b,
                                    function_ref<FailureOr<Value>(Value, int64_t)> load) const {
    Value rng = cast<Op>(op).getRng();
    FailureOr<Value> seed = load(rng, 0), step = load(rng, 1);
    if (failed(seed) || failed(step))
      return failure();
    return ScalarParts{lowHalf(b, *seed), shiftRight(b, *seed, 32), lowHalf(b, *step), shiftRight(b, *step, 32)};
  }
};

} // namespace

/// Which of the words of one block are at least `bound`, up to 2^32, in the low bits of what is as wide as they are.
static Value buildBits(LaneBuilder &b, ArrayRef<Value> words, int64_t bound) {
  Type type = words.front().getType();
  Value bits;
  for (auto [number, word] : llvm::enumerate(words)) {
    // 2^32 itself is no word.
    Value kept = bound == 0
                     ? arith::CmpIOp::create(b, arith::CmpIPredicate::uge, word, intConstant(b, type, 0))
                     : arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, word, intConstant(b, type, bound - 1));
    Value bit = arith::SelectOp::create(b, kept, intConstant(b, type, int64_t(1) << number), intConstant(b, type, 0));
    bits = bits ? Value(arith::OrIOp::create(b, bits, bit)) : bit;
  }
  return bits;
}

/// Each lane is a word, of the bits of 16 blocks of Philox.
FormResult DropoutForms::form(DropoutMaskOp op) {
  constexpr int64_t kBlocks = 16;
  Value word = in.position();
  Type type = word.getType();
  const int64_t width = laneCount(type);
  // A lane by itself compares and collects in 32 bits, and has two blocks under way, none of which waits for the other.
  const int64_t together = width == 1 ? 2 : 1;
  // uniformFloat(bits) >= rate, on the integers that it is 2^-24 of: the upper 24 bits of a word.
  const auto bound = static_cast<int64_t>(std::ceil(op.getRate().convertToDouble() * 0x1p24)) << 8;
  auto index = [&](int64_t value) { return intConstant(b, b.getI64Type(), value); };
  Value first = arith::MulIOp::create(b, word, intConstant(b, type, kBlocks));
  auto loop = scf::ForOp::create(
      b, index(0), index(kBlocks), index(together), ValueRange{intConstant(b, type, 0)},
      [&](OpBuilder &builder, Location loc, Value turn, ValueRange soFar) {
        LaneBuilder inner(loc, builder);
        Value bits = soFar[0];
        for (int64_t next = 0; next < together; ++next) {
          Value block = inner.createOrFold<arith::AddIOp>(turn, intConstant(inner, turn.getType(), next));
          Value counter = arith::AddIOp::create(inner, first, splat(inner, block, width));
          SmallVector<Value> words = llvm::map_to_vector(
              buildPhilox(inner, counter, static_cast<uint32_t>(op.getStream()), in.parts), [&](Value random) -> Value {
                if (width == 1)
                  return arith::TruncIOp::create(inner, inner.getI32Type(), random);
                return lowHalf(inner, random);
              });
          Value own = buildBits(inner, words, bound);
          if (width == 1)
            own = arith::ExtUIOp::create(inner, type, own);
          Value shift = arith::MulIOp::create(inner, block, intConstant(inner, block.getType(), 4));
          own = arith::ShLIOp::create(inner, own, splat(inner, shift, width));
          bits = arith::OrIOp::create(inner, bits, own);
        }
        scf::YieldOp::create(inner, bits);
      });
  return exact(loop.getResult(0));
}

/// The bits of a mask at the elements of these lanes.
Value DropoutForms::isKept(Value words) {
  Value position = in.position();
  if (in.width == 1)
    return loadBits(b, words, position, 1);
  auto lane = [&](int64_t number) { return vector::ExtractOp::create(b, position, number); };
  // As many at once as one load has, or one after the other where they are apart.
  constexpr int64_t kMost = 16;
  const int64_t step = in.areNeighbours ? std::min(in.width, kMost) : 1;
  SmallVector<Value> parts;
  for (int64_t first = 0; first < in.width; first += step)
    parts.push_back(loadBits(b, words, lane(first), step));
  if (parts.size() == 1)
    return parts.front();
  if (step == 1)
    return vector::FromElementsOp::create(b, VectorType::get({in.width}, b.getI1Type()), parts);
  // Two neighbours become one, until one is left.
  while (parts.size() > 1) {
    SmallVector<Value> halves;
    for (size_t i = 0; i < parts.size(); i += 2) {
      auto lanes = llvm::to_vector(llvm::seq<int64_t>(0, 2 * laneCount(parts[i].getType())));
      halves.push_back(vector::ShuffleOp::create(b, parts[i], parts[i + 1], lanes));
    }
    parts = std::move(halves);
  }
  return parts.front();
}

FormResult DropoutForms::form(MaskedDropoutOp op) {
  Value x = operand(0);
  const double rate = op.getRate().convertToDouble();
  Value scale = floatConstant(b, x.getType(), static_cast<float>(1.0 / (1.0 - rate)));
  Value kept = roundTo(b, arith::MulFOp::create(b, x, scale), resultElement(op));
  return exact(arith::SelectOp::create(b, isKept(operand(1)), kept, floatConstant(b, x.getType(), 0)));
}

/// Of four neighbours each takes its word of one block.
FormResult DropoutForms::form(RandomUniformOp op) {
  Value position = in.position();
  Type type = position.getType();
  std::array<Value, 4> words =
      buildPhilox(b, shiftRight(b, position, 2), static_cast<uint32_t>(op.getStream()), in.parts);
  Value number = arith::AndIOp::create(b, position, intConstant(b, type, 3)), word = words[3];
  for (int64_t i = 0; i < 3; ++i) {
    Value isOwn = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number, intConstant(b, type, i));
    word = arith::SelectOp::create(b, isOwn, words[i], word);
  }
  Value bits = castValue(b, shiftRight(b, lowHalf(b, word), 8), b.getI64Type(), b.getI32Type());
  Value whole = castValue(b, bits, b.getI32Type(), b.getF32Type());
  return exact(arith::MulFOp::create(b, whole, floatConstant(b, whole.getType(), 0x1p-24)));
}

void mp::attachDropoutForms(MLIRContext *context) {
  attachForms<DropoutForms>(context);
  DropoutMaskOp::attachInterface<RandomParts<DropoutMaskOp>>(*context);
  RandomUniformOp::attachInterface<RandomParts<RandomUniformOp>>(*context);
}
