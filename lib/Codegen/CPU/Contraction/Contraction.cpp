// A packed matrix product.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One block of the grid computes block_m x block_n elements of one batch, of one part of k. For each chunk of block_k
// it packs both operands into scratch memory, prologue applied, as panels that tiles read from end to end, and adds the
// chunk's products to its sums, tile by tile in vector registers. Sums stay in the accumulator's type between chunks
// and every element adds its products in the order of k: no block size changes a bit.
//
//   packed lhs   a panel for each tile_m rows
//   packed rhs   a panel for each tile_n columns
//   sums         [columns / tile_n][rows / tile_m][tile_m][tile_n]
//
// An operand that comes packed is read where it lies; so is a streamed rhs, whose words tiles ask for, and so are rows
// of lhs in memory that are multiplied as they are: the last tile then begins early enough to have whole rows, and
// stores those that are its own. Of an lhs of images they read the pixels of a block, which it copies once (Pixels.h),
// or panels that it packs from these (PixelStretches.h).
// Of an rhs whose k are pixels they read those of a chunk, for pairs with the pixel behind each; tile registers have
// panels of them (PixelPanels.h, DepthStretches.h).
//
// A transposed product has the operands of the other in each other's place, and a tile of its result is stored with
// rows as columns. Where vectors lie along pixels, a block copies those with channels apart (PixelColumns.h).
//
// A product in classes is one of the kind for each: their blocks follow one another, and each has its rows of the
// result.
//
// Tiles at other edges are computed whole, over zeros, and stored in part (FinishedTiles.h).
//
// Where the kernel pools what the product makes, a block stores that in scratch memory and pools it when all of it is
// there (PooledBlock.h).

#include "Codegen/CPU/Contraction/Blocks.h"
#include "Codegen/CPU/Contraction/DepthStretches.h"
#include "Codegen/CPU/Contraction/FinishedTiles.h"
#include "Codegen/CPU/Contraction/PixelColumns.h"
#include "Codegen/CPU/Contraction/PixelPanels.h"
#include "Codegen/CPU/Contraction/PixelStretches.h"
#include "Codegen/CPU/Contraction/Pixels.h"
#include "Codegen/CPU/Contraction/PooledBlock.h"
#include "Codegen/CPU/Contraction/ScheduledPixels.h"
#include "Codegen/CPU/Contraction/TileProduct.h"
#include "mp/Analysis/CostModel.h"
#include "mp/Analysis/RegisterTiles.h"
#include "mp/Analysis/ResultBlocks.h"
#include "mp/IR/TileRegisters.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <numeric>

using namespace mlir;
using namespace mp;

namespace {

/// How an operand comes to its panels: packed by the block, or by another kernel before; or that tiles read its rows.
struct PanelSource {
  PanelSource(Type word, PanelsAttr wanted, int64_t blockRows)
      : wanted(wanted), order(word, wanted), blockRows(blockRows) {}

