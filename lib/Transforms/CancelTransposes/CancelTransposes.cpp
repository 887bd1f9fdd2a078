// Compute in the order of dimensions that leaves the fewest transposes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For each transpose and each of its two sides: the ops that could come in the other order together are a region, a
// minimum cut says which of them do, and those are made anew.

#include "mp/Transforms/Passes.h"

#include "Transforms/CancelTransposes/Region.h"
#include "mp/IR/Program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Remarks.h"

namespace mp {
#define GEN_PASS_DEF_CANCELTRANSPOSESPASS
#include "mp/Transforms/Passes.h.inc"
} // namespace mp

using namespace mlir;
using namespace mp;

// What a value is in another order

static RankedTensorType typeInOrder(RankedTensorType type, ArrayRef<int64_t> order) {
  return type.clone(inOrder(type.getShape(), order));
}

/// The elements of a constant in another order.
static DenseElementsAttr constantInOrder(DenseElementsAttr constant, ArrayRef<int64_t> order) {
  auto type = typeInOrder(cast<RankedTensorType>(constant.getType()), order);
  if (constant.isSplat())
    return constant.resizeSplat(type);
  const Order strides = inOrder(ArrayRef(computeStrides(cast<RankedTensorType>(constant.getType()).getShape())), order);
  const Order places = computeStrides(type.getShape());
  auto values = llvm::to_vector(constant.getValues<Attribute>());
  auto moved = llvm::map_to_vector(llvm::seq<int64_t>(constant.getNumElements()),
                                   [&](int64_t i) { return values[linearize(delinearize(i, places), strides)]; });
  return DenseElementsAttr::get(type, moved);
}

/// What stands in the place of an op that need not be one: it is folded, perhaps in place.
static Value folded(Operation *op) {
  SmallVector<OpFoldResult, 1> values;
  while (succeeded(op->fold(values)))
    if (!values.empty())
      return cast<Value>(values.front());
  return op->getResult(0);
}

static Value reshaped(OpBuilder &b, Value value, ArrayRef<int64_t> shape) {
  return folded(ReshapeOp::create(b, value.getLoc(), typeOf(value).clone(shape), value));
}

/// `value` in another order, behind where it is made: a constant, a reshape, one transpose of what it is the transpose
/// of, or the transpose of it that there is already.
static Value transposed(Value value, ArrayRef<int64_t> order) {
  OpBuilder b(value.getContext());
  b.setInsertionPointAfterValue(value);
  if (DenseElementsAttr constant = findMovableConstant(value))
    return ConstantOp::create(b, value.getLoc(), constantInOrder(constant, order));
  if (isSameInOrder(shapeOf(value), order))
    return reshaped(b, value, inOrder(shapeOf(value), order));
  if (auto first = value.getDefiningOp<TransposeOp>())
    return transposed(first.getInput(), inOrder(first.getPermutation(), order));
  for (Operation *user : value.getUsers())
    if (auto known = dyn_cast<TransposeOp>(user); known && known.getPermutation() == order) {
      known->moveBefore(b.getInsertionBlock(), b.getInsertionPoint());
      return known;
    }
  return TransposeOp::create(b, value.getLoc(), value, order);
}

/// An operand in the order of the op that reads it: one of fewer dimensions has sizes of 1 in front, which need not
/// stay.
static Value operandInOrder(Value value, ArrayRef<int64_t> order) {
  const int64_t missing = order.size() - typeOf(value).getRank();
  if (order.empty() || missing == 0)
    return order.empty() ? value : transposed(value, order);
  OpBuilder b(value.getContext());
  b.setInsertionPointAfterValue(value);
  Order shape(missing, 1);
  llvm::append_range(shape, shapeOf(value));
  if (!isSameInOrder(shape, order))
    return transposed(reshaped(b, value, shape), order);
  const Order moved = inOrder(ArrayRef(shape), order);
  return reshaped(b, value, ArrayRef(moved).drop_while([](int64_t size) { return size == 1; }));
}

/// Makes a transpose what it is where it is less: the operand, a reshape, or one of what the operand is the transpose
/// of.
static void simplify(TransposeOp op) {
  const bool isDirect = !op.getInput().getDefiningOp<TransposeOp>() && !findMovableConstant(op.getInput());
  if (!isDirect || isSameInOrder(shapeOf(op.getInput()), op.getPermutation()))
    op.replaceAllUsesWith(transposed(op.getInput(), op.getPermutation()));
}

namespace {

/// Ops of a function, made anew in other orders.
class Reordering {
public:
  explicit Reordering(func::FuncOp func) : func(func) {}
  ~Reordering() {
    for (Operation *op : gone)
      op->destroy();
  }

