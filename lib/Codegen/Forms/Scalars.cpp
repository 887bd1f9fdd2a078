// Each map op on one value of each operand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Forms/Forms.h"

#include "Codegen/Forms/Math.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mp;

bool mp::readsPerElement(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (auto precise = dyn_cast<PrecisionOpInterface>(op); precise && precise.readsOnlyShape(operand))
    return false;
  if (readsWhole(operand))
    return false;
  auto withParts = dyn_cast<ScalarPartsInterface>(op);
  return !withParts || !llvm::is_contained(withParts.getPartOperands(), &operand);
}

namespace {

/// The ops that look at one element of each operand and at nothing else.
struct ElementwiseForms : ScalarForms {
  Value zero() { return floatConstant(b, operand(0).getType(), 0); }
  Value isTrue(arith::CmpFPredicate predicate, Value x, Value y) { return arith::CmpFOp::create(b, predicate, x, y); }

  template <typename FloatOp, typename IntegerOp> FormResult binary(Operation *op) {
    if (isa<FloatType>(resultElement(op)))
      return rounded(op, FloatOp::create(b, operand(0), operand(1)));
    return exact(IntegerOp::create(b, operand(0), operand(1)));
  }

  FormResult form(AddOp op) { return binary<arith::AddFOp, arith::AddIOp>(op); }
  FormResult form(SubOp op) { return binary<arith::SubFOp, arith::SubIOp>(op); }
  FormResult form(MulOp op) { return binary<arith::MulFOp, arith::MulIOp>(op); }
  FormResult form(DivOp op) { return rounded(op, arith::DivFOp::create(b, operand(0), operand(1))); }
  FormResult form(RemainderOp op) {
    return isa<FloatType>(resultElement(op)) ? ofTwo(op, buildRemainder) : exact(divide(op).second);
  }
  FormResult form(FloorDivideOp op) { return exact(divide(op).first); }
  FormResult form(BitwiseAndOp) { return exact(arith::AndIOp::create(b, operand(0), operand(1))); }
  FormResult form(BitwiseOrOp) { return exact(arith::OrIOp::create(b, operand(0), operand(1))); }
  FormResult form(BitwiseXorOp) { return exact(arith::XOrIOp::create(b, operand(0), operand(1))); }
  FormResult form(ShiftLeftOp) {
    return exact(select(leavesBits(), arith::ShLIOp::create(b, operand(0), operand(1)), integer(0)));
  }
  FormResult form(ShiftRightOp op) {
    if (resultElement(op).isUnsignedInteger())
      return exact(select(leavesBits(), arith::ShRUIOp::create(b, operand(0), operand(1)), integer(0)));
    Value most = integer(bitWidth() - 1);
    return exact(arith::ShRSIOp::create(b, operand(0), select(leavesBits(), operand(1), most)));
  }

  Value integer(int64_t value) { return intConstant(b, operand(0).getType(), value); }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) { return arith::CmpIOp::create(b, predicate, x, y); }
  int64_t bitWidth() { return laneType(operand(0).getType()).getIntOrFloatBitWidth(); }
  /// Whether a shift by the second operand leaves bits of the first; a negative number is a large one.
  Value leavesBits() { return compare(arith::CmpIPredicate::ult, operand(1), integer(bitWidth())); }

  /// The quotient of integers, rounded down, and what it leaves. No processor's division sees 0, nor -1 with a sign.
  std::pair<Value, Value> divide(Operation *op) {
    Value x = operand(0), y = operand(1), zero = integer(0), one = integer(1);
    Value isZero = compare(arith::CmpIPredicate::eq, y, zero);
    if (resultElement(op).isUnsignedInteger()) {
      Value divisor = select(isZero, one, y);
      return {select(isZero, zero, arith::DivUIOp::create(b, x, divisor)), arith::RemUIOp::create(b, x, divisor)};
    }
    Value isMinusOne = compare(arith::CmpIPredicate::eq, y, integer(-1));
    Value divisor = select(arith::OrIOp::create(b, isZero, isMinusOne), one, y);
    Value quotient = arith::DivSIOp::create(b, x, divisor);
    Value rest = arith::SubIOp::create(b, x, arith::MulIOp::create(b, quotient, divisor));
    Value isLeft = compare(arith::CmpIPredicate::ne, rest, zero);
    Value differs = compare(arith::CmpIPredicate::slt, arith::XOrIOp::create(b, rest, divisor), zero);
    Value isAbove = arith::AndIOp::create(b, isLeft, differs);
    quotient = select(isAbove, arith::SubIOp::create(b, quotient, one), quotient);
    quotient = select(isMinusOne, arith::SubIOp::create(b, zero, x), quotient);
    return {select(isZero, zero, quotient), select(isAbove, arith::AddIOp::create(b, rest, divisor), rest)};
  }