  PanelsAttr wanted; ///< as the schedule's tile reads them
  PanelOrder order;
  int64_t blockRows;
  std::optional<Packing> packing;     ///< where the block packs it
  std::optional<PackedMatrix> packed; ///< where it comes packed
  Type inMemory;                      ///< of its elements, where it has no panels
  Value panels;                       ///< the block's own, or all of them
};

class ContractionEmitter {
public:
  /// `place` says where rows are in the result; there is none where they are in their order.
  ContractionEmitter(CPUFunction &f, const Product &product, ContractionScheduleAttr schedule, const IndexMap *place)
      : f(f), b(f.b), s(product, schedule), values(f.b), acc(registerType(product.acc)),
        width(std::min(schedule.getVector() * 32 / acc.getIntOrFloatBitWidth(), s.tileN)),
        tiles(f, values, product, s, acc, width, place), tileProduct(makeTile(schedule)),
        lhs(tileProduct->word(), lhsPanels(s, schedule), s.blockM),
        rhs(tileProduct->word(), rhsPanels(schedule), s.blockN), streamsRhs(schedule.getStreamRhs()),
        readsLhs(readsMatrix(product, schedule)), isAmx(schedule.getInstruction() == TileInstruction::Amx),
        isOfClass(place != nullptr) {
    if (std::optional<PixelRows> rows = pixelsOf(product, schedule)) {
      pixels.emplace(f, values, s.lhs, s.lhsMap, *rows, s.blockM, tileProduct->word(), width);
      if (isAmx)
        pixels->tabulate(kTileDepth);
    }
    if (std::optional<PixelRows> rows = pixelsOfDepthOf(product, schedule))
      pixelsOfDepth.emplace(f, values, product.rhs, mp::pixelsOfDepth(product.rhsMap), *rows, schedule.getBlockK(),
                            tileProduct->word(), width);
    if (std::optional<TapPanels> panels = tapPanelsOf(product, schedule))
      pixelPanels.emplace(f, values, product.rhs, mapOfTapPanels(product, *panels), *panels, s.blockK,
                          std::min(s.columnRun, panels->columns), tileProduct->word(), width);
    if (std::optional<Pooled> found = findPooledWithin(f.kernel))
      pooled.emplace(f, *found, s.blockM, schedule.getVector());
    if (std::optional<PixelRows> rows = pixelColumnsOf(product, product.lhsMap, schedule))
      pixelColumns.emplace(f, values, product.lhs, product.lhsMap, *rows, s.blockN, tileProduct->word(), width);
    if (isAmx)
      tiles.storeLines();
    if (!s.bias) // nothing comes between
      tiles.epilogue().roundSumsBy([this](Value sums) {
        return tileProduct->roundSums(b, sums, cast<RankedTensorType>(s.result.getType()).getElementType());
      });
    s.blockK = lhs.order.depth;
    lhs.order.granule = rhs.order.granule = depthGranule(schedule);
    // Where rows are outside, those of one tile at a time.
    if (std::optional<PixelRows> rows = pixelStretchesOf(product, schedule))
      pixelStretches.emplace(f, values, s.lhs, withJoinedPixels(s.lhsMap), *rows, s.blockM,
                             mayHaveRowsOutside() ? s.tileM : s.blockM, s.k, lhs.order, width);
    if (std::optional<PixelRows> rows = pixelStretchesOfDepthOf(product, schedule))
      depthStretches.emplace(f, values, s.rhs, mp::pixelsOfDepth(s.rhsMap), *rows, s.blockK, s.n, rhs.order, width);
  }

  int64_t grid() const { return s.grid(); }
  /// Sets memory aside.
  LogicalResult prepare();
  LogicalResult emit(Value block);

private:
  std::unique_ptr<TileProduct> makeTile(ContractionScheduleAttr schedule) {
    const TileShape shape{acc, s.tileM, s.tileN, width};
    const bool isDepthInner = s.lhsMap.isAlongDepth();
    switch (schedule.getInstruction()) {
    case TileInstruction::Fma:
      return makeFmaTile(f, shape, isDepthInner);
    case TileInstruction::Dot:
      return makeDotTile(f, shape, isDepthInner);
    case TileInstruction::Amx:
      return makeAmxTile(f, shape, packedElement(s, schedule), schedule);
    }
    llvm_unreachable("unknown instruction");
  }
  void chooseStores();
  /// Whether tiles read pixels that the block keeps of the operand.
  bool readsPixels(const PanelSource &source) const {
    const bool isOfDepth = pixelsOfDepth && &source == (s.isTransposed ? &lhs : &rhs);
    return isOfDepth || (pixels && &source == &lhs) || ((pixelColumns || pixelPanels) && &source == &rhs);
  }
  LogicalResult findSource(PanelSource &source, Value operand, const IndexMap &map, int64_t size);
  FailureOr<Value> panelsOf(PanelSource &source, Value first, Value count, Value from, Value to);
  LogicalResult emitChunk(Value from);
  LogicalResult emitTile(Value row, Value column, Value from, Value to);
  LogicalResult multiplyTile(Value lhsPanel, Value tile, Value row, Value column, Value from, Value to);
  Value rowsBefore(Value row);
  bool mayHaveRowsOutside() const { return isAmx && tiles.mayHaveRowsOutside(); }
  bool rowsAreOutside() const;

