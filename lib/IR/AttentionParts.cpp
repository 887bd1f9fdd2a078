// Attention in ops that it could be written in.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/AttentionParts.h"

#include <limits>

using namespace mlir;
using namespace mp;

Value AttentionParts::scalar(double value) {
  auto type = RankedTensorType::get({}, wide);
  return ConstantOp::create(b, type, DenseElementsAttr::get(type, b.getFloatAttr(wide, value)));
}
Value AttentionParts::minusInfinity() { return scalar(-std::numeric_limits<double>::infinity()); }
Value AttentionParts::equals(Value value, Value other) {
  return CompareOp::create(b, ComparePredicate::eq, value, other);
}
Value AttentionParts::select(Value condition, Value yes, Value no) { return SelectOp::create(b, condition, yes, no); }
Value AttentionParts::reshape(Value value, ArrayRef<int64_t> shape) {
  return shapeOf(value) == shape ? value : ReshapeOp::create(b, typeOf(value).clone(shape), value).getResult();
}

Value AttentionParts::together(Value value) {
  return reshape(value, {sizes.batch, sizes.groups, sizes.shared() * sizes.queries, shapeOf(value).back()});
}
Value AttentionParts::apart(Value value) {
  return reshape(value, {sizes.batch, sizes.heads, sizes.queries, shapeOf(value).back()});
}

Value AttentionParts::product(Value lhs, Value rhs, bool transposeLhs, bool transposeRhs, Type element) {
  ArrayRef<int64_t> left = shapeOf(lhs), right = shapeOf(rhs);
  auto type = RankedTensorType::get(
      {sizes.batch, sizes.groups, left[transposeLhs ? 3 : 2], right[transposeRhs ? 2 : 3]}, element);
  return MatmulOp::create(b, type, lhs, rhs, /*bias=*/Value(), transposeLhs, transposeRhs, wide);
}

Value AttentionParts::scores() {
  Value scores = apart(product(together(query), key, /*transposeLhs=*/false, /*transposeRhs=*/true, wide));
  scores = MulOp::create(b, scores, scalar(factor));
  if (isCausal) {
    auto places = RankedTensorType::get({sizes.queries, sizes.keys}, b.getI32Type());
    Value ofQuery = IotaOp::create(b, places, /*like=*/Value(), /*dimension=*/0);
    Value ofKey = IotaOp::create(b, places, /*like=*/Value(), /*dimension=*/1);
    scores = select(CompareOp::create(b, ComparePredicate::ge, ofQuery, ofKey), scores, minusInfinity());
  }
  if (!mask)
    return scores;
  if (elementOf(mask).isInteger(1))
    return select(mask, scores, minusInfinity());
  return AddOp::create(b, scores, castTo(b, mask, wide));
}

Value AttentionParts::drop(Value values) {
  if (!rng)
    return values;
  return DropoutOp::create(b, values, rng, b.getF64FloatAttr(rate), b.getI64IntegerAttr(stream),
                           b.getDenseI64ArrayAttr({}));
}

AttentionParts::Forward AttentionParts::forward() {
  constexpr int64_t kKeys = 3;
  Value s = scores();
  // Of a query without a key the maximum is -inf and the sum 0, which would make NaN of both quotient and difference.
  Value largest = ReduceMaxOp::create(b, s, ArrayRef(kKeys), /*keep_dims=*/true);
  largest = select(equals(largest, minusInfinity()), scalar(0), largest);
  Value p = ExpOp::create(b, SubOp::create(b, s, largest));
  Value sum = ReduceSumOp::create(b, p, ArrayRef(kKeys), /*keep_dims=*/true);
  Value weighed = apart(product(together(narrow(drop(p))), value, false, false, wide));
  Value divisor = select(equals(sum, scalar(0)), scalar(1), sum);
  Value lse = AddOp::create(b, LogOp::create(b, sum), largest);
  return {narrow(DivOp::create(b, weighed, divisor)), reshape(lse, {sizes.batch, sizes.heads, sizes.queries})};
}

AttentionParts::Gradients AttentionParts::gradients(Value lse, Value gradient, Value delta) {
  auto column = [&](Value rows) { return reshape(rows, {sizes.batch, sizes.heads, sizes.queries, 1}); };
  Value known = select(equals(lse, minusInfinity()), scalar(0), lse);
  Value p = ExpOp::create(b, SubOp::create(b, scores(), column(known)));
  Value rows = together(gradient);
  Value ofValue = product(together(narrow(drop(p))), rows, /*transposeLhs=*/true, false, elementOf(value));
  Value ofP = drop(apart(product(rows, value, false, /*transposeRhs=*/true, wide)));
  Value ofScores = MulOp::create(b, p, SubOp::create(b, ofP, column(delta)));
  Value scaled = together(narrow(MulOp::create(b, ofScores, scalar(factor))));
  return {apart(product(scaled, key, false, false, elementOf(query))),
          product(scaled, together(query), /*transposeLhs=*/true, false, elementOf(key)), ofValue, ofScores};
}
