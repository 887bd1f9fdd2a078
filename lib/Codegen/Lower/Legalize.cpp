// What a target has no instruction for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Lower/Legalize.h"

#include "Codegen/Forms/Lanes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

#include "mp/Hardware/CPULevels.h"

using namespace mlir;
using namespace mp;

namespace {

/// Integer arithmetic on the bits of float lanes.
struct Bits {
  LaneBuilder &b;
  Type type; // integer lanes

  Value constant(int64_t value) { return intConstant(b, type, value); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, x, y); }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
  Value either(Value x, Value y) { return arith::OrIOp::create(b, x, y); }
  Value differing(Value x, Value y) { return arith::XOrIOp::create(b, x, y); }
  Value left(Value x, int64_t by) { return arith::ShLIOp::create(b, x, constant(by)); }
  Value right(Value x, int64_t by) { return arith::ShRUIOp::create(b, x, constant(by)); }
  Value select(Value condition, Value x, Value y) { return arith::SelectOp::create(b, condition, x, y); }
  Value is(arith::CmpIPredicate predicate, Value x, Value y) { return arith::CmpIOp::create(b, predicate, x, y); }
  Value of(Value x) { return arith::BitcastOp::create(b, type, x); }
};

Type likeLanes(Type lanes, Type element) { return withLanes(element, laneCount(lanes)); }

/// f32 to bf16: half of the last place is added to the bits, less one where that leaves a tie to an even number below.
Value roundToBF16(LaneBuilder &b, Value x) {
  Bits i{b, integerTwin(x.getType())};
  Value bits = i.of(x);
  Value last = i.both(i.right(bits, 16), i.constant(1));
  Value rounded = i.right(i.add(bits, i.add(last, i.constant(0x7fff))), 16);
  Value quiet = i.either(i.right(bits, 16), i.constant(0x40));
  Value isNaN = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
  Type i16 = likeLanes(i.type, b.getI16Type());
  Value narrow = arith::TruncIOp::create(b, i16, i.select(isNaN, quiet, rounded));
  return arith::BitcastOp::create(b, likeLanes(i.type, b.getBF16Type()), narrow);
}

Value widenBF16(LaneBuilder &b, Value x) {
  Bits i{b, likeLanes(x.getType(), b.getI32Type())};
  Value bits = arith::BitcastOp::create(b, integerTwin(x.getType()), x);
  Value wide = i.left(arith::ExtUIOp::create(b, i.type, bits), 16);
  return arith::BitcastOp::create(b, likeLanes(i.type, b.getF32Type()), wide);
}

/// f32 to f16 without the instruction. A result that is subnormal takes its rounding from an addition whose last place
/// is f16's smallest number; a normal one as in roundToBF16, and a carry out of the largest gives infinity.
Value roundToF16(LaneBuilder &b, Value x) {
  Bits i{b, integerTwin(x.getType())};
  Value bits = i.of(x);
  Value magnitude = i.both(bits, i.constant(0x7fffffff));
  Value sign = i.right(i.differing(bits, magnitude), 16);

  constexpr int64_t kMagic = (127 - 15 + 23 - 10 + 1) << 23;
  Value sum = arith::AddFOp::create(b, arith::BitcastOp::create(b, x.getType(), magnitude),
                                    bitsConstant(b, x.getType(), kMagic));
  Value subnormal = i.sub(i.of(sum), i.constant(kMagic));

  Value last = i.both(i.right(magnitude, 13), i.constant(1));
  Value rebased = i.add(magnitude, i.constant(((15 - 127) << 23) + 0xfff));
  Value normal = i.right(i.add(rebased, last), 13);

  Value isNaN = i.is(arith::CmpIPredicate::ugt, magnitude, i.constant(0x7f800000));
  Value payload = i.either(i.both(i.right(magnitude, 13), i.constant(0x3ff)), i.constant(0x7e00));
  Value special = i.select(isNaN, payload, i.constant(0x7c00));

  Value isSmall = i.is(arith::CmpIPredicate::ult, magnitude, i.constant(113 << 23));
  Value isLarge = i.is(arith::CmpIPredicate::uge, magnitude, i.constant((127 + 16) << 23));
  Value result = i.select(isLarge, special, i.select(isSmall, subnormal, normal));
  Type i16 = likeLanes(i.type, b.getI16Type());
  Value narrow = arith::TruncIOp::create(b, i16, i.either(result, sign));
  return arith::BitcastOp::create(b, likeLanes(i.type, b.getF16Type()), narrow);
}

/// f16 to f32 without the instruction: exponent and fraction in f32's place are the value divided by 2^112.
Value widenF16(LaneBuilder &b, Value x) {
  Bits i{b, likeLanes(x.getType(), b.getI32Type())};
  Type f32 = likeLanes(i.type, b.getF32Type());
  Value bits = arith::ExtUIOp::create(b, i.type, arith::BitcastOp::create(b, integerTwin(x.getType()), x));
  Value magnitude = i.left(i.both(bits, i.constant(0x7fff)), 13);
  Value sign = i.left(i.both(bits, i.constant(0x8000)), 16);
  Value scaled = arith::MulFOp::create(b, arith::BitcastOp::create(b, f32, magnitude), floatConstant(b, f32, 0x1p112));
  Value isSpecial = i.is(arith::CmpIPredicate::uge, magnitude, i.constant(0x7c00 << 13));
  Value special = i.either(magnitude, i.constant(0x7f800000));
  Value result = i.either(i.select(isSpecial, special, i.of(scaled)), sign);
  return arith::BitcastOp::create(b, f32, result);
}

