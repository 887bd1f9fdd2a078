// Each map op on one value of each operand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Forms/Forms.h"

#include "Codegen/Forms/Math.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mp;

static Type elementOf(Value tensor) { return cast<RankedTensorType>(tensor.getType()).getElementType(); }

FailureOr<Value> mp::buildElementary(LaneBuilder &b, Operation *op, StringRef name, Value x) {
  if (!laneType(x.getType()).isF32())
    return op->emitOpError("needs ") << name
                                     << " of f64, which native code does not have; the reference evaluator has it";
  return name == "exp" ? buildExp(b, x) : buildLog(b, x);
}

namespace {

/// The forms of the ops that look at one element of each operand and at nothing else.
struct Form {
  LaneBuilder &b;
  const ScalarOperands &in;

  using Result = FailureOr<SmallVector<Value>>;

  Value operand(unsigned index) const { return in.values[index]; }
  Type resultElement(Operation *op) const { return elementOf(op->getResult(0)); }

  /// A float result, rounded to its type once.
  Result rounded(Operation *op, Value value) { return SmallVector<Value>{roundTo(b, value, resultElement(op))}; }
  Result exact(Value value) { return SmallVector<Value>{value}; }

  Value zero() { return floatConstant(b, operand(0).getType(), 0); }
  Value isTrue(arith::CmpFPredicate predicate, Value x, Value y) { return arith::CmpFOp::create(b, predicate, x, y); }

  template <typename FloatOp, typename IntegerOp> Result binary(Operation *op) {
    if (isa<FloatType>(resultElement(op)))
      return rounded(op, FloatOp::create(b, operand(0), operand(1)));
    return exact(IntegerOp::create(b, operand(0), operand(1)));
  }

  Result form(AddOp op) { return binary<arith::AddFOp, arith::AddIOp>(op); }
  Result form(SubOp op) { return binary<arith::SubFOp, arith::SubIOp>(op); }
  Result form(MulOp op) { return binary<arith::MulFOp, arith::MulIOp>(op); }
  Result form(DivOp op) { return rounded(op, arith::DivFOp::create(b, operand(0), operand(1))); }
  Result form(MaxOp op) {
    Type element = resultElement(op);
    if (isa<FloatType>(element))
      return exact(arith::MaximumFOp::create(b, operand(0), operand(1)));
    if (element.isUnsignedInteger())
      return exact(arith::MaxUIOp::create(b, operand(0), operand(1)));
    return exact(arith::MaxSIOp::create(b, operand(0), operand(1)));
  }

  Result elementary(Operation *op, StringRef name) {
    FailureOr<Value> value = buildElementary(b, op, name, operand(0));
    if (failed(value))
      return failure();
    return rounded(op, *value);
  }
  Result form(ExpOp op) { return elementary(op, "exp"); }
  Result form(LogOp op) { return elementary(op, "log"); }
  Result form(SqrtOp op) { return rounded(op, math::SqrtOp::create(b, operand(0))); }
  Result form(ReluOp op) {
    Value isNegative = isTrue(arith::CmpFPredicate::OLT, operand(0), zero());
    return exact(arith::SelectOp::create(b, isNegative, zero(), operand(0)));
  }
  Result form(ReluGradOp op) {
    Value isOff = isTrue(arith::CmpFPredicate::OLE, operand(0), zero());
    return exact(arith::SelectOp::create(b, isOff, zero(), operand(1)));
  }

