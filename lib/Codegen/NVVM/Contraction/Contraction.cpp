// A matrix product on a GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One block of the grid computes block_m x block_n elements of one part and batch. Tiles of both operands pass through
// a ring of stages in shared memory. While the warps multiply the tiles of step t, those of step t + stages - 1 are on
// their way into the stage that step t - 1 has left:
//
//   before        start the tiles of steps 0 to stages - 2; wait for the first
//   step t        read the fragments of the second k, start the tiles of t + stages - 1
//                 multiply the fragments of each k, while those of the next are read
//                 before the last: finish what was started, wait for the tiles of t + 1, meet at a barrier; the last
//                 products run while the first fragments of t + 1 are read
//   after         the sums go through shared memory, so that lanes have neighbours of a row, and on to what follows;
//                 what is pooled goes back, and a lane has neighbours of a window (PooledTile.h)
//
// A tile moves by cp.async, or through registers: loaded where it is started, stored where it is finished. ptxas keeps
// what reads shared memory and what writes it in their order, so that the order here decides what runs beside
// multiplications: the tile of rhs starts beside those of a later k where a step has enough of them.

#include "Codegen/NVVM/Contraction/OperandCopy.h"
#include "Codegen/NVVM/Contraction/SumsEpilogue.h"
#include "Codegen/NVVM/Contraction/WarpProduct.h"
#include "mp/Analysis/ProductRows.h"
#include "mp/Analysis/ResultBlocks.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mp;

namespace {

class ContractionEmitter {
public:
  /// `place` says where rows are in the result; there is none where they are in their order. They lie by the windows of
  /// `pooled`, unless that is null.
  ContractionEmitter(GPUFunction &f, const Product &product, const MatrixTiles &tiles, const IndexMap *place,
                     const Pooled *pooled)
      : f(f), b(f.b), product(product), tiles(tiles), schedule(tiles.schedule), values(f.makeElements()),
        epilogue(f, values, product, tiles, place, pooled) {}

  int64_t grid() const { return product.parts * product.countTiles(schedule.getBlockM(), schedule.getBlockN()); }
  /// Emits what block `block` of the grid does, which is not empty.
  LogicalResult emit(Value block);

private:
  using Values = SmallVector<Value>;

  void locateBlock(Value block);
  LogicalResult emitSums(Values &sums);
  // Counters are i32, and a slot is its distance from the first in bytes: what a turn computes is one instruction then.
  Value i32(int64_t value) { return intConstant(b, b.getI32Type(), value); }
  Value slotOf(Value step) { return b.createOrFold<arith::MulIOp>(step, i32(tiles.stageBytes())); }
  Value wide(Value value) {
    return value.getType().isInteger(64) ? value : b.createOrFold<arith::ExtUIOp>(b.getI64Type(), value);
  }
  Value stageAt(Value slot) { return f.offset(position.ring, b.getI8Type(), wide(slot)); }
  Value kOf(Value step) { return f.add(firstK, f.mul(wide(step), schedule.getBlockK())); }
  Value rhsOf(Value stage) { return f.offset(stage, b.getI8Type(), tiles.lhs.bytes()); }
  Values loadFragments(Value slot, int64_t number) {
    Value stage = stageAt(slot);
    return warp->load(stage, rhsOf(stage), number);
  }
  Value nextSlot(Value slot);

  bool bothCopyAlways() const { return lhs->copiesAlways() && rhs->copiesAlways(); }
  /// Whether a block may have more steps than the stages that are filled before the loop.
  bool startsInLoop() const { return product.depth > (schedule.getStages() - 1) * schedule.getBlockK(); }
  /// Starts the tiles of step `t` where there is one; gives what finishing it needs. `counter` is the same number, of
  /// which LLVM may make addresses that are counted, too: fewer instructions where elements are loaded one by one.
  FailureOr<Values> start(Value slot, Value t, Value counter, ValueRange lookedUp = {});
  FailureOr<Values> startOne(bool isLhs, Value slot, Value t, Value counter, ValueRange lookedUp);
  /// What starting the tiles of step `t` looks up, the first part of which is to find out where.
  void expect(Value t);
  Values lookUp();
  void finish(Value slot, Value counter, ValueRange started);
  /// What follows from a comparison with the counter itself LLVM knows in the branch.
  Value isStep(Value counter) { return f.isBelow(counter, counter.getType().isInteger(64) ? wide(steps) : steps); }
  void commit();
  void waitForTile();
  LogicalResult copyFirstTiles();
  /// The step that is ahead while the last one is multiplied.
  Value lastAhead() { return f.add(steps, i32(schedule.getStages() - 2)); }
  FailureOr<Values> emitStep(Value counter, ValueRange carried);

