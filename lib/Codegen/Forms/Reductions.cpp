// How each reduction makes one value of many.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Forms/Forms.h"

#include <limits>

using namespace mlir;
using namespace mp;

/// The type in which an op's elements are combined.
static Type operandType(Operation *op) { return registerType(elementOf(op->getOperand(0))); }

namespace {

template <typename Model, typename Op>
struct FloatReduction : ReductionFormInterface::ExternalModel<FloatReduction<Model, Op>, Op> {
  Value buildTerm(Operation *, LaneBuilder &, Value element) const { return element; }
  Value buildIdentity(Operation *op, LaneBuilder &b) const {
    return floatConstant(b, operandType(op), Model::identity);
  }
  Value combine(Operation *, LaneBuilder &b, Value x, Value y) const { return Model::combine(b, x, y); }
  Value finish(Operation *op, LaneBuilder &b, Value combined, int64_t count) const {
    return roundTo(b, Model::finish(b, combined, static_cast<double>(count)), elementOf(op->getResult(0)));
  }
};

struct Sum {
  static constexpr double identity = 0;
  static Value combine(LaneBuilder &b, Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  static Value finish(LaneBuilder &, Value combined, double) { return combined; }
};

struct Mean : Sum {
  static Value finish(LaneBuilder &b, Value combined, double count) {
    return arith::DivFOp::create(b, combined, floatConstant(b, combined.getType(), count));
  }
};

struct Product {
  static constexpr double identity = 1;
  static Value combine(LaneBuilder &b, Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  static Value finish(LaneBuilder &, Value combined, double) { return combined; }
};

struct Max {
  static constexpr double identity = -std::numeric_limits<double>::infinity();
  static Value combine(LaneBuilder &b, Value x, Value y) { return arith::MaximumFOp::create(b, x, y); }
  static Value finish(LaneBuilder &, Value combined, double) { return combined; }
};

struct Min {
  static constexpr double identity = std::numeric_limits<double>::infinity();
  static Value combine(LaneBuilder &b, Value x, Value y) { return arith::MinimumFOp::create(b, x, y); }
  static Value finish(LaneBuilder &, Value combined, double) { return combined; }
};

struct SumSquares : ReductionFormInterface::ExternalModel<SumSquares, SumSquaresBlocksOp> {
  Value buildTerm(Operation *, LaneBuilder &b, Value element) const {
    return arith::MulFOp::create(b, element, element);
  }
  Value buildIdentity(Operation *, LaneBuilder &b) const { return floatConstant(b, b.getF32Type(), 0); }
  Value combine(Operation *, LaneBuilder &b, Value x, Value y) const { return arith::AddFOp::create(b, x, y); }
  Value finish(Operation *, LaneBuilder &, Value combined, int64_t) const { return combined; }
};

struct AnyNonfinite : ReductionFormInterface::ExternalModel<AnyNonfinite, NonfiniteBlocksOp> {
  Value buildTerm(Operation *, LaneBuilder &b, Value element) const { return isNonfinite(b, element); }
  Value buildIdentity(Operation *, LaneBuilder &b) const { return intConstant(b, b.getI32Type(), 0); }
  Value combine(Operation *, LaneBuilder &b, Value x, Value y) const { return arith::OrIOp::create(b, x, y); }
  Value finish(Operation *, LaneBuilder &, Value combined, int64_t) const { return combined; }
};

template <typename Op> struct Blocks : BlocksFormInterface::ExternalModel<Blocks<Op>, Op> {
  int64_t getBlockSize(Operation *op) const { return static_cast<int64_t>(cast<Op>(op).getBlock()); }
};

} // namespace

Value mp::isNonfinite(LaneBuilder &b, Value x) {
  Type bits = integerTwin(x.getType()), i32 = withLanes(b.getI32Type(), laneCount(x.getType()));
  const bool isDouble = laneType(x.getType()).isF64();
  const int64_t infinity = isDouble ? 0x7ff0000000000000 : 0x7f800000;
  Value exponent = arith::AndIOp::create(b, arith::BitcastOp::create(b, bits, x), intConstant(b, bits, infinity));
  Value isSet = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, exponent, intConstant(b, bits, infinity));
  return arith::ExtUIOp::create(b, i32, isSet);
}

void mp::attachReductionForms(MLIRContext *context) {
  ReduceSumOp::attachInterface<FloatReduction<Sum, ReduceSumOp>>(*context);
  ReduceMeanOp::attachInterface<FloatReduction<Mean, ReduceMeanOp>>(*context);
  ReduceMaxOp::attachInterface<FloatReduction<Max, ReduceMaxOp>>(*context);
  ReduceMinOp::attachInterface<FloatReduction<Min, ReduceMinOp>>(*context);
  ReduceProdOp::attachInterface<FloatReduction<Product, ReduceProdOp>>(*context);
  SumSquaresBlocksOp::attachInterface<SumSquares, Blocks<SumSquaresBlocksOp>>(*context);
  NonfiniteBlocksOp::attachInterface<AnyNonfinite, Blocks<NonfiniteBlocksOp>>(*context);
}
