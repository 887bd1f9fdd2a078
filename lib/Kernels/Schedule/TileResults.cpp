// Reductions where a product is made.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Schedule/TileResults.h"

#include "Kernels/Forming/RebuildKernel.h"
#include "Kernels/Schedule/KernelScheduler.h"
#include "mp/Analysis/ResultBlocks.h"
#include "mp/IR/Tiles.h"

using namespace mlir;
using namespace mp;

static Value outsideOf(KernelOp kernel, BlockArgument argument) { return kernel.getInputs()[argument.getArgNumber()]; }

namespace {

/// A value that a scheduled product makes, in blocks of so many rows and columns.
struct MadeByProduct {
  KernelOp kernel;
  unsigned result;
  int64_t blockM, blockN;
  bool sumsRows; ///< whether the emitter can sum the rows of a block: where threads share it
};

/// A check that can move: the argument by which it reads the product.
struct MovableCheck {
  NonfiniteBlocksOp op;
  BlockArgument read;
};

} // namespace

static std::optional<MadeByProduct> findProduct(Value value) {
  auto kernel = value.getDefiningOp<KernelOp>();
  if (!kernel || !kernel.getSchedule())
    return std::nullopt;
  ContractionOpInterface op = findContraction(kernel);
  if (!op || shapeOf(value) != shapeOf(op->getResult(0)))
    return std::nullopt;
  const Contraction product = op.getContraction();
  // Rows of a product in classes are not those of its result.
  if (product.hasParts || product.sharesRows || !product.classes.empty())
    return std::nullopt;
  const unsigned result = cast<OpResult>(value).getResultNumber();
  const std::optional<ResultBlock> block = findResultBlock(kernel.getScheduleAttr());
  if (!block)
    return std::nullopt;
  return MadeByProduct{kernel, result, block->rows, block->columns, isa<MmaScheduleAttr>(*kernel.getSchedule())};
}

/// Gives the product's kernel one more result, which `build` makes of the values that the kernel yields.
static Value addResult(KernelOp kernel, Type type, function_ref<Value(RebuiltKernel &, ValueRange)> build) {
  SmallVector<Type> types(kernel->getResultTypes());
  types.push_back(type);
  RebuiltKernel rebuilt(kernel, types, kernel.getKernelName());
  for (BlockArgument argument : kernel.getBody().getArguments())
    rebuilt.get(argument);
  SmallVector<Value> yields = rebuilt.yieldsOf(kernel);
  Value added = build(rebuilt, yields);
  yields.push_back(added);
  rebuilt.yield(yields);
  rebuilt.kernel.setScheduleAttr(kernel.getScheduleAttr());
  kernel->replaceAllUsesWith(rebuilt.kernel->getResults().drop_back());
  kernel.erase();
  return rebuilt.kernel->getResults().back();
}

// Moments

/// Gives a result of moments `type`, in so many rows a block, and adds the kernels that read it to `readers`.
static void retypeMoments(Value result, RankedTensorType type, int64_t block, llvm::SetVector<KernelOp> &readers) {
  result.setType(type);
  for (OpOperand &use : result.getUses()) {
    auto reader = cast<KernelOp>(use.getOwner());
    BlockArgument argument = reader.getBody().getArgument(use.getOperandNumber());
    argument.setType(type);
    for (Operation *user : argument.getUsers())
      if (auto squares = dyn_cast<RecenterSquaresOp>(user)) {
        squares.setBlock(block);
        squares.getResult().setType(type);
      }
    readers.insert(reader);
  }
}

llvm::SetVector<KernelOp> mp::cutMoments(KernelOp kernel) {
  llvm::SetVector<KernelOp> readers;
  const std::optional<ResultBlock> made = findResultBlock(kernel.getScheduleAttr());
  if (!made)
    return readers;
  const int64_t block = made->rows;
  for (auto op : kernel.getBody().front().getOps<RowBlockMomentsOp>()) {
    RankedTensorType input = typeOf(op.getInput());
    const int64_t columns = input.getShape().back(), rows = input.getNumElements() / columns;
    const RankedTensorType type = typeOf(op.getSums()).clone({countBlocks(rows, block), columns});
    op.setBlock(block);
    for (OpResult result : op->getResults())
      result.setType(type);
    for (auto [number, yielded] : llvm::enumerate(kernel.getBody().front().getTerminator()->getOperands()))
      if (yielded.getDefiningOp() == op)
        retypeMoments(kernel.getResult(number), type, block, readers);
  }
  return readers;
}