  GPUFunction &f;
  LaneBuilder &b;
  const Product &product;
  const MatrixTiles &tiles;
  MmaScheduleAttr schedule;
  Elements values;
  SumsEpilogue epilogue;
  std::unique_ptr<OperandCopy> lhs, rhs;
  std::unique_ptr<WarpProduct> warp;
  TilePosition position;
  Value firstK, steps;
  size_t ofLhs = 0;   ///< values that lhs looks up of a step
  size_t ofKnown = 0; ///< that both look up
  bool isAsync = false;
};

} // namespace

/// Blocks that run at the same time compute a patch of the result rather than a row, so that they share more of what
/// they read.
static constexpr int64_t kPatchRows = 8;
/// Sums of a thread, four for a multiplication, so many that the multiplications of one k hide the copies of an
/// operand.
static constexpr size_t kLeastSums = 32;

void ContractionEmitter::locateBlock(Value block) {
  const int64_t blocksM = position.blocksM, blocksN = position.blocksN, grid = blocksM * blocksN;
  const bool isPatched = blocksM > kPatchRows && blocksN > 1;
  position.outer = product.parts * product.batch == 1 ? values.zero : f.div(block, grid);
  Value inGrid = product.parts * product.batch == 1 ? block : f.rem(block, grid);
  if (isPatched) {
    const int64_t patch = kPatchRows * blocksN;
    Value first = f.mul(f.div(inGrid, patch), kPatchRows), inPatch = f.rem(inGrid, patch);
    Value rows = f.min(f.sub(f.i64(blocksM), first), f.i64(kPatchRows));
    position.blockM = f.add(first, b.createOrFold<arith::RemUIOp>(inPatch, rows));
    position.blockN = b.createOrFold<arith::DivUIOp>(inPatch, rows);
  } else {
    position.blockM = f.rem(inGrid, blocksM);
    position.blockN = f.div(inGrid, blocksM);
  }
  position.firstRow = f.mul(position.blockM, schedule.getBlockM());
  position.firstColumn = f.mul(position.blockN, schedule.getBlockN());

  Value part = f.div(position.outer, product.batch), batch = f.rem(position.outer, product.batch);
  firstK = f.mul(part, product.depth);
  Value depth = f.min(f.sub(f.i64(product.k), firstK), f.i64(product.depth));
  steps = b.createOrFold<arith::TruncIOp>(b.getI32Type(),
                                          f.div(f.add(depth, f.i64(schedule.getBlockK() - 1)), schedule.getBlockK()));
  lhs->locate(batch, position.firstRow, firstK);
  rhs->locate(batch, position.firstColumn, firstK);
}

Value ContractionEmitter::nextSlot(Value slot) {
  Value next = f.add(slot, i32(tiles.stageBytes()));
  Value isEnd =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, next, i32(tiles.stageBytes() * schedule.getStages()));
  return arith::SelectOp::create(b, isEnd, i32(0), next);
}

void ContractionEmitter::commit() {
  if (isAsync)
    NVVM::CpAsyncCommitGroupOp::create(b);
}

/// All tiles but the newest stages - 2 have arrived, for every thread.
void ContractionEmitter::waitForTile() {
  if (isAsync)
    NVVM::CpAsyncWaitGroupOp::create(b, static_cast<uint32_t>(schedule.getStages() - 2));
  f.barrier();
}

void ContractionEmitter::expect(Value t) {
  lhs->expect(t);
  rhs->expect(t);
}

ContractionEmitter::Values ContractionEmitter::lookUp() {
  Values found = lhs->lookUp();
  ofLhs = found.size();
  llvm::append_range(found, rhs->lookUp());
  return found;
}