  Result form(CompareOp op) {
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
  Result form(SelectOp op) { return exact(arith::SelectOp::create(b, operand(0), operand(1), operand(2))); }
  Result form(CastOp op) { return exact(castValue(b, operand(0), elementOf(op.getInput()), resultElement(op))); }
  Result form(IotaOp op) {
    // The coordinate: the position without what the dimensions outside and inside of it make of it.
    auto type = cast<RankedTensorType>(op.getType());
    int64_t inner = 1;
    for (int64_t size : type.getShape().drop_front(op.getDimension() + 1))
      inner *= size;
    Value position = in.position();
    auto constant = [&](int64_t value) { return intConstant(b, position.getType(), std::max<int64_t>(value, 1)); };
    Value index = arith::RemUIOp::create(b, arith::DivUIOp::create(b, position, constant(inner)),
                                         constant(type.getDimSize(op.getDimension())));
    return exact(castValue(b, index, b.getI64Type(), type.getElementType()));
  }
  Result form(ScaleLossOp op) { return exact(arith::MulFOp::create(b, operand(0), operand(1))); }
  Result form(GradientSeedOp op) { return exact(floatConstant(b, withLanes(resultElement(op), in.width), 1)); }
};

} // namespace

FailureOr<SmallVector<Value>> mp::buildScalarForm(LaneBuilder &b, Operation *op, const ScalarOperands &operands) {
  Form forms{b, operands};
  return llvm::TypeSwitch<Operation *, FailureOr<SmallVector<Value>>>(op)
      .Case<AddOp, SubOp, MulOp, DivOp, MaxOp, ExpOp, LogOp, SqrtOp, ReluOp, ReluGradOp, CompareOp, SelectOp, CastOp,
            IotaOp, ScaleLossOp, GradientSeedOp>([&](auto typed) { return forms.form(typed); })
      .Case<DropoutOp>([&](DropoutOp typed) { return buildDropout(b, typed, operands); })
      .Case<SGDOp>([&](SGDOp typed) { return buildSGD(b, typed, operands); })
      .Case<AdamOp, AdamWOp>([&](auto typed) { return buildAdam(b, typed, operands); })
      .Case<UpdateLossScaleOp, CountSkipsOp, AdvanceOp>(
          [&](auto typed) { return buildLossScaling(b, typed, operands); })
      .Default([](Operation *unknown) { return unknown->emitOpError("has no native code as a map of elements"); });
}

bool mp::isMap(Operation *op) {
  return isa<AddOp, SubOp, MulOp, DivOp, MaxOp, ExpOp, LogOp, SqrtOp, ReluOp, ReluGradOp, CompareOp, SelectOp, CastOp,
             IotaOp, ScaleLossOp, GradientSeedOp, DropoutOp, SGDOp, AdamOp, AdamWOp, UpdateLossScaleOp, CountSkipsOp,
             AdvanceOp>(op);
}

bool mp::readsPerElement(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (isa<IotaOp>(op))
    return false;
  if (isa<BroadcastOp>(op))
    return operand.getOperandNumber() == 0;
  return !isa<DropoutOp>(op) || operand.getOperandNumber() == 0;
}

SmallVector<Value, 2> mp::scalarPartOperands(Operation *op) {
  return llvm::TypeSwitch<Operation *, SmallVector<Value, 2>>(op)
      .Case([](DropoutOp dropout) { return SmallVector<Value, 2>{dropout.getRng()}; })
      .Case<AdamOp, AdamWOp>([](auto adam) { return SmallVector<Value, 2>{adam.getLearningRate(), adam.getStep()}; })
      .Default([](Operation *) { return SmallVector<Value, 2>(); });
}

bool mp::hasCostlyParts(Operation *op) { return isa<AdamOp, AdamWOp>(op); }

FailureOr<ScalarParts> mp::buildScalarParts(LaneBuilder &b, Operation *op,
                                            function_ref<FailureOr<Value>(Value, int64_t)> load) {
  if (auto dropout = dyn_cast<DropoutOp>(op)) {
    FailureOr<Value> seed = load(dropout.getRng(), 0), step = load(dropout.getRng(), 1);
    if (failed(seed) || failed(step))
      return failure();
    return buildDropoutParts(b, *seed, *step);
  }
  auto ofAdam = [&](auto adam) -> FailureOr<ScalarParts> {
    FailureOr<Value> rate = load(adam.getLearningRate(), 0), step = load(adam.getStep(), 0);
    if (failed(rate) || failed(step))
      return failure();
    return buildAdamParts(b, adam, *rate, *step);
  };
  if (auto adam = dyn_cast<AdamOp>(op))
    return ofAdam(adam);
  if (auto adamw = dyn_cast<AdamWOp>(op))
    return ofAdam(adamw);
  return ScalarParts();
}