/// Of the two neighbours of a value, moves `nearest` (one of them) to the one whose last bit is 1, where `error`, the
/// value minus `nearest`, is not 0. Rounding that again to fewer bits rounds the value once.
Value makeOdd(LaneBuilder &b, Value nearest, Value isInexact, Value errorIsNegative) {
  Bits i{b, integerTwin(nearest.getType())};
  Value bits = i.of(nearest);
  Value isNegative = i.is(arith::CmpIPredicate::slt, bits, i.constant(0));
  Value isEven = i.is(arith::CmpIPredicate::eq, i.both(bits, i.constant(1)), i.constant(0));
  Value moves = arith::AndIOp::create(b, isEven, isInexact);
  Value shrinks = arith::XOrIOp::create(b, isNegative, errorIsNegative);
  Value step = i.select(shrinks, i.constant(-1), i.constant(1));
  Value moved = i.select(moves, i.add(bits, step), bits);
  return arith::BitcastOp::create(b, nearest.getType(), moved);
}

/// f64 to f32, to the neighbour whose last bit is 1 where neither is exact.
Value roundToOddF32(LaneBuilder &b, Value x) {
  Value nearest = arith::TruncFOp::create(b, likeLanes(x.getType(), b.getF32Type()), x);
  Value back = arith::ExtFOp::create(b, x.getType(), nearest);
  Value isInexact = arith::CmpFOp::create(b, arith::CmpFPredicate::ONE, back, x);
  Value isBelow = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x, back);
  return makeOdd(b, nearest, isInexact, isBelow);
}

/// fma of f32 in f64: the product is exact there, and the sum is rounded to odd before the rounding to f32.
Value fusedMultiplyAdd(LaneBuilder &b, Value x, Value y, Value z) {
  Type f64 = likeLanes(x.getType(), b.getF64Type());
  auto wide = [&](Value value) -> Value { return arith::ExtFOp::create(b, f64, value); };
  auto sub = [&](Value lhs, Value rhs) -> Value { return arith::SubFOp::create(b, lhs, rhs); };
  Value product = arith::MulFOp::create(b, wide(x), wide(y)), addend = wide(z);
  Value sum = arith::AddFOp::create(b, product, addend);
  // Knuth's TwoSum: the exact error of the sum.
  Value part = sub(sum, product);
  Value error = arith::AddFOp::create(b, sub(product, sub(sum, part)), sub(addend, part));
  Value zero = floatConstant(b, f64, 0);
  Value isInexact = arith::CmpFOp::create(b, arith::CmpFPredicate::ONE, error, zero);
  Value isNegative = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, error, zero);
  return arith::TruncFOp::create(b, x.getType(), makeOdd(b, sum, isInexact, isNegative));
}

struct NarrowFloat : OpRewritePattern<arith::TruncFOp> {
  NarrowFloat(MLIRContext *context, const NativeArithmetic &native) : OpRewritePattern(context), native(native) {}

  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    Type from = laneType(op.getIn().getType()), to = laneType(op.getType());
    const bool isNative = to.isF16() ? native.halfConversions : native.bfloatConversion;
    if (to.isF32() || (from.isF32() && isNative))
      return rewriter.notifyMatchFailure(op, "has an instruction");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value wide = from.isF64() ? roundToOddF32(b, op.getIn()) : op.getIn();
    if (isNative)
      rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), wide);
    else
      rewriter.replaceOp(op, to.isF16() ? roundToF16(b, wide) : roundToBF16(b, wide));
    return success();
  }

  const NativeArithmetic &native;
};

struct WidenFloat : OpRewritePattern<arith::ExtFOp> {
  WidenFloat(MLIRContext *context, const NativeArithmetic &native) : OpRewritePattern(context), native(native) {}

  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    Type from = laneType(op.getIn().getType());
    if (from.isF32() || (from.isF16() && native.halfConversions))
      return rewriter.notifyMatchFailure(op, "has an instruction");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value wide = from.isF16() ? widenF16(b, op.getIn()) : widenBF16(b, op.getIn());
    if (laneType(op.getType()).isF64())
      wide = arith::ExtFOp::create(b, op.getType(), wide);
    rewriter.replaceOp(op, wide);
    return success();
  }

  const NativeArithmetic &native;
};

StringRef firstLevelWithFma() {
  return llvm::find_if(allCPULevels(), [](const CPULevel &level) { return level.fma; })->name;
}

struct ExpandFma : OpRewritePattern<math::FmaOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(math::FmaOp op, PatternRewriter &rewriter) const override {
    if (!laneType(op.getType()).isF32())
      return op.emitError(
                 "multiplies and adds f64 with one rounding, for which the target has no instruction; compile for "
                 "cpu:")
             << firstLevelWithFma() << " or a later level";
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, fusedMultiplyAdd(b, op.getA(), op.getB(), op.getC()));
    return success();
  }
};

} // namespace

LogicalResult mp::legalizeArithmetic(ModuleOp module, const NativeArithmetic &native) {
  RewritePatternSet patterns(module.getContext());
  patterns.add<NarrowFloat, WidenFloat>(module.getContext(), native);
  if (!native.fma)
    patterns.add<ExpandFma>(module.getContext());
  walkAndApplyPatterns(module, std::move(patterns));

  WalkResult left =
      module.walk([&](math::FmaOp op) { return native.fma ? WalkResult::advance() : WalkResult::interrupt(); });
  return failure(left.wasInterrupted());
}