FailureOr<ContractionEmitter::Values> ContractionEmitter::startOne(bool isLhs, Value slot, Value t, Value counter,
                                                                   ValueRange lookedUp) {
  Value stage = stageAt(slot), k = kOf(counter);
  const Values known =
      lookedUp.empty() ? Values() : Values(isLhs ? lookedUp.take_front(ofLhs) : lookedUp.drop_front(ofLhs));
  return (isLhs ? *lhs : *rhs).start(isLhs ? stage : rhsOf(stage), {t, k, f.isBelow(t, steps), known});
}

FailureOr<ContractionEmitter::Values> ContractionEmitter::start(Value slot, Value t, Value counter,
                                                                ValueRange lookedUp) {
  auto startThese = [&](bool thatCopyAlways) -> FailureOr<Values> {
    Values started;
    for (bool isLhs : {true, false}) {
      if ((isLhs ? *lhs : *rhs).copiesAlways() != thatCopyAlways)
        continue;
      FailureOr<Values> own = startOne(isLhs, slot, t, thatCopyAlways ? t : counter, lookedUp);
      if (failed(own))
        return failure();
      started.append(*own);
    }
    return started;
  };
  FailureOr<Values> always = startThese(/*thatCopyAlways=*/true);
  if (failed(always) || bothCopyAlways())
    return always;
  Values nothing;
  for (const OperandCopy *copy : {lhs.get(), rhs.get()})
    if (!copy->copiesAlways())
      for (Type type : copy->startedTypes())
        nothing.push_back(arith::ConstantOp::create(b, cast<TypedAttr>(b.getZeroAttr(type))));
  FailureOr<Values> started = f.when(isStep(counter), nothing, [&] { return startThese(/*thatCopyAlways=*/false); });
  if (failed(started))
    return failure();
  // In the order of the operands.
  if (rhs->copiesAlways())
    std::swap(*started, *always);
  always->append(*started);
  return always;
}

void ContractionEmitter::finish(Value slot, Value counter, ValueRange started) {
  if (started.empty())
    return;
  const size_t ofLhs = lhs->startedTypes().size();
  auto finishThese = [&](bool thatCopyAlways) {
    Value stage = stageAt(slot), k = kOf(counter);
    if (lhs->copiesAlways() == thatCopyAlways)
      lhs->finish(stage, k, started.take_front(ofLhs));
    if (rhs->copiesAlways() == thatCopyAlways)
      rhs->finish(rhsOf(stage), k, started.drop_front(ofLhs));
    return success();
  };
  (void)finishThese(/*thatCopyAlways=*/true);
  if (!bothCopyAlways())
    (void)f.when(isStep(counter), [&] { return finishThese(/*thatCopyAlways=*/false); });
}

LogicalResult ContractionEmitter::copyFirstTiles() {
  auto copyTile = [&](Value step) -> LogicalResult {
    Elements::Scope scope(values);
    FailureOr<Values> started = start(slotOf(step), step, step);
    if (failed(started))
      return failure();
    finish(slotOf(step), step, *started);
    commit();
    return success();
  };
  // Where no branch is between them ptxas would load all tiles before it stores the first, and spill.
  const bool staysRolled = (lhs->copiesAlways() && !lhs->isAsync()) || (rhs->copiesAlways() && !rhs->isAsync());
  const int64_t tiles = schedule.getStages() - 1;
  if (staysRolled && tiles > 1) {
    auto copyOne = [&](Value step, ValueRange) -> FailureOr<Values> {
      return failed(copyTile(step)) ? FailureOr<Values>(failure()) : Values();
    };
    if (failed(f.forEach(i32(0), i32(tiles), 1, ValueRange(), copyOne, /*staysRolled=*/true)))
      return failure();
  } else {
    for (int64_t step = 0; step < tiles; ++step)
      if (failed(copyTile(i32(step))))
        return failure();
  }
  waitForTile();
  return success();
}

