// Values of element types in registers and in memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Forms/Scalars.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mp;

Type mp::registerType(Type element) {
  MLIRContext *context = element.getContext();
  if (element.isF16() || element.isBF16())
    return Float32Type::get(context);
  return element.isUnsignedInteger(8) ? IntegerType::get(context, 8) : element;
}

Type mp::memoryType(Type element) {
  if (element.isBF16())
    return IntegerType::get(element.getContext(), 16);
  const bool isByte = element.isInteger(1) || element.isUnsignedInteger(8);
  return isByte ? IntegerType::get(element.getContext(), 8) : element;
}

unsigned mp::memoryBytes(Type element) { return memoryType(element).getIntOrFloatBitWidth() / 8; }

/// `element` with the lanes of `value`.
static Type like(Value value, Type element) { return withLanes(element, laneCount(value.getType())); }

/// f16 and bf16 as they are in registers.
static Value widen(LaneBuilder &b, Value value) { return arith::ExtFOp::create(b, like(value, b.getF32Type()), value); }

Value mp::roundTo(LaneBuilder &b, Value value, Type element) {
  if (laneType(value.getType()) != element) {
    assert(laneType(value.getType()).getIntOrFloatBitWidth() > element.getIntOrFloatBitWidth());
    value = arith::TruncFOp::create(b, like(value, element), value);
  }
  return laneType(value.getType()) == registerType(element) ? value : widen(b, value);
}

Value mp::toRegister(LaneBuilder &b, Value value, Type element) {
  if (element.isInteger(1)) {
    Value zero = intConstant(b, value.getType(), 0);
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, value, zero);
  }
  if (element.isBF16())
    value = b.createOrFold<arith::BitcastOp>(like(value, element), value);
  return registerType(element).isF32() && !element.isF32() ? widen(b, value) : value;
}

/// The bits of a value of `element` that is in registers as f32, as it was before it was widened; null where that is
/// not at hand. A choice between two such values is one between what they were: relu's need not be rounded again. Bits
/// are chosen, since not every target has instructions for single numbers of 16 bits.
static Value bitsBeforeWidening(LaneBuilder &b, Value value, Type element, int choices = 4) {
  Type bits = like(value, b.getI16Type());
  if (auto widened = value.getDefiningOp<arith::ExtFOp>()) {
    const bool isElement = laneType(widened.getIn().getType()) == element;
    return isElement ? b.createOrFold<arith::BitcastOp>(bits, widened.getIn()) : Value();
  }
  if (matchPattern(value, m_PosZeroFloat()))
    return intConstant(b, bits, 0);
  auto choice = value.getDefiningOp<arith::SelectOp>();
  if (!choice || choices == 0)
    return {};
  Value onTrue = bitsBeforeWidening(b, choice.getTrueValue(), element, choices - 1);
  Value onFalse = onTrue ? bitsBeforeWidening(b, choice.getFalseValue(), element, choices - 1) : Value();
  return onFalse ? arith::SelectOp::create(b, choice.getCondition(), onTrue, onFalse).getResult() : Value();
}

Value mp::toMemory(LaneBuilder &b, Value value, Type element) {
  if (element.isInteger(1))
    return arith::ExtUIOp::create(b, like(value, b.getI8Type()), value);
  if (registerType(element).isF32() && !element.isF32()) {
    Value narrow = bitsBeforeWidening(b, value, element);
    if (!narrow)
      narrow = arith::TruncFOp::create(b, like(value, element), value);
    return b.createOrFold<arith::BitcastOp>(like(value, memoryType(element)), narrow);
  }
  return value;
}

Value mp::registerConstant(LaneBuilder &b, DenseElementsAttr splatValue, int64_t width) {
  Type element = splatValue.getElementType();
  Type type = withLanes(registerType(element), width);
  if (isa<FloatType>(element))
    return floatConstant(b, type, [&] {
      APFloat value = splatValue.getSplatValue<APFloat>();
      bool losesInfo;
      value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
      return value.convertToDouble();
    }());
  return intConstant(b, type, splatValue.getSplatValue<APInt>().getSExtValue());
}

