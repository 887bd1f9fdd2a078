// What a matrix product takes on a GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks come to a multiprocessor in rounds of as many as it holds. A round takes as long as its units are busy with
// all of its blocks, or as one block takes alone: a step of k is a chain of waiting for tiles, for fragments and for
// sums, however little there is to multiply. The constants are fitted to an H200; those in ticks and
// bytes per tick follow the clock of a chip, the others its row of the table.

#include "Kernels/Schedule/MatrixCost.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mp;

/// Bytes that a multiprocessor moves in a tick: within shared memory, and from the cache.
static constexpr double kSharedBytesPerTick = 128, kCacheBytesPerTick = 64;
/// Of memory's bandwidth, what results are written at.
static constexpr double kWrittenShare = 0.7;
/// Of what runs beside the slowest part of a step, the share that does not hide behind it.
static constexpr double kOverlapLoss = 0.15;
/// Schedulers of a multiprocessor, each with a quarter of the matrix units; a warp has one.
static constexpr double kSchedulers = 4;
/// Of a step: what no other block hides, and the barrier at which a block's own warps meet.
static constexpr double kStepTicks = 32, kBarrierTicks = 64;
/// From fragments in shared memory to the sums of one matrix instruction.
static constexpr double kChainTicks = 64;
/// From asking for a tile to having it, and all that a block does but steps of k.
static constexpr double kLatencySeconds = 0.36e-6, kBlockSeconds = 1.4e-6;
/// Shared memory of each block that is the system's.
static constexpr int64_t kSystemBytes = 1024;
/// Registers are given to threads by so many; for each access of pixels a thread needs so many more.
static constexpr int64_t kRegisterGranule = 8, kPixelRegisters = 4;

static double rateOf(const Chip &chip, MatrixInstruction instruction, const Contraction &product) {
  if (instruction == MatrixInstruction::Fma)
    return product.acc.isF64() ? chip.f64 : chip.f32;
  if (product.acc.isF16())
    return chip.mma.f16Narrow;
  return product.element.isBF16() ? chip.mma.bf16 : product.element.isF16() ? chip.mma.f16 : chip.mma.tf32;
}

int64_t mp::depthOfParts(int64_t k, int64_t parts, int64_t blockK) {
  return std::max<int64_t>(llvm::divideCeil(llvm::divideCeil(k, parts), blockK), 1) * blockK;
}

/// Where the pixels are that a thread copies.
static int64_t registersOfPixels(const MatrixTiles &tiles, const SharedTile &tile, const IndexMap &map,
                                 const Chip &chip) {
  if (map.isMatrix() || !tiles.isAsync(tile, chip))
    return 0;
  return kPixelRegisters * llvm::divideCeil(tile.rows * tile.columns / tile.width, tiles.schedule.getThreads());
}

int64_t mp::residentBlocks(const MatrixTiles &tiles, const Contraction &product, const Chip &chip) {
  const int64_t threads = tiles.schedule.getThreads();
  const int64_t wanted = tiles.registers(chip) + registersOfPixels(tiles, tiles.lhs, product.lhsMap, chip) +
                         registersOfPixels(tiles, tiles.rhs, product.rhsMap, chip);
  const auto registers =
      static_cast<int64_t>(llvm::alignTo(std::min(wanted, Chip::kRegistersPerThread), kRegisterGranule));
  return std::max<int64_t>(std::min({chip.sharedBytesPerMultiprocessor / (tiles.sharedBytes() + kSystemBytes),
                                     Chip::kRegistersPerMultiprocessor / (registers * threads),
                                     chip.threadsPerMultiprocessor / threads, chip.blocksPerMultiprocessor}),
                           1);
}

