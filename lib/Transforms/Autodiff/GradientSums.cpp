// What a value's gradient is, of the contributions of all its users.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Transforms/Autodiff/GradientSums.h"

#include "Transforms/Autodiff/Pieces.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mp;

namespace {

/// Contributions of one kind are summed as one op: those of an op's name, with these attributes, of an operand of this
/// type, with the gradient as the operand of this number.
using KindOfSum = std::tuple<OperationName, Attribute, Type, unsigned>;

bool isZero(Value value) {
  if (auto broadcast = value.getDefiningOp<BroadcastOp>())
    value = broadcast.getInput();
  DenseFPElementsAttr constant;
  return matchPattern(value, m_Constant(&constant)) && constant.isSplat() && constant.getSplatValue<APFloat>().isZero();
}

/// The dimension of a matrix that is summed over.
int64_t summedOfLhs(MatmulOp op) { return op.getTransposeLhs() ? 0 : 1; }
int64_t summedOfRhs(MatmulOp op) { return op.getTransposeRhs() ? 1 : 0; }

/// Whether products are one whose factors are put together: where these are smaller than the result, which each would
/// add to.
bool isLongerProduct(MatmulOp op) {
  RankedTensorType lhs = typeOf(op.getLhs()), rhs = typeOf(op.getRhs());
  return lhs.getRank() == 2 && rhs.getRank() == 2 && !op.getBias() &&
         lhs.getNumElements() + rhs.getNumElements() < typeOf(op.getResult()).getNumElements();
}

/// Whether a factor is a value of the forward, or that in another shape or type.
bool isOfForward(Value factor, Operation *seed) {
  Operation *op = factor.getDefiningOp();
  while (isa_and_nonnull<CastOp, ReshapeOp, TransposeOp>(op) && seed->isBeforeInBlock(op))
    op = op->getOperand(0).getDefiningOp();
  return !op || op->isBeforeInBlock(seed);
}

std::optional<KindOfSum> kindOf(Operation *op, Operation *seed) {
  if (!op)
    return std::nullopt;
  auto kind = [&](Attribute attributes, Type type, unsigned gradient = 0) {
    return KindOfSum(op->getName(), attributes, type, gradient);
  };
  return TypeSwitch<Operation *, std::optional<KindOfSum>>(op)
      .Case([&](PadOp) { return placesPiece(op) ? std::optional(kind({}, {})) : std::nullopt; })
      .Case([&](ScatterAddOp op) {
        Type index = typeOf(op.getIndices()).getElementType();
        return isZero(op.getInput()) ? std::optional(kind(op.getDimensionAttr(), index)) : std::nullopt;
      })
      .Case([&](MatmulOp op) -> std::optional<KindOfSum> {
        if (!isLongerProduct(op))
          return std::nullopt;
        // A concatenation of gradients and what they are multiplied by would have the loss scale in part.
        return kind(op->getAttrDictionary(), {}, isOfForward(op.getLhs(), seed) ? 1 : 0);
      })
      .Case<ReshapeOp, TransposeOp, FlipOp>(
          [&](Operation *op) { return kind(op->getAttrDictionary(), op->getOperand(0).getType()); })
      .Default([](Operation *) { return std::nullopt; });
}

template <typename Op> auto operandsOf(ArrayRef<Op> ops, unsigned number) {
  return llvm::map_to_vector(ops, [&](Op op) -> Value { return op->getOperand(number); });
}

Value concat(OpBuilder &b, Location loc, ArrayRef<Value> values, int64_t dimension) {
  return ConcatOp::create(b, loc, values, dimension);
}

/// One product, rounded once, whose sums go on through all of them.
Value sumOf(OpBuilder &b, Location loc, ArrayRef<MatmulOp> ops) {
  MatmulOp like = ops.front();
  Value lhs = concat(b, loc, operandsOf(ops, 0), summedOfLhs(like));
  Value rhs = concat(b, loc, operandsOf(ops, 1), summedOfRhs(like));
  return MatmulOp::create(b, loc, like.getType(), lhs, rhs, Value(), like.getTransposeLhs(), like.getTransposeRhs(),
                          like.getAcc());
}

/// One scatter of all updates, summed in their order and rounded once.
Value sumOf(OpBuilder &b, Location loc, ArrayRef<ScatterAddOp> ops) {
  ScatterAddOp like = ops.front();
  const auto dimension = static_cast<int64_t>(like.getDimension());
  SmallVector<Value> indices, updates;
  for (ScatterAddOp op : ops) {
    RankedTensorType index = typeOf(op.getIndices()), update = typeOf(op.getUpdates());
    SmallVector<int64_t> shape(update.getShape().take_front(dimension));
    shape.push_back(index.getNumElements());
    llvm::append_range(shape, update.getShape().drop_front(dimension + index.getRank()));
    indices.push_back(b.createOrFold<ReshapeOp>(loc, index.clone({index.getNumElements()}), op.getIndices()));
    updates.push_back(b.createOrFold<ReshapeOp>(loc, update.clone(shape), op.getUpdates()));
  }
  return ScatterAddOp::create(b, loc, like.getInput(), concat(b, loc, indices, 0), concat(b, loc, updates, dimension),
                              dimension);
}

/// The cast of a piece as a piece that is cast: zeros around it stay zeros.
Value castInside(OpBuilder &b, Location loc, Value part) {
  Operation *cast = part.getDefiningOp<CastOp>();
  if (!cast || !placesPiece(cast->getOperand(0).getDefiningOp()))
    return part;
  auto pad = cast->getOperand(0).getDefiningOp<PadOp>();
  Operation *inside = b.clone(*cast);
  inside->setOperand(0, pad.getInput());
  inside->getResult(0).setType(typeOf(part).clone(typeOf(pad.getInput()).getShape()));
  return PadOp::create(b, loc, inside->getResult(0), pad.getLow(), pad.getHigh(), pad.getInterior(), APFloat(0.0));
}

/// What moves all elements of one operand moves the sum.
Value sumOfMoved(OpBuilder &b, Location loc, ArrayRef<Operation *> ops, Operation *seed) {
  IRMapping summed;
  summed.map(ops.front()->getOperand(0), sumContributions(b, loc, operandsOf(ops, 0), seed));
  return b.clone(*ops.front(), summed)->getResult(0);
}

template <typename Op> SmallVector<Op> allAs(ArrayRef<Operation *> ops) {
  return llvm::map_to_vector(ops, [](Operation *op) { return cast<Op>(op); });
}

Value sumOfKind(OpBuilder &b, Location loc, ArrayRef<Operation *> ops, Operation *seed) {
  return TypeSwitch<Operation *, Value>(ops.front())
      .Case([&](PadOp) { return sumPieces(b, loc, allAs<PadOp>(ops)); })
      .Case([&](ScatterAddOp) { return sumOf(b, loc, ArrayRef<ScatterAddOp>(allAs<ScatterAddOp>(ops))); })
      .Case([&](MatmulOp) { return sumOf(b, loc, ArrayRef<MatmulOp>(allAs<MatmulOp>(ops))); })
      .Default([&](Operation *) { return sumOfMoved(b, loc, ops, seed); });
}

} // namespace

Value mp::sumContributions(OpBuilder &builder, Location loc, ArrayRef<Value> contributions, Operation *seed) {
  if (contributions.size() == 1)
    return contributions.front();
  auto parts = llvm::map_to_vector(contributions, [&](Value part) { return castInside(builder, loc, part); });
  llvm::MapVector<KindOfSum, SmallVector<Operation *>> byKind;
  for (Value part : parts)
    if (std::optional<KindOfSum> kind = kindOf(part.getDefiningOp(), seed))
      byKind[*kind].push_back(part.getDefiningOp());
  Value sum;
  for (Value part : parts) {
    if (std::optional<KindOfSum> kind = kindOf(part.getDefiningOp(), seed)) {
      SmallVector<Operation *> ops = std::move(byKind[*kind]);
      byKind[*kind].clear();
      if (ops.empty())
        continue;
      part = ops.size() == 1 ? part : sumOfKind(builder, loc, ops, seed);
    }
    sum = sum ? AddOp::create(builder, loc, sum, part).getResult() : part;
  }
  return sum;
}
