// Rows that only fill up a batch do not count.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Transforms/Specialize/RowWeights.h"

#include "mlir/IR/Builders.h"
#include "mp/IR/MP.h"
#include "mp/IR/Program.h"

using namespace mlir;
using namespace mp;

static bool hasBatchedArgument(func::FuncOp program) {
  return llvm::any_of(llvm::seq(program.getNumArguments()),
                      [&](unsigned i) { return bool(program.getArgAttr(i, names::batched)); });
}

/// Among them the function itself, where it is made for one batch.
static SmallVector<Operation *> opsCombiningRows(func::FuncOp program) {
  SmallVector<Operation *> found;
  program.walk([&](Operation *op) {
    if (op->hasAttr(names::combinesRows))
      found.push_back(op);
  });
  return found;
}

/// Brings one weight per row into the form that an op takes, [64] -> [64x10] with each row's weight repeated.
static Value expandTo(OpBuilder &builder, Location loc, Value weights, RankedTensorType type) {
  auto current = cast<RankedTensorType>(weights.getType());
  if (current.getElementType() != type.getElementType())
    weights = CastOp::create(builder, loc, current.clone(type.getElementType()), weights, /*autocast=*/false);
  if (type.getRank() <= 1)
    return weights;
  SmallVector<int64_t> column(type.getRank(), 1);
  column.front() = type.getDimSize(0);
  weights = ReshapeOp::create(builder, loc, type.clone(column), weights);
  return BroadcastOp::create(builder, loc, type, weights, /*like=*/Value());
}

/// The type of the weights that an op takes for the batch's rows, or nothing, where `emitsError` with the reason.
static RankedTensorType weightsTypeOf(Operation *op, int64_t rows, bool emitsError) {
  auto weighted = dyn_cast<RowWeightsOpInterface>(op);
  RankedTensorType type = weighted ? weighted.getRowWeightsType() : RankedTensorType();
  const bool isInside = weighted && (!type || op->hasAttr(names::rowsInside));
  if (type && !isInside && type.getRank() > 0 && type.getDimSize(0) == rows)
    return type;
  if (!emitsError)
    return {};
  if (!weighted)
    op->emitOpError("combines rows of the batch and takes no weights for them, so that a batch cannot be padded");
  else if (isInside)
    op->emitOpError("combines rows of the batch along a dimension that is not the first, where it takes no weights "
                    "for them, so that a batch cannot be padded; transpose its operand");
  else
    op->emitOpError("takes weights of type ")
        << type << ", which are not one for each of the batch's " << rows << " rows";
  return {};
}

static LogicalResult weigh(Operation *op, Value rowWeights) {
  RankedTensorType type =
      weightsTypeOf(op, cast<RankedTensorType>(rowWeights.getType()).getDimSize(0), /*emitsError=*/true);
  if (!type)
    return failure();
  auto weighted = cast<RowWeightsOpInterface>(op);
  OpBuilder builder(op);
  Value weights = expandTo(builder, op->getLoc(), rowWeights, type);
  if (Value own = weighted.getRowWeights())
    weights = MulOp::create(builder, op->getLoc(), own, weights);
  weighted.setRowWeights(weights);
  return success();
}

LogicalResult mp::addRowWeights(func::FuncOp program) {
  auto batch = program->getAttrOfType<IntegerAttr>(names::batch);
  if (!batch)
    return program.emitError("row weights need a batch size; run mp-specialize first");
  if (findRowWeights(program) || !hasBatchedArgument(program))
    return success();
  if (program->hasAttr(names::combinesRows))
    return program.emitError("is made for batches of ")
           << batch.getInt() << " rows that depend on each other, so that a batch cannot be padded";
  auto type = RankedTensorType::get({batch.getInt()}, Float32Type::get(program.getContext()));
  BlockArgument rowWeights = addArgument(program, type, ArgumentRole::RowWeights, "row_weights", {}, program.getLoc());
  program.setArgAttr(rowWeights.getArgNumber(), names::batched, UnitAttr::get(program.getContext()));
  for (Operation *op : opsCombiningRows(program))
    if (failed(weigh(op, rowWeights)))
      return failure();
  return success();
}

bool mp::combinesRows(func::FuncOp program) { return !opsCombiningRows(program).empty(); }

bool mp::canWeighRows(func::FuncOp program) {
  auto batch = program->getAttrOfType<IntegerAttr>(names::batch);
  return batch && llvm::all_of(opsCombiningRows(program), [&](Operation *op) {
           return bool(weightsTypeOf(op, batch.getInt(), /*emitsError=*/false));
         });
}