  FormResult form(MaxOp op) {
    Type element = resultElement(op);
    if (isa<FloatType>(element))
      return exact(arith::MaximumFOp::create(b, operand(0), operand(1)));
    if (element.isUnsignedInteger())
      return exact(arith::MaxUIOp::create(b, operand(0), operand(1)));
    return exact(arith::MaxSIOp::create(b, operand(0), operand(1)));
  }

  FormResult form(MinOp op) {
    Type element = resultElement(op);
    if (isa<FloatType>(element))
      return exact(arith::MinimumFOp::create(b, operand(0), operand(1)));
    if (element.isUnsignedInteger())
      return exact(arith::MinUIOp::create(b, operand(0), operand(1)));
    return exact(arith::MinSIOp::create(b, operand(0), operand(1)));
  }

  /// An elementary function of the first operand, which there is in f32 alone.
  FailureOr<Value> functionOf(Operation *op, Value (*build)(LaneBuilder &, Value)) {
    if (failed(requireF32(op)))
      return failure();
    return build(b, operand(0));
  }
  LogicalResult requireF32(Operation *op) {
    if (laneType(operand(0).getType()).isF32())
      return success();
    return op->emitOpError("needs ") << op->getName().stripDialect()
                                     << " of f64, which native code does not have; the reference evaluator has it";
  }
  FormResult elementary(Operation *op, Value (*build)(LaneBuilder &, Value)) {
    FailureOr<Value> value = functionOf(op, build);
    if (failed(value))
      return failure();
    return rounded(op, *value);
  }
  FormResult ofTwo(Operation *op, Value (*build)(LaneBuilder &, Value, Value)) {
    if (failed(requireF32(op)))
      return failure();
    return rounded(op, build(b, operand(0), operand(1)));
  }
  FormResult form(PowOp op) { return ofTwo(op, buildPow); }
  FormResult form(ExpOp op) { return elementary(op, buildExp); }
  FormResult form(LogOp op) { return elementary(op, buildLog); }
  FormResult form(SqrtOp op) { return rounded(op, math::SqrtOp::create(b, operand(0))); }
  FormResult form(TanhOp op) { return elementary(op, buildTanh); }
  static bool isTanhForm(GeluApproximation approximate) { return approximate == GeluApproximation::tanh; }
  FormResult form(GeluOp op) { return elementary(op, isTanhForm(op.getApproximate()) ? buildGeluTanh : buildGelu); }
  FormResult form(ReluOp op) {
    Value isNegative = isTrue(arith::CmpFPredicate::OLT, operand(0), zero());
    return exact(arith::SelectOp::create(b, isNegative, zero(), operand(0)));
  }
  FormResult form(ReluGradOp op) {
    Value isOff = isTrue(arith::CmpFPredicate::OLE, operand(0), zero());
    return exact(arith::SelectOp::create(b, isOff, zero(), operand(1)));
  }

  FormResult form(TanhGradOp op) {
    Value y = operand(0), one = floatConstant(b, y.getType(), 1);
    Value slope = arith::MulFOp::create(b, arith::SubFOp::create(b, one, y), arith::AddFOp::create(b, one, y));
    return rounded(op, arith::MulFOp::create(b, slope, operand(1)));
  }

  FormResult form(GeluGradOp op) {
    auto build = isTanhForm(op.getApproximate()) ? buildGeluTanhSlope : buildGeluSlope;
    FailureOr<Value> slope = functionOf(op, build);
    if (failed(slope))
      return failure();
    return rounded(op, arith::MulFOp::create(b, *slope, operand(1)));
  }