// Sums over rows

static std::optional<MadeByProduct> findSummedProduct(KernelOp kernel, ReduceSumOp op) {
  auto argument = dyn_cast<BlockArgument>(op.getInput());
  RankedTensorType input = typeOf(op.getInput());
  const bool isSumOfRows = input.getRank() == 2 && typeOf(op.getResult()).getRank() == 1 &&
                           op.getDimensions() == ArrayRef<int64_t>{0} && !input.getElementType().isF64();
  if (!argument || !isSumOfRows)
    return std::nullopt;
  std::optional<MadeByProduct> made = findProduct(outsideOf(kernel, argument));
  return made && made->sumsRows ? made : std::nullopt;
}

static KernelOp moveSums(KernelOp kernel) {
  // By number: a product of which several results are summed is made anew for each, with the results that it had.
  SmallVector<std::pair<ReduceSumOp, unsigned>> moved;
  for (auto op : kernel.getBody().front().getOps<ReduceSumOp>()) {
    std::optional<MadeByProduct> made = findSummedProduct(kernel, op);
    if (!made)
      continue;
    const int64_t block = made->blockM;
    RankedTensorType input = typeOf(op.getInput());
    auto type = RankedTensorType::get({countBlocks(input.getDimSize(0), block), input.getDimSize(1)},
                                      Float32Type::get(kernel.getContext()));
    Value sums = addResult(made->kernel, type, [&](RebuiltKernel &product, ValueRange yields) -> Value {
      return SumRowBlocksOp::create(product.b, op.getLoc(), type, yields[made->result], block);
    });
    moved.emplace_back(op, cast<OpResult>(sums).getResultNumber());
  }
  if (moved.empty())
    return kernel;

  RebuiltKernel rest(kernel, kernel->getResultTypes(), kernel.getKernelName());
  for (auto [op, number] : moved) {
    Value sums = findSummedProduct(kernel, op)->kernel->getResult(number);
    RankedTensorType type = typeOf(op.getResult());
    auto sumType = type.clone(typeOf(sums).getElementType());
    Value sum = ReduceSumOp::create(rest.b, op.getLoc(), sumType, rest.input(sums), ArrayRef<int64_t>{0});
    if (type != sumType)
      sum = CastOp::create(rest.b, op.getLoc(), type, sum);
    rest.inside.map(op.getResult(), sum);
  }
  return rest.replace(kernel);
}

// Checks

/// The arguments that `value` is computed of by maps and constants alone; none where something else is on the way.
static SmallVector<BlockArgument> findArguments(Value value) {
  SetVector<Value> reached;
  SmallVector<BlockArgument> arguments;
  reached.insert(value);
  for (size_t next = 0; next < reached.size(); ++next) {
    if (auto argument = dyn_cast<BlockArgument>(reached[next])) {
      arguments.push_back(argument);
      continue;
    }
    Operation *op = reached[next].getDefiningOp();
    const KernelRole role = roleOf(op);
    if (role != KernelRole::Map && role != KernelRole::Constant)
      return {};
    reached.insert(op->operand_begin(), op->operand_end());
  }
  return arguments;
}

/// Whether only first_bad reads a result of a kernel, whatever its size.
static bool isReadAsFlags(Value result) {
  return llvm::all_of(result.getUses(), [](OpOperand &use) {
    auto user = dyn_cast<KernelOp>(use.getOwner());
    return user && llvm::all_of(user.getBody().getArgument(use.getOperandNumber()).getUsers(),
                                [](Operation *reader) { return isa<FirstBadOp>(reader); });
  });
}