  CPUFunction &f;
  LaneBuilder &b;
  Sizing s;
  Elements values;
  Type acc; ///< of sums: f32 for f16, too
  int64_t width;
  FinishedTiles tiles;
  std::unique_ptr<TileProduct> tileProduct;
  PanelSource lhs, rhs;
  const bool streamsRhs, readsLhs, isAmx, isOfClass;
  std::optional<Pixels> pixels;
  std::optional<PixelStretches> pixelStretches;
  std::optional<DepthStretches> depthStretches;
  std::optional<PixelWords> pixelsOfDepth;
  std::optional<PixelColumns> pixelColumns;
  std::optional<PixelPanels> pixelPanels;
  std::optional<PooledBlock> pooled;
  bool storesPastCaches = false;
  BlockPlace at;
  Value batch, firstK, endK;  // of the running block
  Value packedLhs, packedRhs; // panels of the running chunk
  Value sums;
};

} // namespace

LogicalResult ContractionEmitter::prepare() {
  f.bindInputs(values);
  chooseStores();
  if (failed(findSource(lhs, s.lhs, s.lhsMap, s.m)) || failed(findSource(rhs, s.rhs, s.rhsMap, s.n)))
    return failure();
  sums = f.allocate(acc, s.isChunked() ? s.blockM * s.blockN : s.tileM * s.tileN);
  return tiles.prepare();
}

LogicalResult ContractionEmitter::emit(Value block) {
  if (failed(values.prepare(s.op->getOperands())))
    return failure();
  if (s.grid() == 0)
    return success();
  at = BlockPlace(f, s, block);
  batch = s.hasParts ? f.rem(at.outer, s.batch) : at.outer;
  firstK = values.zero, endK = f.i64(s.k);
  if (s.hasParts) {
    firstK = f.mul(f.div(at.outer, s.batch), s.depth);
    endK = f.min(f.add(firstK, f.i64(s.depth)), endK);
  }

  Value image = pooled ? pooled->begin(at.firstRow) : Value();
  if (pooled)
    tiles.epilogue().keep(pooled->image(), image, pooled->results());
  if (failed(tiles.begin(at)) || (pixels && failed(pixels->emit(at.firstRow))) ||
      (pixelStretches && failed(pixelStretches->emit(at.firstRow))) ||
      (pixelColumns && failed(pixelColumns->emit(at.firstColumn))))
    return failure();
  // One chunk needs no loop, nor does a product over no k, which is a chunk of nothing.
  const LogicalResult chunks = s.isChunked()
                                   ? f.forEach(firstK, endK, s.blockK, [&](Value from) { return emitChunk(from); })
                                   : emitChunk(firstK);
  if (succeeded(chunks) && pooled && failed(pooled->emit(image, at.firstRow, at.rows)))
    return failure();
  if (storesPastCaches) // what waits for the block may read them then
    f.finishStoresPastCaches();
  if (succeeded(chunks))
    tiles.end();
  return chunks;
}

/// What is stored of a result that no cache keeps would be read into them first. Tiles must store whole lines of it,
/// one after the other: a part of one that is stored later is a write of its own. At once they store a register at
/// most.
void ContractionEmitter::chooseStores() {
  constexpr int64_t kLineBytes = 64;
  auto fillsLines = [&](Type type) {
    const int64_t bytes = memoryBytes(cast<RankedTensorType>(type).getElementType());
    const int64_t atOnce = width * (isAmx ? memoryBytes(acc) : bytes);
    const bool isRegister = llvm::isPowerOf2_64(atOnce) && atOnce * 8 <= f.target.vectorBits;
    // Those of a group lie between those of others, and those of a class between pixels of others.
    const bool areRowsTogether = s.n <= s.tileN && s.n % width == 0 && !s.sharesRows && !isOfClass;
    return isRegister && !s.isTransposed && (areRowsTogether || std::gcd(s.n, s.tileN) * bytes % kLineBytes == 0);
  };
  for (auto [number, yield] : llvm::enumerate(f.yields()))
    if (countBytes(yield.getType()) >= kLeastPastCaches && fillsLines(yield.getType())) {
      values.storePastCaches(f.result(number));
      storesPastCaches = true;
    }
}

