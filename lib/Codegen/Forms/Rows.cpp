// What each op over whole rows is made of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All in f32, or f64 for f64, whatever the type of the elements; rounded once.

#include "Codegen/Forms/Forms.h"

#include <limits>

using namespace mlir;
using namespace mp;

namespace {

/// Primitive ops on rows [..., C] and on what each row has one of, [..., 1].
struct RowForms {
  LaneBuilder &b;

  SmallVector<Value> form(SoftmaxOp op);
  SmallVector<Value> form(LogSoftmaxOp op);
  SmallVector<Value> form(SoftmaxGradOp op);
  SmallVector<Value> form(SoftmaxCrossEntropyRowsOp op);
  SmallVector<Value> form(SoftmaxCrossEntropyGradOp op);
  SmallVector<Value> form(SoftmaxCrossEntropyGradRowsOp op);
  SmallVector<Value> form(LayerNormOp op);
  SmallVector<Value> form(RMSNormOp op);
  SmallVector<Value> form(L2NormalizeOp op);
  SmallVector<Value> form(LayerNormStatisticsOp op);
  SmallVector<Value> form(LayerNormGradOp op);

private:
  /// exp(x - max(x)) of each row, and what it sums up to.
  struct Exponentials {
    Value input, largest, values, sum;
  };
  /// A row without its mean, and one over the root of its variance.
  struct Centered {
    Value mean, values, invStdDev;
  };

  /// f32, or f64 as it is.
  Value widen(Value x) { return castTo(b, x, elementOf(x).isF64() ? elementOf(x) : b.getF32Type()); }
  Value scalar(double value, Type element) {
    auto type = RankedTensorType::get({}, element);
    auto attribute = isa<FloatType>(element) ? Attribute(b.getFloatAttr(element, value))
                                             : b.getIntegerAttr(element, static_cast<int64_t>(value));
    return ConstantOp::create(b, type, DenseElementsAttr::get(type, attribute));
  }
  /// Of `x`'s shape, to which `y` broadcasts.
  template <typename Op> Value binary(Value x, Value y) { return Op::create(b, x.getType(), x, y); }
  template <typename Op> Value reduce(Value x) {
    SmallVector<int64_t> shape(typeOf(x).getShape());
    const int64_t last = static_cast<int64_t>(shape.size()) - 1;
    shape.back() = 1;
    return Op::create(b, typeOf(x).clone(shape), x, ArrayRef<int64_t>(last), /*keep_dims=*/true);
  }
  /// [...] as [..., 1].
  Value asColumn(Value x) {
    SmallVector<int64_t> shape(typeOf(x).getShape());
    shape.push_back(1);
    return ReshapeOp::create(b, typeOf(x).clone(shape), x);
  }
  Value choose(Value condition, Value x, Value y, RankedTensorType type) {
    return SelectOp::create(b, type, condition, x, y);
  }
  Value compare(ComparePredicate predicate, Value x, Value y, ArrayRef<int64_t> shape) {
    return CompareOp::create(b, RankedTensorType::get(shape, b.getI1Type()), predicate, x, y);
  }

  Exponentials exponentials(Value logits);
  Centered center(Value input, const APFloat &epsilon);
  Value labelsOf(Value labels);
  Value isLabel(Value labels, Value rows);
  Value errorsOf(Value logits, Value labels, const APFloat &smoothing);
};

/// The row form of `Op` by the overload that RowForms has for it.
template <typename Op> struct RowModel : RowFormInterface::ExternalModel<RowModel<Op>, Op> {
  SmallVector<Value> expand(Operation *op, LaneBuilder &b) const { return RowForms{b}.form(cast<Op>(op)); }
};

} // namespace

// Softmax

RowForms::Exponentials RowForms::exponentials(Value logits) {
  Value x = widen(logits), largest = reduce<ReduceMaxOp>(x);
  Value values = ExpOp::create(b, x.getType(), binary<SubOp>(x, largest));
  return {x, largest, values, reduce<ReduceSumOp>(values)};
}

SmallVector<Value> RowForms::form(SoftmaxOp op) {
  Exponentials e = exponentials(op.getInput());
  return {castTo(b, binary<DivOp>(e.values, e.sum), elementOf(op.getInput()))};
}