static std::optional<MovableCheck> findMovable(KernelOp kernel, unsigned result) {
  Value yielded = kernel.getBody().front().getTerminator()->getOperand(result);
  auto op = yielded.getDefiningOp<NonfiniteBlocksOp>();
  if (!op || !op->hasOneUse() || !isReadAsFlags(kernel.getResult(result)))
    return std::nullopt;
  std::optional<BlockArgument> read;
  KernelOp product;
  const SmallVector<BlockArgument> arguments = findArguments(op.getInput());
  for (BlockArgument argument : arguments)
    if (auto made = findProduct(outsideOf(kernel, argument));
        made && typeOf(argument).getShape() == typeOf(op.getInput()).getShape()) {
      read = argument;
      product = made->kernel;
    }
  auto isThere = [&](BlockArgument argument) {
    Operation *definition = outsideOf(kernel, argument).getDefiningOp();
    return argument == *read || !definition || definition->isBeforeInBlock(product);
  };
  if (!read || !llvm::all_of(arguments, isThere))
    return std::nullopt;
  return MovableCheck{op, *read};
}

static Value moveCheck(KernelOp kernel, MovableCheck check) {
  MadeByProduct made = *findProduct(outsideOf(kernel, check.read));
  const int64_t rows = made.blockM, columns = made.blockN;
  const Contraction shape = findContraction(made.kernel).getContraction();
  auto type = RankedTensorType::get({shape.countTiles(rows, columns)}, IntegerType::get(kernel.getContext(), 32));
  return addResult(made.kernel, type, [&](RebuiltKernel &product, ValueRange yields) -> Value {
    product.inside.map(check.read, yields[made.result]);
    Value checked = product.get(check.op.getInput());
    // Batches that are rows of one product share its tiles.
    RankedTensorType checkedType = typeOf(checked);
    const bool isMatrix = checkedType.getShape().take_back(2) == ArrayRef<int64_t>{shape.m, shape.n};
    if (checkedType.getRank() > 2 && shape.batch == 1)
      checked = ReshapeOp::create(product.b, check.op.getLoc(), checkedType.clone({shape.m, shape.n}), checked);
    else if (!isMatrix)
      checked =
          ReshapeOp::create(product.b, check.op.getLoc(), checkedType.clone({shape.batch, shape.m, shape.n}), checked);
    return NonfiniteTilesOp::create(product.b, check.op.getLoc(), type, checked, rows, columns);
  });
}

static void readInstead(Value old, Value flags) {
  for (OpOperand &use : llvm::make_early_inc_range(old.getUses())) {
    auto user = cast<KernelOp>(use.getOwner());
    user.getBody().getArgument(use.getOperandNumber()).setType(flags.getType());
    use.set(flags);
  }
}

static KernelOp moveChecks(KernelOp kernel) {
  SmallVector<unsigned> kept;
  for (unsigned result = 0; result < kernel.getNumResults(); ++result) {
    if (std::optional<MovableCheck> check = findMovable(kernel, result))
      readInstead(kernel.getResult(result), moveCheck(kernel, *check));
    else
      kept.push_back(result);
  }
  if (kept.size() == kernel.getNumResults())
    return kernel;

  KernelOp left;
  if (!kept.empty()) {
    RebuiltKernel rest(kernel, llvm::map_to_vector(kept, [&](unsigned i) { return kernel.getResult(i).getType(); }),
                       kernel.getKernelName());
    SmallVector<Value> yields;
    for (unsigned result : kept)
      yields.push_back(rest.get(kernel.getBody().front().getTerminator()->getOperand(result)));
    rest.yield(yields);
    for (auto [result, value] : llvm::zip_equal(kept, rest.kernel.getResults()))
      kernel.getResult(result).replaceAllUsesWith(value);
    left = rest.kernel;
  }
  kernel.erase();
  return left;
}

KernelOp mp::moveToProducts(KernelOp kernel) {
  KernelOp left = moveSums(kernel);
  return moveChecks(left);
}