  Value number(const APFloat &value) { return floatConstant(b, operand(0).getType(), value.convertToDouble()); }
  Value select(Value condition, Value yes, Value no) { return arith::SelectOp::create(b, condition, yes, no); }
  Value isNegative() { return isTrue(arith::CmpFPredicate::OLT, operand(0), zero()); }
  /// A product with -1 changes the sign and nothing else.
  Value negated() { return arith::MulFOp::create(b, operand(0), floatConstant(b, operand(0).getType(), -1)); }

  FormResult form(NegOp) { return exact(negated()); }
  FormResult form(AbsOp) { return exact(arith::MaximumFOp::create(b, operand(0), negated())); }
  FormResult form(FloorOp) { return exact(buildFloor(b, operand(0))); }
  FormResult form(RoundOp) { return exact(buildRound(b, operand(0))); }
  FormResult form(ReciprocalOp op) {
    return rounded(op, arith::DivFOp::create(b, floatConstant(b, operand(0).getType(), 1), operand(0)));
  }
  FormResult form(RsqrtOp op) {
    Value root = math::SqrtOp::create(b, operand(0));
    return rounded(op, arith::DivFOp::create(b, floatConstant(b, root.getType(), 1), root));
  }
  FormResult form(ErfOp op) { return elementary(op, buildErf); }
  FormResult form(SinOp op) { return elementary(op, buildSin); }
  FormResult form(CosOp op) { return elementary(op, buildCos); }
  FormResult form(TanOp op) { return elementary(op, buildTan); }
  FormResult form(AsinOp op) { return elementary(op, buildAsin); }
  FormResult form(AcosOp op) { return elementary(op, buildAcos); }
  FormResult form(AtanOp op) { return elementary(op, buildAtan); }
  FormResult form(Atan2Op op) { return ofTwo(op, buildAtan2); }
  FormResult form(SinhOp op) { return elementary(op, buildSinh); }
  FormResult form(CoshOp op) { return elementary(op, buildCosh); }
  FormResult form(Expm1Op op) { return elementary(op, buildExpm1); }
  FormResult form(Log1pOp op) { return elementary(op, buildLog1p); }
  FormResult form(Log2Op op) { return elementary(op, buildLog2); }
  FormResult form(Log10Op op) { return elementary(op, buildLog10); }
  FormResult form(ErfinvOp op) { return elementary(op, buildErfinv); }
  FormResult form(PReluOp op) {
    Value part = arith::MulFOp::create(b, operand(1), operand(0));
    return rounded(op, select(isTrue(arith::CmpFPredicate::OGT, operand(0), zero()), operand(0), part));
  }
  FormResult form(ClampOp op) {
    auto bound = [&](const APFloat &value) { return roundTo(b, number(value), resultElement(op)); };
    Value low = bound(op.getMin()), high = bound(op.getMax());
    Value below = isTrue(arith::CmpFPredicate::OLT, operand(0), low);
    Value above = isTrue(arith::CmpFPredicate::OGT, operand(0), high);
    return exact(select(below, low, select(above, high, operand(0))));
  }
  FormResult form(SigmoidOp op) { return elementary(op, buildSigmoid); }
  FormResult form(SiluOp op) { return elementary(op, buildSilu); }
  FormResult form(SoftplusOp op) { return elementary(op, buildSoftplus); }
  FormResult form(LeakyReluOp op) {
    Value part = arith::MulFOp::create(b, number(op.getNegativeSlope()), operand(0));
    return rounded(op, select(isNegative(), part, operand(0)));
  }
  FormResult form(EluOp op) {
    FailureOr<Value> part = functionOf(op, buildExpm1OfNegative);
    if (failed(part))
      return failure();
    return rounded(op, select(isNegative(), arith::MulFOp::create(b, number(op.getAlpha()), *part), operand(0)));
  }

  FormResult form(SeluOp op) {
    FailureOr<Value> part = functionOf(op, buildExpm1OfNegative);
    if (failed(part))
      return failure();
    auto times = [&](double factor, Value value) -> Value {
      return arith::MulFOp::create(b, floatConstant(b, value.getType(), factor), value);
    };
    return rounded(
        op, select(isNegative(), times(SeluOp::kScale * SeluOp::kAlpha, *part), times(SeluOp::kScale, operand(0))));
  }