// mp.cast

/// `name` is LLVM's intrinsic that truncates and saturates; NaN gives 0.
static Value saturate(LaneBuilder &b, StringRef name, Value value, Type to) {
  Type type = like(value, registerType(to));
  return LLVM::CallIntrinsicOp::create(b, type, b.getStringAttr(name), ValueRange{value}).getResult(0);
}

/// An i64 to bf16 in one rounding: a f64 holds it once the bits that it has no room for are folded into the last one.
static Value wideIntegerToF64(LaneBuilder &b, Value value) {
  Type type = value.getType();
  auto constant = [&](int64_t bits) { return intConstant(b, type, bits); };
  constexpr int64_t kLow = (1 << 11) - 1;
  Value low = arith::AndIOp::create(b, value, constant(kLow));
  Value isInexact = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, low, constant(0));
  Value sticky = arith::SelectOp::create(b, isInexact, constant(kLow + 1), constant(0));
  Value folded = arith::OrIOp::create(b, arith::AndIOp::create(b, value, constant(~kLow)), sticky);
  // Small numbers are exact as they are, and folding would change them.
  Value magnitude = arith::AddIOp::create(b, value, constant(int64_t(1) << 53));
  Value isSmall = arith::CmpIOp::create(b, arith::CmpIPredicate::ule, magnitude, constant(int64_t(1) << 54));
  Value exact = arith::SelectOp::create(b, isSmall, value, folded);
  return arith::SIToFPOp::create(b, like(value, b.getF64Type()), exact);
}

static Value integerToFloat(LaneBuilder &b, Value value, Type from, Type to) {
  if (from.isInteger(1) || from.isUnsignedInteger()) {
    Type wide = like(value, to.isF64() ? to : b.getF32Type());
    return roundTo(b, arith::UIToFPOp::create(b, wide, value), to);
  }
  // bf16 has f32's range, so an integer could be rounded in f32 and again in bf16; one that f16 cannot tell from its
  // neighbour in f32 is infinite there.
  if (to.isBF16() && from.isInteger(64))
    return roundTo(b, wideIntegerToF64(b, value), to);
  const bool throughF64 = to.isF64() || to.isBF16();
  Type wide = like(value, throughF64 ? b.getF64Type() : b.getF32Type());
  return roundTo(b, arith::SIToFPOp::create(b, wide, value), to);
}

static Value integerToInteger(LaneBuilder &b, Value value, Type from, Type to) {
  Type type = like(value, registerType(to));
  const unsigned fromBits = from.getIntOrFloatBitWidth(), toBits = to.getIntOrFloatBitWidth();
  if (fromBits == toBits)
    return value;
  if (toBits < fromBits)
    return arith::TruncIOp::create(b, type, value);
  if (from.isInteger(1) || from.isUnsignedInteger())
    return arith::ExtUIOp::create(b, type, value);
  return arith::ExtSIOp::create(b, type, value);
}

Value mp::castValue(LaneBuilder &b, Value value, Type from, Type to) {
  if (from == to)
    return value;
  if (to.isInteger(1)) {
    if (isa<FloatType>(from)) {
      Value zero = floatConstant(b, value.getType(), 0);
      return arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, value, zero);
    }
    Value zero = intConstant(b, value.getType(), 0);
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, value, zero);
  }
  if (isa<FloatType>(from) && isa<FloatType>(to)) {
    if (to.isF64())
      return arith::ExtFOp::create(b, like(value, to), value);
    // f16 widens to f32 exactly: what is in the register already is the result.
    return to.isF32() && laneType(value.getType()).isF32() ? value : roundTo(b, value, to);
  }
  if (isa<FloatType>(from))
    return saturate(b, to.isUnsignedInteger() ? "llvm.fptoui.sat" : "llvm.fptosi.sat", value, to);
  if (isa<FloatType>(to))
    return integerToFloat(b, value, from, to);
  return integerToInteger(b, value, from, to);
}