  /// Returns how many ops came in another order.
  size_t run() {
    for (TransposeOp op : collectTransposes())
      simplify(op);
    // What one region leaves at its ends is between others: few walks find nothing more.
    static constexpr int kMostWalks = 4;
    size_t count = 0;
    for (int walk = 0; walk < kMostWalks; ++walk) {
      const size_t before = count;
      for (TransposeOp op : collectTransposes()) {
        count += tryOrder(op.getInput(), op.getPermutation());
        count += tryOrder(op.getResult(), invertPermutationVector(op.getPermutation()));
      }
      if (count == before)
        break;
    }
    return count;
  }

private:
  SmallVector<TransposeOp> collectTransposes() {
    SmallVector<TransposeOp> transposes;
    func.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<KernelOp>(op))
        return WalkResult::skip(); // whose body is scheduled as it is
      if (auto transpose = dyn_cast<TransposeOp>(op); transpose && !transpose.use_empty())
        transposes.push_back(transpose);
      return WalkResult::advance();
    });
    return transposes;
  }

  size_t tryOrder(Value value, ArrayRef<int64_t> order) {
    if (value.use_empty() || llvm::is_contained(tried[value], Order(order)))
      return 0;
    const ReorderedRegion region = growRegion(value, order);
    for (const auto &[known, own] : region.values)
      tried[known].push_back(own);
    const SmallVector<Operation *> chosen = chooseReordered(region);
    const DenseSet<Operation *> leaving(chosen.begin(), chosen.end());
    for (Operation *op : chosen)
      makeAnew(op, region.ops.find(op)->second);
    for (Operation *op : chosen)
      setOperands(op, region.ops.find(op)->second);
    for (Operation *op : chosen)
      for (Value result : op->getResults())
        replaceUses(result, leaving);
    for (Operation *op : chosen)
      op->dropAllReferences();
    for (Operation *op : chosen) {
      op->remove();
      gone.push_back(op); // so that no later one is where it has been
    }
    reordered.clear();
    return chosen.size();
  }

  void makeAnew(Operation *op, const DimensionOrders &orders) {
    Operation *clone = OpBuilder(op).clone(*op);
    reorderAttributes(clone, orders);
    for (auto [old, result, order] : llvm::zip_equal(op->getResults(), clone->getResults(), orders.results)) {
      if (!order.empty())
        result.setType(typeInOrder(typeOf(result), order));
      reordered[old] = {result, order};
    }
  }

  void setOperands(Operation *op, const DimensionOrders &orders) {
    Operation *clone = reordered[op->getResult(0)].first.getDefiningOp();
    for (auto [operand, order] : llvm::zip_equal(clone->getOpOperands(), orders.operands)) {
      auto known = reordered.find(operand.get());
      const bool isMade = known != reordered.end() && known->second.second == order;
      operand.set(isMade ? known->second.first : operandInOrder(operand.get(), order));
    }
  }

  /// Whoever is not reordered reads the result as it was, a transpose of it what it is of that.
  void replaceUses(Value old, const DenseSet<Operation *> &leaving) {
    const auto [result, order] = reordered[old];
    const Order back = invertPermutationVector(order);
    Value original;
    for (OpOperand &use : llvm::make_early_inc_range(old.getUses())) {
      auto transpose = dyn_cast<TransposeOp>(use.getOwner());
      if (leaving.contains(use.getOwner()))
        continue;
      if (transpose) {
        transpose.setPermutation(inOrder(ArrayRef(back), transpose.getPermutation()));
        use.set(result);
        simplify(transpose);
        continue;
      }
      if (!original)
        original = order.empty() ? result : transposed(result, back);
      use.set(original);
    }
  }

  func::FuncOp func;
  DenseMap<Value, SmallVector<Order, 1>> tried;
  DenseMap<Value, std::pair<Value, Order>> reordered; ///< of the region that is being made
  SmallVector<Operation *> gone;
};

struct CancelTransposesPass : mp::impl::CancelTransposesPassBase<CancelTransposesPass> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (getProgramKind(func).value_or(ProgramKind::Model) != ProgramKind::Model)
      return;
    const size_t before = countTransposes(func), count = Reordering(func).run();
    eraseDeadMovements(func);
    if (auto remark =
            remark::analysis(func.getLoc(), remark::RemarkOpts::name("Summary").category("mp-cancel-transposes")))
      remark << remark::metric("before", before) << remark::metric("after", countTransposes(func))
             << remark::metric("reordered", count);
  }

private:
  static size_t countTransposes(func::FuncOp func) {
    size_t count = 0;
    func.walk([&](TransposeOp) { ++count; });
    return count;
  }

  /// Transposes that nothing reads now, and what only they read; a reshape of a reshape is one.
  static void eraseDeadMovements(func::FuncOp func) {
    func.walk([](ReshapeOp op) {
      if (Value value = folded(op); value != op.getResult())
        op.replaceAllUsesWith(value);
    });
    func.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
      if (isa<TransposeOp, ReshapeOp, ConstantOp>(op) && op->use_empty())
        op->erase();
    });
  }
};
} // namespace