SmallVector<Value> RowForms::form(LogSoftmaxOp op) {
  Exponentials e = exponentials(op.getInput());
  Value shifted = binary<SubOp>(e.input, e.largest), log = LogOp::create(b, e.sum.getType(), e.sum);
  return {castTo(b, binary<SubOp>(shifted, log), elementOf(op.getInput()))};
}

SmallVector<Value> RowForms::form(SoftmaxGradOp op) {
  Value y = widen(op.getOutput()), g = widen(op.getGradient());
  Value sum = reduce<ReduceSumOp>(binary<MulOp>(y, g));
  return {castTo(b, binary<MulOp>(y, binary<SubOp>(g, sum)), elementOf(op.getOutput()))};
}

// Cross entropy of softmax

/// Labels as numbers that columns compare with, one for each row; i64 labels may have no other type.
Value RowForms::labelsOf(Value labels) {
  return asColumn(castTo(b, labels, elementOf(labels).isInteger(64) ? b.getI64Type() : b.getI32Type()));
}

/// Whether each element of `rows` is in the column that its row's label names; `labels` as labelsOf has them.
Value RowForms::isLabel(Value labels, Value rows) {
  ArrayRef<int64_t> shape = typeOf(rows).getShape();
  SmallVector<int64_t> oneRow(shape.size(), 1);
  oneRow.back() = shape.back();
  Value columns = IotaOp::create(b, RankedTensorType::get(oneRow, elementOf(labels)), Value(), shape.size() - 1);
  return compare(ComparePredicate::eq, columns, labels, shape);
}

SmallVector<Value> RowForms::form(SoftmaxCrossEntropyRowsOp op) {
  Exponentials e = exponentials(op.getLogits());
  Type element = elementOf(e.input);
  // The element of the label, by a reduction that walks the row together with that of the maximum.
  Value labels = labelsOf(op.getLabels());
  Value lowest = scalar(-std::numeric_limits<double>::infinity(), element);
  Value chosen = reduce<ReduceMaxOp>(choose(isLabel(labels, e.input), e.input, lowest, typeOf(e.input)));
  if (const double smoothing = op.getLabelSmoothing().convertToDouble(); smoothing != 0) {
    Value ofAll = binary<MulOp>(reduce<ReduceMeanOp>(e.input), scalar(smoothing, element));
    chosen = binary<AddOp>(binary<MulOp>(chosen, scalar(1 - smoothing, element)), ofAll);
  }
  Value log = LogOp::create(b, e.sum.getType(), e.sum);
  Value loss = binary<SubOp>(binary<AddOp>(log, e.largest), chosen);

  RankedTensorType column = typeOf(loss);
  Value none = scalar(std::numeric_limits<double>::quiet_NaN(), element);
  Value classes = scalar(static_cast<double>(typeOf(e.input).getShape().back()), elementOf(labels));
  Value isBelow = compare(ComparePredicate::lt, labels, classes, column.getShape());
  Value isFrom = compare(ComparePredicate::ge, labels, scalar(0, elementOf(labels)), column.getShape());
  loss = choose(isFrom, choose(isBelow, loss, none, column), none, column);
  return {ReshapeOp::create(b, op.getType(), loss)};
}

/// softmax(logits) less the target: 1 in the column of the label, or with smoothing s 1 - s there and s / classes in
/// each.
Value RowForms::errorsOf(Value logits, Value labels, const APFloat &smoothing) {
  Exponentials e = exponentials(logits);
  Type element = elementOf(e.input);
  const double s = smoothing.convertToDouble(), share = s / static_cast<double>(typeOf(e.input).getShape().back());
  Value hit = choose(isLabel(labelsOf(labels), e.input), scalar(1 - s + share, element), scalar(share, element),
                     typeOf(e.input));
  return binary<SubOp>(binary<DivOp>(e.values, e.sum), hit);
}

SmallVector<Value> RowForms::form(SoftmaxCrossEntropyGradOp op) {
  Value errors = errorsOf(op.getLogits(), op.getLabels(), op.getLabelSmoothing());
  Type element = elementOf(errors);
  // One over the number of rows, or a row's weight over the sum of all.
  const auto rows = static_cast<double>(std::max<int64_t>(typeOf(op.getLabels()).getNumElements(), 1));
  Value share = scalar(element.isF64() ? 1 / rows : 1 / static_cast<float>(rows), element);
  if (Value weights = op.getWeights()) {
    auto all = llvm::to_vector(llvm::seq<int64_t>(0, typeOf(weights).getRank()));
    Value sum = ReduceSumOp::create(b, RankedTensorType::get({}, element), weights, all, /*keep_dims=*/false);
    share = asColumn(binary<DivOp>(weights, sum));
  }
  Value shared = binary<MulOp>(errors, share);
  return {castTo(b, binary<MulOp>(shared, castTo(b, op.getGradient(), element)), elementOf(op.getLogits()))};
}