  /// min(max(x + 3, 0), 6), which keeps a NaN.
  Value hardStep() {
    Type type = operand(0).getType();
    Value none = zero(), all = floatConstant(b, type, 6);
    Value moved = arith::AddFOp::create(b, operand(0), floatConstant(b, type, 3));
    return arith::MinimumFOp::create(b, arith::MaximumFOp::create(b, moved, none), all);
  }
  Value sixthOf(Value value) { return arith::DivFOp::create(b, value, floatConstant(b, value.getType(), 6)); }
  FormResult form(HardSigmoidOp op) { return rounded(op, sixthOf(hardStep())); }
  FormResult form(HardSwishOp op) {
    // The product with 0 is none: it would be NaN for -inf. A sixth first: six times the operand may be infinite.
    Value step = hardStep(), product = arith::MulFOp::create(b, operand(0), sixthOf(step));
    Value isZero = isTrue(arith::CmpFPredicate::OEQ, step, zero());
    return rounded(op, select(isZero, floatConstant(b, product.getType(), -0.0), product));
  }

  FormResult form(CompareOp op) {
    using F = arith::CmpFPredicate;
    using I = arith::CmpIPredicate;
    struct Row {
      F real;
      I isSigned, isUnsigned;
    };
    static constexpr Row kRows[] = {{F::OEQ, I::eq, I::eq},   {F::UNE, I::ne, I::ne},   {F::OLT, I::slt, I::ult},
                                    {F::OLE, I::sle, I::ule}, {F::OGT, I::sgt, I::ugt}, {F::OGE, I::sge, I::uge}};
    const Row &row = kRows[static_cast<unsigned>(op.getPredicate())];
    Type element = elementOf(op.getLhs());
    if (isa<FloatType>(element))
      return exact(isTrue(row.real, operand(0), operand(1)));
    const bool isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
    return exact(arith::CmpIOp::create(b, isUnsigned ? row.isUnsigned : row.isSigned, operand(0), operand(1)));
  }
  FormResult form(SelectOp op) { return exact(arith::SelectOp::create(b, operand(0), operand(1), operand(2))); }
  FormResult form(IsFiniteOp) {
    Value bad = isNonfinite(b, operand(0));
    return exact(arith::CmpIOp::create(b, arith::CmpIPredicate::eq, bad, intConstant(b, bad.getType(), 0)));
  }
  FormResult form(LogicalAndOp) { return exact(arith::AndIOp::create(b, operand(0), operand(1))); }
  FormResult form(LogicalOrOp) { return exact(arith::OrIOp::create(b, operand(0), operand(1))); }
  FormResult form(LogicalNotOp) {
    return exact(arith::XOrIOp::create(b, operand(0), intConstant(b, operand(0).getType(), 1)));
  }
  FormResult form(CastOp op) { return exact(castValue(b, operand(0), elementOf(op.getInput()), resultElement(op))); }
  FormResult form(IotaOp op) {
    // The coordinate: the position without what the dimensions inside and outside of it make of it.
    RankedTensorType type = op.getType();
    const auto dimension = static_cast<int64_t>(op.getDimension());
    const int64_t inner = ShapedType::getNumElements(type.getShape().drop_front(dimension + 1));
    const int64_t outer = ShapedType::getNumElements(type.getShape().take_front(dimension));
    Value index = in.position();
    if (inner > 1)
      index = arith::DivUIOp::create(b, index, intConstant(b, index.getType(), inner));
    if (outer > 1)
      index = arith::RemUIOp::create(b, index, intConstant(b, index.getType(), type.getDimSize(dimension)));
    return exact(castValue(b, index, b.getI64Type(), type.getElementType()));
  }
  FormResult form(ScaleLossOp op) { return exact(arith::MulFOp::create(b, operand(0), operand(1))); }
  FormResult form(GradientSeedOp op) { return exact(floatConstant(b, withLanes(resultElement(op), in.width), 1)); }

  // Movements give an element as it is; where it lies their strides say.
  FormResult form(BroadcastOp) { return exact(operand(0)); }
  FormResult form(ReshapeOp) { return exact(operand(0)); }
  FormResult form(TransposeOp) { return exact(operand(0)); }
  static std::optional<Sizes> strides(ReshapeOp) { return std::nullopt; }
  static std::optional<Sizes> strides(TransposeOp op) {
    return transposeStrides(op.getInput().getType().getShape(), op.getPermutation());
  }
};

} // namespace

void mp::attachElementwiseForms(MLIRContext *context) { attachForms<ElementwiseForms>(context); }