/// Says where the panels of an operand of `size` rows come from.
LogicalResult ContractionEmitter::findSource(PanelSource &source, Value operand, const IndexMap &map, int64_t size) {
  if (auto unpack = operand.getDefiningOp<UnpackOp>()) {
    source.packed = unpack.getMatrix();
    const int64_t batches = map.batch.empty() ? 1 : s.batch;
    if (s.hasParts)
      return unpack.emitOpError("is read by a product in parts of k, whose chunks are not those of its panels");
    if (unpack.getPanels() != source.wanted || source.packed->rows != size || source.packed->k != s.k ||
        source.packed->batch != batches || unpack.getTransposed() == map.isAlongDepth() ||
        (unpack.getFilters() && unpack.getMap() != map))
      return unpack.emitOpError("has panels that the schedule of its kernel does not read: it reads ") << source.wanted;
    source.panels = f.input(cast<BlockArgument>(unpack.getInput()).getArgNumber());
    return success();
  }
  if (readsPixels(source) || (pixelStretches && &source == &lhs) || (depthStretches && &source == &rhs))
    return success();
  if (&source == &lhs && readsLhs) {
    source.inMemory = s.element;
    source.panels = f.input(cast<BlockArgument>(operand).getArgNumber());
    return success();
  }
  if (!streamsRhs || &source != &rhs)
    source.panels = f.allocate(source.order.word, source.blockRows / source.order.rows * source.order.wordsOfPanel());
  source.packing.emplace(f, values, operand, map, size, s.k, source.order, width);
  return success();
}

/// The panels of k in [from, to) of `count` rows from `first`.
FailureOr<Value> ContractionEmitter::panelsOf(PanelSource &source, Value first, Value count, Value from, Value to) {
  if (readsPixels(source) || (&source == &rhs && streamsRhs))
    return Value();
  if (pixelStretches && &source == &lhs)
    return pixelStretches->panels();
  if (depthStretches && &source == &rhs)
    return failed(depthStretches->emit(from)) ? FailureOr<Value>(failure()) : depthStretches->panels();
  if (source.packing)
    return failed(source.packing->emit(source.panels, {batch, first, count, from, to})) ? FailureOr<Value>(failure())
                                                                                        : source.panels;
  if (source.inMemory) {
    Value row = s.lhsMap.batch.empty() ? first : f.add(f.mul(batch, s.m), first);
    return f.offset(source.panels, source.inMemory, f.add(f.mul(row, s.k), from));
  }
  const PackedMatrix &packed = *source.packed;
  Value number = packed.batch == 1 ? values.zero : batch;
  Value chunk = f.add(f.mul(number, packed.chunks()), f.div(from, s.blockK));
  Value panel = f.add(f.mul(chunk, packed.panels()), f.div(first, source.order.rows));
  return f.offset(source.panels, source.order.word, f.mul(panel, source.order.wordsOfPanel()));
}

LogicalResult ContractionEmitter::emitChunk(Value from) {
  Value to = f.min(f.add(from, f.i64(s.blockK)), endK);
  FailureOr<Value> ofLhs = panelsOf(lhs, at.firstRow, at.rows, from, to),
                   ofRhs = panelsOf(rhs, at.firstColumn, at.columns, from, to);
  if (failed(ofLhs) || failed(ofRhs))
    return failure();
  if ((pixelsOfDepth && failed(pixelsOfDepth->emit(from))) ||
      (pixelPanels && failed(pixelPanels->emit(at.firstColumn, from, to))))
    return failure();
  packedLhs = *ofLhs;
  packedRhs = *ofRhs;
  auto tile = [&](Value row, Value column) { return emitTile(row, column, from, to); };
  if (rowsAreOutside())
    return f.forEach(values.zero, at.rows, s.tileM, [&](Value row) {
      if (pixelStretches && failed(pixelStretches->pack(row)))
        return LogicalResult(failure());
      return f.forEach(values.zero, at.columns, s.tileN, [&](Value column) { return tile(row, column); });
    });
  if (pixelStretches && failed(pixelStretches->pack(values.zero)))
    return failure();
  // A panel of rhs is read for all panels of lhs, and stays in the first cache where it fits.
  return f.forEach(values.zero, at.columns, s.tileN, [&](Value column) {
    return f.forEach(values.zero, at.rows, s.tileM, [&](Value row) { return tile(row, column); });
  });
}

