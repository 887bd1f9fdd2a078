// Schedules of matrix products on GPUs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Schedule/MatrixSchedules.h"

#include "Kernels/Schedule/MatrixCost.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mp;

namespace {

/// Blocks and warps that are tried.
struct Shape {
  int64_t blockM, blockN, warpsM, warpsN;
  /// The longest step of k, in the shortest.
  int64_t longest = 2;
};

} // namespace

// Warps of 64 x 64 read least of shared memory for each product; small blocks are for small matrices, flat ones for
// those of few rows or columns. Of two that take as long, the first is taken: more neighbours of a row are written
// then. Many rows of few columns have too many addresses for longer steps; small blocks may have the longest.
static constexpr Shape kMatrixShapes[] = {
    {128, 256, 2, 4},  {256, 128, 4, 2},  {128, 128, 2, 2},  {128, 128, 2, 4},   {256, 64, 4, 1, 1}, {128, 64, 2, 2},
    {64, 128, 2, 2},   {64, 128, 1, 2},   {64, 64, 2, 2},    {64, 64, 2, 1},     {128, 32, 4, 1},    {32, 128, 1, 4},
    {64, 32, 2, 1, 4}, {32, 64, 1, 2, 4}, {32, 32, 2, 2, 4}, {128, 16, 4, 1, 1}, {16, 128, 1, 4, 4}, {64, 16, 4, 1, 4},
    {16, 64, 1, 4, 4}, {32, 16, 2, 1, 4}, {16, 32, 1, 2, 4},
};
static constexpr Shape kFmaShapes[] = {
    {128, 128, 4, 2}, {128, 64, 4, 1}, {64, 128, 2, 2}, {64, 64, 2, 1},  {64, 64, 2, 2},
    {32, 64, 1, 2},   {64, 32, 4, 1},  {32, 32, 2, 1},  {16, 128, 1, 4}, {16, 32, 1, 1},
};

/// Blocks that cutting k gives a multiprocessor, the parts that it makes, and about how many steps each has at least.
static constexpr int64_t kMostBlocks = 16, kMostPartsOnGPU = 128, kLeastSteps = 4;
/// What a second kernel must save for k to be cut.
static constexpr double kWorthwhile = 0.95;

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
    // From 64 bytes of k, of plain arithmetic from 32. Of pixels twice that at most, each of which has an address.
    const int64_t leastK = (isFma ? 256 : 512) / product.element.getIntOrFloatBitWidth();
    const bool isOfMatrices = product.lhsMap.isMatrix() && product.rhsMap.isMatrix();
    for (const Shape &blocks : isFma ? ArrayRef<Shape>(kFmaShapes) : ArrayRef<Shape>(kMatrixShapes)) {
      const int64_t mostK = (isOfMatrices ? blocks.longest : std::min<int64_t>(blocks.longest, 2)) * leastK;
      for (int64_t blockK = leastK; blockK <= mostK; blockK *= 2)
        for (int64_t stages = isAsync ? 3 : 2; stages <= (isAsync ? 4 : 2); ++stages)
          tryParts(blocks, std::max<int64_t>(blockK, 8), stages);
    }
    return cut.schedule && cut.seconds < kWorthwhile * whole.seconds ? cut : whole;
  }

private:
  /// Parts of about four steps at least, since equal ones may be shorter than asked for: as many as give each
  /// multiprocessor one block, two, and so on.
  void tryParts(const Shape &blocks, int64_t blockK, int64_t stages) {
    if (product.parts > 1) {
      if (product.depth % blockK == 0)
        consider(blocks, blockK, stages, product.parts, whole);
      return;
    }
    consider(blocks, blockK, stages, 1, whole);
    if (!product.takesParts)
      return;
    const int64_t tiles = product.countTiles(blocks.blockM, blocks.blockN);
    int64_t last = 1;
    for (int64_t perMultiprocessor = 1; perMultiprocessor <= kMostBlocks; ++perMultiprocessor) {
      const int64_t wanted = std::min(perMultiprocessor * chip.multiprocessors / tiles, kMostPartsOnGPU);
      const int64_t depth =
          std::max(depthOfParts(product.k, std::max<int64_t>(wanted, 1), blockK), kLeastSteps * blockK);
      const int64_t parts = llvm::divideCeil(product.k, depth);
      if (parts > last)
        consider(blocks, blockK, stages, parts, cut);
      last = std::max(last, parts);
    }
  }

  void consider(const Shape &blocks, int64_t blockK, int64_t stages, int64_t parts, MatrixChoice &best) {
    auto schedule = MmaScheduleAttr::get(product.element.getContext(), blocks.blockM, blocks.blockN, blockK,
                                         blocks.warpsM, blocks.warpsN, stages, parts, instruction);
    const MatrixTiles tiles(schedule, product);
    if (!explainIllegal(tiles, chip).empty() || !explainCrowded(tiles, chip).empty())
      return;
    const double seconds = estimateSeconds(tiles, product, options.typeOfParts(product.element, product.acc), chip);
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
