// Schedules of matrix products on GPUs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Schedule/MatrixSchedules.h"

#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace mp;

namespace {

/// Blocks and warps that are tried.
struct Shape {
  int64_t blockM, blockN, warpsM, warpsN;
};

} // namespace

// Warps of 64 x 64 read least of shared memory for each product; small blocks are for small matrices, flat ones for
// those of few rows or columns.
static constexpr Shape kMatrixShapes[] = {
    {256, 128, 4, 2}, {128, 256, 2, 4}, {128, 128, 2, 2}, {128, 128, 2, 4}, {128, 64, 2, 2}, {64, 128, 2, 2},
    {64, 64, 2, 2},   {128, 32, 4, 1},  {32, 128, 1, 4},  {64, 32, 2, 1},   {32, 64, 1, 2},  {32, 32, 2, 2},
    {128, 16, 4, 1},  {16, 128, 1, 4},  {64, 16, 4, 1},   {16, 64, 1, 4},
};
static constexpr Shape kFmaShapes[] = {
    {128, 128, 4, 2}, {128, 64, 4, 1}, {64, 128, 2, 2}, {64, 64, 2, 1},  {64, 64, 2, 2},
    {32, 64, 1, 2},   {64, 32, 4, 1},  {32, 32, 2, 1},  {16, 128, 1, 4}, {16, 32, 1, 1},
};

// What the model assumes of every chip: bytes that a multiprocessor moves in a tick.
static constexpr double kSharedBytesPerTick = 128, kCacheBytesPerTick = 48;
/// From asking memory to having the answer, and all that a block does but steps of k.
static constexpr double kLatencySeconds = 0.5e-6, kBlockSeconds = 1.5e-6;
/// Of what runs beside the slowest part of a step, the share that does not hide behind it.
static constexpr double kOverlapLoss = 0.15;
/// Warps that keep a multiprocessor's units busy.
static constexpr double kBusyWarps = 4;
/// What a second kernel must save for k to be cut.
static constexpr double kWorthwhile = 0.85;

static double rateOf(const Chip &chip, MatrixInstruction instruction, const Contraction &product) {
  if (instruction == MatrixInstruction::Fma)
    return product.acc.isF64() ? chip.f64 : chip.f32;
  if (product.acc.isF16())
    return chip.mma.f16Narrow;
  return product.element.isBF16() ? chip.mma.bf16 : product.element.isF16() ? chip.mma.f16 : chip.mma.tf32;
}

/// Blocks that a multiprocessor holds at once.
static int64_t residentBlocks(const MatrixTiles &tiles, const Chip &chip) {
  const int64_t threads = tiles.schedule.getThreads();
  return std::max<int64_t>(std::min({chip.sharedBytesPerMultiprocessor / tiles.sharedBytes(),
                                     Chip::kRegistersPerMultiprocessor / (tiles.registers(chip) * threads),
                                     chip.threadsPerMultiprocessor / threads, chip.blocksPerMultiprocessor}),
                           1);
}

/// A multiprocessor works on its blocks together, each step limited by arithmetic, fragments from shared memory or
/// tiles from the cache; a block alone is limited by what one step of k waits for.
static double estimateSeconds(const MatrixTiles &tiles, const Contraction &product, const Chip &chip,
                              const ProductOptions &options) {
  MmaScheduleAttr s = tiles.schedule;
  const auto multiprocessors = static_cast<double>(chip.multiprocessors);
  const double rate = rateOf(chip, s.getInstruction(), product) / multiprocessors;
  const double warps = s.getWarpsM() * s.getWarpsN(), elementBytes = tiles.lhs.elementBytes;
  const double arithmetic = 2.0 * s.getBlockM() * s.getBlockN() * s.getBlockK() / rate;
  const double fragments =
      warps * (s.getWarpM() + s.getWarpN()) * s.getBlockK() * elementBytes / (kSharedBytesPerTick * chip.clock);
  const double bringing =
      (s.getBlockM() + s.getBlockN()) * s.getBlockK() * elementBytes / (kCacheBytesPerTick * chip.clock);
  const double most = std::max({arithmetic, fragments, bringing});
  const double step = most + kOverlapLoss * (arithmetic + fragments + bringing - most);
  const double alone = std::max({step, arithmetic * kBusyWarps / std::min(warps, kBusyWarps),
                                 kLatencySeconds / static_cast<double>(s.getStages() - 1)});

  const int64_t depth = std::min(product.k, depthOfParts(product.k, s.getSplitK(), s.getBlockK()));
  const auto steps = static_cast<double>(llvm::divideCeil(depth, s.getBlockK()));
  const int64_t grid = s.getSplitK() * product.countTiles(s.getBlockM(), s.getBlockN());
  const int64_t blocks = llvm::divideCeil(grid, chip.multiprocessors);
  const auto rounds = static_cast<double>(llvm::divideCeil(blocks, residentBlocks(tiles, chip)));
  double seconds = Chip::kLaunchSeconds + rounds * kBlockSeconds +
                   steps * std::max(static_cast<double>(blocks) * step, rounds * alone);
  if (s.getSplitK() > 1) {
    const unsigned bits = options.typeOfParts(product.element, product.acc).getIntOrFloatBitWidth();
    const double sums = bits / 8.0 * s.getSplitK() * product.batch * product.m * product.n;
    seconds += Chip::kLaunchSeconds + kBlockSeconds + 2 * sums / chip.memoryBandwidth;
  }
  return seconds;
}