/// Whether the rows of a tile stay in the first cache while rhs passes by: panels of pixels lie in one piece, and rows
/// of lhs apart; where rows in memory are all of k, the result is stored row after row; stretches are packed there.
bool ContractionEmitter::rowsAreOutside() const {
  return mayHaveRowsOutside() && (pixelPanels || pixelStretches || (lhs.inMemory && !s.isChunked()));
}

/// How many rows before `row` a tile begins that is to have whole ones in memory.
Value ContractionEmitter::rowsBefore(Value row) {
  if (!lhs.inMemory || s.m % s.tileM == 0)
    return values.zero;
  return f.max(f.sub(f.add(f.add(at.firstRow, row), f.i64(s.tileM)), f.i64(s.m)), values.zero);
}

LogicalResult ContractionEmitter::emitTile(Value row, Value column, Value from, Value to) {
  Value early = rowsBefore(row);
  const bool isPackedHere = pixelStretches && rowsAreOutside();
  Value lhsPanel = readsPixels(lhs) ? Value()
                   : isPackedHere   ? packedLhs
                   : lhs.inMemory   ? f.offset(packedLhs, lhs.inMemory, f.mul(f.sub(row, early), s.k))
                                    : f.offset(packedLhs, lhs.order.word, f.mul(row, lhs.order.wordsOfRow()));
  Value tile = sums;
  if (s.isChunked())
    tile = f.offset(sums, acc, f.add(f.mul(column, s.blockM), f.mul(row, s.tileN)));
  Value isLast = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, to, endK);
  if (!s.isChunked() && !storesPastCaches)
    tiles.prefetchResult(row, column);
  if (!s.isChunked())
    tiles.prefetchAddends(row, column);
  else if (tiles.hasAddends())
    (void)f.when(isLast, [&] {
      tiles.prefetchAddends(row, column);
      return success();
    });
  if (failed(multiplyTile(lhsPanel, tile, row, column, from, to)))
    return failure();
  if (!s.isChunked())
    return tiles.finish(tile, row, early, column);
  return f.when(isLast, [&] { return tiles.finish(tile, row, early, column); });
}

/// Adds the products of k in [from, to) to the sums of a tile.
LogicalResult ContractionEmitter::multiplyTile(Value lhsPanel, Value tile, Value row, Value column, Value from,
                                               Value to) {
  TileSums sumsOfTile = {tile, {}};
  if (s.isChunked())
    sumsOfTile.isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, from, firstK);
  Value panel = packedRhs ? f.offset(packedRhs, rhs.order.word, f.mul(column, rhs.order.wordsOfRow())) : Value();
  if (pixels) {
    const Pixels::Depth own = pixels->depthOf(f.add(at.firstRow, row), s.tileM, from, to);
    if (panel)
      panel = f.offset(panel, rhs.order.word, f.mul(f.div(f.sub(own.from, from), rhs.order.unit), s.tileN));
    from = own.from, to = own.to;
  }
  auto wordsOfRhs = [&](Value unit, int64_t vector) -> FailureOr<Value> {
    if (readsPixels(rhs))
      return pixelColumns ? pixelColumns->wordsAt(unit, vector) : pixelsOfDepth->wordsAt(unit, vector);
    if (!streamsRhs) {
      Value words = f.offset(panel, rhs.order.word, f.add(f.mul(unit, s.tileN), f.i64(vector * width)));
      return Value(
          LLVM::LoadOp::create(b, withLanes(rhs.order.word, width), words, rhs.order.word.getIntOrFloatBitWidth() / 8));
    }
    Elements::Scope scope(values);
    Value first = f.add(f.add(at.firstColumn, column), f.i64(vector * width));
    return rhs.packing->wordsAt(batch, first, f.add(from, f.mul(unit, rhs.order.unit)), width);
  };
  Value depth = f.sub(to, from);
  TileOperands operands = {lhsPanel,   panel, depth, lhs.inMemory ? s.k : s.blockK, {}, {}, {}, 1, {}, 0,
                           wordsOfRhs, 0,     {}};
  SmallVector<PixelPanels::Register> registers;
  if (pixelPanels) {
    // Those behind the last column are computed of others, and stored nowhere.
    for (int64_t first = 0; first < s.tileN; first += width)
      registers.push_back(pixelPanels->find(f.min(f.add(at.columnAt(f, column), f.i64(first)), f.i64(s.n - width))));
    operands.rhsStep = pixelPanels->step();
    operands.rhsRegisters = [&](Value k) { return pixelPanels->at(registers, k); };
  }
  if (pixelsOfDepth) {
    operands.unitsOfRow = pixelsOfDepth->unitsOfRow();
    operands.beginRow = [&](Value unit) {
      return s.isTransposed ? pixelsOfDepth->beginRow(unit, f.add(at.firstRow, row), s.tileM, s.m)
                            : pixelsOfDepth->beginRow(unit, f.add(at.firstColumn, column), s.tileN, s.n);
    };
    if (s.isTransposed)
      operands.lhsAt = [&](Value k) { return pixelsOfDepth->firstAt(k); };
  }
  if (pixelColumns) {
    operands.unitsOfRow = pixelColumns->unitsOfTap();
    operands.beginRow = [&](Value unit) {
      pixelColumns->beginTap(unit, f.add(from, f.mul(unit, rhs.order.unit)), column, s.tileN / width);
      return f.i64(operands.unitsOfRow);
    };
  }
  if (pixels) {
    operands.lhsDepth = pixels->step();
    operands.together = std::gcd(pixels->neighbours(), s.blockK);
    operands.lhsRow = [&](int64_t index) { return pixels->at(f.add(row, f.i64(index))); };
    operands.lhsAlongDepth = [&](Value k) { return pixels->alongDepth(f.add(from, k)); };
  }
  return tileProduct->multiply(operands, sumsOfTile);
}