/// `counter` is the step whose tiles are started. Carried are the slots that are read and written, the fragments of the
/// first k, the sums, and what is known of the step: a load in the turn that asks would keep it waiting.
FailureOr<ContractionEmitter::Values> ContractionEmitter::emitStep(Value counter, ValueRange carried) {
  Elements::Scope scope(values);
  const int64_t depths = schedule.getBlockK() / tiles.info.depth;
  Value read = carried[0], written = carried[1];
  const size_t ofSums = warp->zeros().size();
  ValueRange products = carried.drop_front(2).drop_back(ofKnown), known = carried.take_back(ofKnown);
  Values fragments(products.drop_back(ofSums)), sums(products.take_back(ofSums));

  const Value ahead =
      f.hidden(counter.getType().isInteger(32) ? counter : arith::TruncIOp::create(b, b.getI32Type(), counter));
  // Beside a tile that waits in registers, or many addresses, fragments have no room so early.
  const bool loadsFirst = depths > 1 && lhs->isAsync() && rhs->isAsync() && !isCrowded(tiles, f.chip);
  const bool isDivided = loadsFirst && bothCopyAlways() && depths > 2 && ofSums >= kLeastSums;
  const Values second = loadsFirst ? loadFragments(read, 1) : Values();
  FailureOr<Values> started = Values();
  if (startsInLoop())
    started =
        isDivided ? startOne(/*isLhs=*/true, written, ahead, ahead, known) : start(written, ahead, counter, known);
  if (failed(started))
    return failure();
  if (!isDivided)
    commit();
  Values nextKnown;
  if (ofKnown)
    expect(f.add(ahead, i32(1)));
  Value nextRead = nextSlot(read);
  // Behind the last step its own tile is read again, for nobody, where the next one was not filled with zeros.
  if (!bothCopyAlways() || !startsInLoop()) {
    // One counter is enough where nothing is found out by the narrow one: registers are few.
    const bool isNarrow = counter.getType().isInteger(32) || lhs->copiesAlways() || rhs->copiesAlways();
    Value isMore = isNarrow ? f.isBelow(ahead, lastAhead()) : f.isBelow(counter, wide(lastAhead()));
    nextRead = arith::SelectOp::create(b, isMore, nextRead, read);
  }
  for (int64_t number = 0; number < depths; ++number) {
    const bool isLast = number + 1 == depths;
    if (isLast) {
      // Behind the copies of this turn, whose addresses would wait for it.
      if (ofKnown)
        nextKnown = lookUp();
      finish(written, counter, *started);
      waitForTile();
    }
    Values next = second;
    if (isLast)
      next = loadFragments(nextRead, 0);
    else if (number > 0 || !loadsFirst)
      next = loadFragments(read, number + 1);
    if (isDivided && number == depths - 2) {
      if (startsInLoop() && failed(startOne(/*isLhs=*/false, written, ahead, ahead, known)))
        return failure();
      commit();
    }
    warp->multiply(fragments, sums);
    fragments = std::move(next);
  }
  // What is written next was read in this turn.
  Values carriedOn = {nextRead, read};
  llvm::append_range(carriedOn, fragments);
  llvm::append_range(carriedOn, sums);
  llvm::append_range(carriedOn, nextKnown);
  return carriedOn;
}

LogicalResult ContractionEmitter::emitSums(Values &sums) {
  sums = warp->zeros();
  if (product.k == 0)
    return success();
  if (failed(copyFirstTiles()))
    return failure();
  const int64_t ahead = schedule.getStages() - 1;
  Values carried = {i32(0), slotOf(i32(ahead))};
  llvm::append_range(carried, loadFragments(i32(0), 0));
  llvm::append_range(carried, sums);
  Values known;
  if (startsInLoop()) {
    expect(i32(ahead));
    known = lookUp();
  }
  ofKnown = known.size();
  llvm::append_range(carried, known);
  // Addresses are counted in 64 bits.
  Value from = bothCopyAlways() ? i32(ahead) : f.i64(ahead);
  Value to = f.add(bothCopyAlways() ? steps : wide(steps), from);
  // Where k is known and short, ptxas would unroll all of it, and spill.
  FailureOr<Values> end = f.forEach(
      from, to, 1, carried, [&](Value step, ValueRange soFar) { return emitStep(step, soFar); },
      /*staysRolled=*/true);
  if (failed(end))
    return failure();
  sums = Values(ArrayRef(*end).drop_back(ofKnown).take_back(sums.size()));
  return success();
}