int64_t mp::depthOfParts(int64_t k, int64_t parts, int64_t blockK) {
  return std::max<int64_t>(llvm::divideCeil(llvm::divideCeil(k, parts), blockK), 1) * blockK;
}

namespace {

/// Tries schedules and keeps the best.
class Search {
public:
  Search(const Contraction &product, const Chip &chip, const ProductOptions &options)
      : product(product), chip(chip), options(options),
        instruction(chooseInstruction(chip, product.element, options.tf32)) {
    // Zero sizes need a legal schedule, too; their grid is empty.
    for (int64_t *size : {&this->product.m, &this->product.n, &this->product.k, &this->product.batch})
      *size = std::max<int64_t>(*size, 1);
  }

  MatrixChoice run() {
    const bool isFma = instruction == MatrixInstruction::Fma, isAsync = chip.has(ChipFeature::CpAsync);
    // 64 and 128 bytes of k; of plain arithmetic 32 and 64.
    const int64_t leastK = (isFma ? 256 : 512) / product.element.getIntOrFloatBitWidth();
    for (const Shape &blocks : isFma ? ArrayRef<Shape>(kFmaShapes) : ArrayRef<Shape>(kMatrixShapes))
      for (int64_t blockK : {leastK, 2 * leastK})
        for (int64_t stages = isAsync ? 3 : 2; stages <= (isAsync ? 4 : 2); ++stages)
          tryParts(blocks, std::max<int64_t>(blockK, 8), stages);
    return cut.schedule && cut.seconds < kWorthwhile * whole.seconds ? cut : whole;
  }

private:
  /// Parts of at least four steps, as many as the grid has room for.
  void tryParts(const Shape &blocks, int64_t blockK, int64_t stages) {
    if (product.parts > 1) {
      if (product.depth % blockK == 0)
        consider(blocks, blockK, stages, product.parts, whole);
      return;
    }
    consider(blocks, blockK, stages, 1, whole);
    if (!product.takesParts)
      return;
    constexpr int64_t kMostParts = 32, kLeastSteps = 4;
    for (int64_t parts = 2; parts <= kMostParts; parts *= 2) {
      const int64_t depth = depthOfParts(product.k, parts, blockK);
      // Every part has something to do.
      if (depth >= kLeastSteps * blockK && depth * (parts - 1) < product.k)
        consider(blocks, blockK, stages, parts, cut);
    }
  }

  void consider(const Shape &blocks, int64_t blockK, int64_t stages, int64_t parts, MatrixChoice &best) {
    auto schedule = MmaScheduleAttr::get(product.element.getContext(), blocks.blockM, blocks.blockN, blockK,
                                         blocks.warpsM, blocks.warpsN, stages, parts, instruction);
    const MatrixTiles tiles(schedule, product);
    if (!explainIllegal(tiles, chip).empty() || !explainCrowded(tiles, chip).empty())
      return;
    const double seconds = estimateSeconds(tiles, product, chip, options);
    if (!best.schedule || seconds < best.seconds)
      best = {schedule, seconds};
  }

  Contraction product;
  const Chip &chip;
  const ProductOptions &options;
  const MatrixInstruction instruction;
  MatrixChoice whole, cut;
};

} // namespace

MatrixChoice mp::chooseMatrixSchedule(const Contraction &product, const Chip &chip, const ProductOptions &options) {
  return Search(product, chip, options).run();
}