namespace {

/// One step of k.
class Step {
public:
  Step(const MatrixTiles &tiles, const Contraction &product, const Chip &chip)
      : warps(tiles.schedule.getWarpsM() * tiles.schedule.getWarpsN()), tick(1 / chip.clock) {
    MmaScheduleAttr s = tiles.schedule;
    const auto elementBytes = static_cast<double>(tiles.lhs.elementBytes), depth = static_cast<double>(s.getBlockK());
    const double rate = rateOf(chip, s.getInstruction(), product) / static_cast<double>(chip.multiprocessors);
    const auto ofWarp = static_cast<double>(s.getWarpM() * s.getWarpN());
    warpArithmetic = 2 * ofWarp * depth / (rate / kSchedulers);
    const double tileBytes = static_cast<double>(s.getBlockM() + s.getBlockN()) * depth * elementBytes;
    const double fragmentBytes = warps * static_cast<double>(s.getWarpM() + s.getWarpN()) * depth * elementBytes;
    shared = (fragmentBytes + tileBytes) / kSharedBytesPerTick * tick;
    bringing = tileBytes / kCacheBytesPerTick * tick;
    const bool isFma = s.getInstruction() == MatrixInstruction::Fma;
    chain = isFma ? 0 : depth / static_cast<double>(tiles.info.depth) * kChainTicks * tick;
    waiting = kLatencySeconds / static_cast<double>(s.getStages() - 1);
  }

  /// Of `blocks` at once, whose warps share schedulers, limited by arithmetic, shared memory or the cache.
  double together(double blocks) const {
    const double arithmetic = turns(blocks) * warpArithmetic;
    const double most = std::max({arithmetic, blocks * shared, blocks * bringing});
    const double hidden = arithmetic + blocks * (shared + bringing) - most;
    return most + kOverlapLoss * hidden + blocks * kStepTicks * tick;
  }
  /// Of one block, by what its warps wait for.
  double alone() const { return std::max(kBarrierTicks * tick + std::max(turns(1) * warpArithmetic, chain), waiting); }

private:
  /// Warps that the busiest scheduler has.
  double turns(double blocks) const { return std::ceil(blocks * warps / kSchedulers); }

  double warps, tick;
  double warpArithmetic, shared, bringing, chain, waiting;
};

} // namespace

static double bytesOf(Type type) { return type.getIntOrFloatBitWidth() / 8.0; }

double mp::estimateSeconds(const MatrixTiles &tiles, const Contraction &product, Type part, const Chip &chip) {
  MmaScheduleAttr s = tiles.schedule;
  const int64_t parts = s.getSplitK();
  const int64_t depth = std::min(product.k, depthOfParts(product.k, parts, s.getBlockK()));
  const auto steps = static_cast<double>(llvm::divideCeil(depth, s.getBlockK()));
  const Step step(tiles, product, chip);
  const auto multiprocessors = static_cast<double>(chip.multiprocessors);
  const double writtenBytes =
      static_cast<double>(s.getBlockM() * s.getBlockN()) * bytesOf(parts > 1 ? part : product.element);
  const double writing = writtenBytes / (kWrittenShare * chip.memoryBandwidth / multiprocessors);
  const double alone = kBlockSeconds + steps * step.alone() + writing;
  auto secondsOf = [&](int64_t blocks) {
    const auto count = static_cast<double>(blocks);
    return blocks == 0 ? 0 : std::max(steps * step.together(count) + count * writing, alone);
  };

  const int64_t grid = parts * product.countTiles(s.getBlockM(), s.getBlockN());
  const int64_t blocks = llvm::divideCeil(grid, chip.multiprocessors);
  const int64_t resident = residentBlocks(tiles, product, chip), rounds = blocks / resident;
  double seconds =
      Chip::kLaunchSeconds + static_cast<double>(rounds) * secondsOf(resident) + secondsOf(blocks % resident);
  if (parts > 1) {
    const auto sums = static_cast<double>(parts * product.batch * product.m * product.n);
    seconds += Chip::kLaunchSeconds + 2 * sums * bytesOf(part) / chip.memoryBandwidth;
  }
  return seconds;
}