LogicalResult ContractionEmitter::emit(Value block) {
  f.bindInputs(values);
  if (failed(values.prepare(product.op->getOperands())) || failed(epilogue.prepare()))
    return failure();
  lhs = makeOperandCopy(f, values, product, /*isLhs=*/true, tiles);
  rhs = makeOperandCopy(f, values, product, /*isLhs=*/false, tiles);
  isAsync = lhs->isAsync() || rhs->isAsync();
  position.blocksM = llvm::divideCeil(product.m, schedule.getBlockM());
  position.blocksN = llvm::divideCeil(product.n, schedule.getBlockN());
  position.ring = f.allocateShared(tiles.sharedBytes(), 128);
  locateBlock(block);
  position.warp = f.div(f.thread, Chip::kWarp);
  position.warpM = f.div(position.warp, schedule.getWarpsN());
  position.warpRow = f.mul(position.warpM, schedule.getWarpM());
  position.warpColumn = f.mul(f.rem(position.warp, schedule.getWarpsN()), schedule.getWarpN());
  warp = makeWarpProduct(f, {tiles, product.element, tiles.sum, position.warpRow, position.warpColumn});

  Values sums;
  if (failed(emitSums(sums)))
    return failure();
  // The stages are free once every warp has read its last fragments, and nothing is on its way to them.
  if (isAsync && (lhs->copiesAlways() || rhs->copiesAlways()))
    NVVM::CpAsyncWaitGroupOp::create(b, 0);
  f.barrier();
  Value epilogueTile = f.offset(position.ring, b.getI8Type(), f.mul(position.warp, tiles.epilogueBytes()));
  return epilogue.emit(*warp, sums, epilogueTile, position);
}

/// The product, or a class of its rows: blocks from `first` on, all blocks of the grid where `isAll`. Gives their
/// number.
static FailureOr<int64_t> emitFrom(GPUFunction &f, const Product &product, MmaScheduleAttr schedule, int64_t first,
                                   bool isAll, const IndexMap *place = nullptr, const Pooled *pooled = nullptr) {
  MatrixTiles tiles(schedule, product);
  tiles.passed = SumsEpilogue::findPassed(product, tiles, pooled);
  if (std::string why = explainIllegal(tiles, f.chip); !why.empty())
    return product.op->emitOpError("is scheduled with ") << why;
  ContractionEmitter emitter(f, product, tiles, place, pooled);
  if (emitter.grid() > 0 &&
      failed(f.forBlocks(first, emitter.grid(), isAll, [&](Value block) { return emitter.emit(block); })))
    return failure();
  return emitter.grid();
}

/// Class after class, in the same shared memory: a block is of one.
static FailureOr<int64_t> emitClasses(GPUFunction &f, const Product &product, ArrayRef<Contraction::Class> classes,
                                      MmaScheduleAttr schedule) {
  int64_t grid = 0;
  for (const Contraction::Class &own : classes) {
    FailureOr<int64_t> blocks =
        f.releasingShared([&] { return emitFrom(f, product.of(own), schedule, grid, /*isAll=*/false, &own.rows); });
    if (failed(blocks))
      return failure();
    grid += *blocks;
  }
  return grid;
}

/// The pixels of windows alone, by window.
static FailureOr<int64_t> emitPooled(GPUFunction &f, const Product &product, MmaScheduleAttr schedule,
                                     const Pooled &pooled) {
  const Contraction::Class byWindow = *findRowsByWindow(product, pooled);
  return emitFrom(f, product.of(byWindow), schedule, 0, /*isAll=*/true, &byWindow.rows, &pooled);
}

FailureOr<int64_t> mp::emitGPUContraction(GPUFunction &f, MmaScheduleAttr schedule) {
  FailureOr<Product> product = findProduct(f);
  if (failed(product))
    return failure();
  if (product->parts != schedule.getSplitK())
    return product->op->emitOpError("has ") << product->parts << " parts of k, its schedule " << schedule.getSplitK();
  if (product->parts > 1 && product->depth % schedule.getBlockK() != 0)
    return product->op->emitOpError("has parts of ")
           << product->depth << " of k, no multiple of block_k " << schedule.getBlockK();
  if (failed(verifyResultBlocks(f.kernel)))
    return failure();
  if (std::optional<Pooled> pooled = findPooledWithin(f.kernel))
    return emitPooled(f, *product, schedule, *pooled);
  const ArrayRef<Contraction::Class> classes = classesInCode(*product, /*isForGPU=*/true);
  return classes.empty() ? emitFrom(f, *product, schedule, 0, /*isAll=*/true)
                         : emitClasses(f, *product, classes, schedule);
}
