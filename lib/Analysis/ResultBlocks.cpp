// The blocks in which a product's result is made, and what its kernel makes of each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Analysis/ResultBlocks.h"

#include "mp/Analysis/Pooled.h"
#include "mp/Analysis/ProductRows.h"
#include "mp/IR/ProductTiles.h"
#include "mp/IR/Tiles.h"

#include "llvm/ADT/DenseSet.h"

#include <algorithm>

using namespace mlir;
using namespace mp;

std::optional<ResultBlock> mp::findResultBlock(Attribute schedule) {
  if (auto ofGPU = dyn_cast_or_null<MmaScheduleAttr>(schedule))
    return ResultBlock{ofGPU.getBlockM(), ofGPU.getBlockN()};
  auto ofCPU = dyn_cast_or_null<ContractionScheduleAttr>(schedule);
  if (!ofCPU)
    return std::nullopt;
  if (ofCPU.getTransposed())
    return ResultBlock{ofCPU.getBlockN(), ofCPU.getBlockM(), true};
  return ResultBlock{ofCPU.getBlockM(), ofCPU.getBlockN()};
}

static LogicalResult verifyPooling(KernelOp kernel, const Contraction &product, const Pooled &pooled) {
  PoolingOpInterface op = pooled.op;
  if (auto ofGPU = dyn_cast<MmaScheduleAttr>(kernel.getScheduleAttr());
      ofGPU && !mayPoolInBlocks(product, ofGPU, pooled))
    return op.emitOpError("pools a product whose rows do not lie by its windows in a warp");
  if (auto ofCPU = dyn_cast<ContractionScheduleAttr>(kernel.getScheduleAttr());
      ofCPU && !mayPoolInBlocks(product, ofCPU, pooled))
    return op.emitOpError("pools a product that is made in blocks of ")
           << ofCPU.getBlockM() << " x " << ofCPU.getBlockN() << ", which do not have its windows whole";
  return success();
}

/// Whether both sizes cut `all` into the same blocks.
static bool cutAlike(int64_t size, int64_t other, int64_t all) { return std::min(size, all) == std::min(other, all); }

static LogicalResult verifyTiles(Operation &op, const Contraction &product, const ResultBlock &block) {
  auto reduction = dyn_cast<TileReductionInterface>(op);
  if (!reduction)
    return op.emitOpError("reduces tiles of a product and does not say which");
  const ResultTile tile = reduction.getTile();
  const bool isOfRows = !tile.columns;
  if (isOfRows ? !areRowsOfOneMatrix(product) : product.parts > 1 || product.sharesRows || !product.classes.empty())
    return op.emitOpError("reduces tiles of a product in ")
           << product.parts << " parts, " << product.batch << " batches and " << product.classes.size()
           << " classes of rows, whose blocks are not those of its result";
  if ((isOfRows && block.isTransposed) || !cutAlike(tile.rows, block.rows, product.m) ||
      (tile.columns && !cutAlike(*tile.columns, block.columns, product.n)))
    return op.emitOpError("reduces tiles of ")
           << tile.rows << (isOfRows ? " rows" : " x " + std::to_string(*tile.columns))
           << ", its product is made in blocks of " << block.rows << " x " << block.columns
           << (block.isTransposed ? ", its operands in each other's place" : "");
  // Each block stores what it has of the product's own matrices: in others rows would be others.
  const RankedTensorType reduced = typeOf(op.getOperand(0));
  const ArrayRef<int64_t> shape = reduced.getShape();
  const bool isOwn = shape.back() == product.n && (isOfRows || shape.drop_back().back() == product.m) &&
                     reduced.getNumElements() == product.batch * product.m * product.n;
  if (!isOwn)
    return op.emitOpError("reduces tiles of ")
           << reduced << ", its product makes " << product.batch << " x " << product.m << " x " << product.n;
  return success();
}

/// Whether an op reduces what a block has made of the product, and stores what it has found: blocks hold nothing else
/// of a tile, and know of no other block's.
static LogicalResult verifyPlace(Operation &op, const DenseSet<Value> &ofProduct) {
  if (!ofProduct.contains(op.getOperand(0)))
    return op.emitOpError("reduces tiles of what the product does not make; it may stand behind the product, of what "
                          "is made of its result");
  for (Operation *user : op.getUsers())
    if (!user->hasTrait<mlir::OpTrait::IsTerminator>()) {
      InFlightDiagnostic error =
          op.emitOpError("reduces tiles of a product for another op of the kernel; its results may only be yielded");
      error.attachNote(user->getLoc()) << "read here";
      return error;
    }
  return success();
}

LogicalResult mp::verifyResultBlocks(KernelOp kernel) {
  const std::optional<ResultBlock> block = findResultBlock(kernel.getScheduleAttr());
  Block &body = kernel.getBody().front();
  auto products = body.getOps<ContractionOpInterface>();
  if (!block || products.empty())
    return success();
  const Contraction product = (*products.begin()).getContraction();
  const std::optional<Pooled> pooled = findPooledWithin(kernel);
  if (pooled && failed(verifyPooling(kernel, product, *pooled)))
    return failure();
  // A GPU pools rows by window, which are other rows than those of the result.
  const bool isInOrder = !pooled || !isa<MmaScheduleAttr>(kernel.getScheduleAttr());
  DenseSet<Value> ofProduct;
  for (Operation &op : body.without_terminator()) {
    if (&op == *products.begin() ||
        llvm::any_of(op.getOperands(), [&](Value value) { return ofProduct.contains(value); }))
      ofProduct.insert(op.result_begin(), op.result_end());
    auto own = dyn_cast<KernelOpInterface>(op);
    if (!own || own.getKernelRole() != KernelRole::Tile)
      continue;
    if (!isInOrder)
      return op.emitOpError("reduces tiles of a product whose rows lie by window, to be pooled");
    if (failed(verifyPlace(op, ofProduct)) || failed(verifyTiles(op, product, *block)))
      return failure();
  }
  return success();
}