SmallVector<Value> RowForms::form(SoftmaxCrossEntropyGradRowsOp op) {
  Value errors = errorsOf(op.getLogits(), op.getLabels(), op.getLabelSmoothing());
  return {castTo(b, binary<MulOp>(errors, asColumn(op.getFactor())), elementOf(op.getLogits()))};
}

// Normalization

/// The variance by a walk of its own: the mean of squares less the square of the mean loses what both share.
RowForms::Centered RowForms::center(Value input, const APFloat &epsilon) {
  Value x = widen(input), mean = reduce<ReduceMeanOp>(x);
  Value centered = binary<SubOp>(x, mean);
  Value variance = reduce<ReduceMeanOp>(binary<MulOp>(centered, centered));
  Value shifted = binary<AddOp>(variance, scalar(epsilon.convertToDouble(), elementOf(x)));
  Value deviation = SqrtOp::create(b, shifted.getType(), shifted);
  Value one = scalar(1, elementOf(x));
  return {mean, centered, DivOp::create(b, deviation.getType(), one, deviation)};
}

SmallVector<Value> RowForms::form(LayerNormOp op) {
  Centered row = center(op.getInput(), op.getEpsilon());
  Value scaled = binary<MulOp>(binary<MulOp>(row.values, row.invStdDev), op.getScale());
  return {castTo(b, binary<AddOp>(scaled, op.getOffset()), elementOf(op.getInput()))};
}

SmallVector<Value> RowForms::form(RMSNormOp op) {
  Value x = widen(op.getInput()), mean = reduce<ReduceMeanOp>(binary<MulOp>(x, x));
  Value shifted = binary<AddOp>(mean, scalar(op.getEpsilon().convertToDouble(), elementOf(x)));
  Value root = SqrtOp::create(b, shifted.getType(), shifted);
  Value inverse = DivOp::create(b, root.getType(), scalar(1, elementOf(x)), root);
  return {castTo(b, binary<MulOp>(binary<MulOp>(x, inverse), op.getScale()), elementOf(op.getInput()))};
}

SmallVector<Value> RowForms::form(L2NormalizeOp op) {
  Value x = widen(op.getInput()), square = reduce<ReduceSumOp>(binary<MulOp>(x, x));
  Value length = SqrtOp::create(b, square.getType(), square);
  Value divisor = binary<MaxOp>(length, scalar(op.getEpsilon().convertToDouble(), elementOf(x)));
  return {castTo(b, binary<DivOp>(x, divisor), elementOf(op.getInput()))};
}

SmallVector<Value> RowForms::form(LayerNormStatisticsOp op) {
  Centered row = center(op.getInput(), op.getEpsilon());
  return {row.mean, row.invStdDev};
}

SmallVector<Value> RowForms::form(LayerNormGradOp op) {
  Value normalized = binary<MulOp>(binary<SubOp>(widen(op.getInput()), op.getMean()), op.getInvStdDev());
  Value g = binary<MulOp>(widen(op.getGradient()), op.getScale());
  Value along = binary<MulOp>(normalized, reduce<ReduceMeanOp>(binary<MulOp>(g, normalized)));
  Value rest = binary<SubOp>(binary<SubOp>(g, reduce<ReduceMeanOp>(g)), along);
  return {castTo(b, binary<MulOp>(rest, op.getInvStdDev()), elementOf(op.getInput()))};
}

// Attaching them

template <typename... Ops> static void attachRows(MLIRContext *context) {
  auto attach = [&]<typename Op>(Op *) {
    if constexpr (requires(RowForms forms, Op op) { forms.form(op); })
      Op::template attachInterface<RowModel<Op>>(*context);
  };
  (attach(static_cast<Ops *>(nullptr)), ...);
}

void mp::attachRowForms(MLIRContext *context) {
  attachRows<
#define GET_OP_LIST
#include "mp/IR/MPOps.cpp.inc"
      >(context);
}