/// Class after class, in the same scratch memory: a block is of one.
static FailureOr<int64_t> emitClasses(CPUFunction &f, const Product &product, ContractionScheduleAttr schedule) {
  const int64_t before = f.scratchBytes;
  int64_t most = before, grid = 0;
  for (const Contraction::Class &own : product.classes) {
    const Product part = product.of(own);
    f.scratchBytes = before;
    ContractionEmitter emitter(f, part, schedule, &own.rows);
    if (failed(emitter.prepare()) ||
        failed(f.forBlocks(grid, emitter.grid(), /*isAll=*/false, [&](Value block) { return emitter.emit(block); })))
      return failure();
    grid += emitter.grid();
    most = std::max(most, f.scratchBytes);
  }
  f.scratchBytes = most;
  return grid;
}

FailureOr<int64_t> mp::emitContraction(CPUFunction &f, ContractionScheduleAttr schedule) {
  FailureOr<Product> product = findProduct(f);
  if (failed(product))
    return failure();
  // Instructions for 16 bits have sums in f32, and know no other types.
  const TileInstruction instruction = schedule.getInstruction();
  const int64_t products = schedule.getProducts();
  const bool isF16 = product->element.isF16() && instruction == TileInstruction::Amx;
  const bool hasParts = product->element.isF32() || (isF16 && products == 3);
  if (instruction != TileInstruction::Fma &&
      !(product->acc.isF32() && (products > 1 ? hasParts : isF16 || product->element.isBF16())))
    return product->op->emitOpError("multiplies ")
           << product->element << " with sums in " << product->acc << ", which "
           << stringifyTileInstruction(instruction)
           << (products > 1 ? " does not in " + std::to_string(products) + " products of parts" : " does not");
  if (failed(verifyReads(*product, schedule)))
    return failure();
  if (failed(verifyResultBlocks(f.kernel)))
    return failure();
  if (const int64_t granule = depthGranule(schedule); product->parts > 1 && product->depth % granule != 0)
    return product->op->emitOpError("has parts of ")
           << product->depth << " of k, which the instruction takes by " << granule;
  if (product->classes.empty()) {
    ContractionEmitter emitter(f, *product, schedule, nullptr);
    if (failed(emitter.prepare()) || failed(emitter.emit(f.block)))
      return failure();
    return emitter.grid();
  }
  return emitClasses(f, *product, schedule);
}
