// How the register tiles of a CPU read their operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Analysis/RegisterTiles.h"
#include "mp/IR/TileRegisters.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mp;

/// Neighbours in k that an instruction multiplies at once.
static int64_t unitOf(ContractionScheduleAttr schedule) {
  return schedule.getInstruction() == TileInstruction::Fma ? 1 : 2;
}

int64_t mp::depthGranule(ContractionScheduleAttr schedule) {
  return schedule.getInstruction() == TileInstruction::Amx ? kTileDepth : unitOf(schedule);
}

ArrayRef<PartProduct> mp::productsOfParts(ContractionScheduleAttr schedule) {
  // By the sum of the numbers; a part of lhs stays in its registers where the next product has it, too.
  static constexpr PartProduct kProducts[] = {{2, 2}, {1, 2}, {2, 1}, {2, 0}, {0, 2}, {1, 1}, {1, 0}, {0, 1}, {0, 0}};
  return ArrayRef(kProducts).take_back(schedule.getProducts());
}

static PanelsAttr makePanels(ContractionScheduleAttr schedule, int64_t rows, bool isDepthInner) {
  const int64_t unit = unitOf(schedule);
  const auto depth = static_cast<int64_t>(llvm::alignTo(schedule.getBlockK(), depthGranule(schedule)));
  return PanelsAttr::get(schedule.getContext(), rows, depth, unit, isDepthInner, schedule.getParts());
}

PanelsAttr mp::lhsPanels(const Contraction &product, ContractionScheduleAttr schedule) {
  // A row of a tile register is a row of k.
  const bool isDepthInner = product.lhsMap.isAlongDepth() || schedule.getInstruction() == TileInstruction::Amx;
  return makePanels(schedule, schedule.getTileM(), isDepthInner);
}
PanelsAttr mp::rhsPanels(ContractionScheduleAttr schedule) { return makePanels(schedule, schedule.getTileN(), false); }

/// Whether elements of lhs are multiplied as they lie in memory.
static bool multipliesAsItLies(const Contraction &product, Value lhs, TileInstruction instruction, int64_t products) {
  // Sums of f16 are f32 in registers, and so are what they are of.
  const bool isConverted =
      instruction == TileInstruction::Fma && (product.element != product.acc || product.acc.isF16());
  return products == 1 && !isConverted && isa<BlockArgument>(lhs) &&
         cast<RankedTensorType>(lhs.getType()).getElementType() == product.element && isa<FloatType>(product.element);
}

bool mp::mayReadInMemory(const Contraction &product, Value lhs, TileInstruction instruction, int64_t products) {
  const int64_t together = instruction == TileInstruction::Amx   ? kTileDepth
                           : instruction == TileInstruction::Dot ? 2
                                                                 : 1;
  return multipliesAsItLies(product, lhs, instruction, products) && product.lhsMap.isMatrix() &&
         product.lhsMap.isAlongDepth() && product.k % together == 0 && product.k > 0;
}

IndexMap mp::withImages(const IndexMap &map) {
  IndexMap all = map;
  if (map.row.size() != 2)
    return all;
  all.dimensions.insert(all.dimensions.begin(), IndexMap::Dimension{1});
  for (IndexMap::Digits *digits : {&all.batch, &all.row, &all.depth})
    for (IndexMap::Digit &digit : *digits)
      ++digit.dimension;
  all.row.insert(all.row.begin(), IndexMap::Digit{1, 0});
  return all;
}

std::optional<PixelRows> mp::findPixelRows(const Contraction &product, Value lhs, TileInstruction instruction,
                                           int64_t products) {
  const IndexMap map = withImages(product.lhsMap);
  const size_t rank = map.dimensions.size();
  const bool isAmx = instruction == TileInstruction::Amx;
  if (instruction == TileInstruction::Dot || !multipliesAsItLies(product, lhs, instruction, products) ||
      product.parts > 1 || !product.classes.empty() || !map.batch.empty() || (rank != 3 && rank != 4) ||
      map.row.size() != 3 || map.depth.empty())
    return std::nullopt;
  // An image, a row, and a column of it, whose channels are a dimension of their own or not.
  constexpr unsigned kImage = 0, kRow = 1, kColumn = 2;
  const int64_t channels = rank == 4 ? map.dimensions.back().size : 1;
  for (auto [dimension, digit] : llvm::enumerate(map.row))
    if (digit.dimension != dimension || digit.factor < 1 || digit.size < 1)
      return std::nullopt;
  for (auto [number, dimension] : llvm::enumerate(map.dimensions))
    if (dimension.divisor != 1 || (dimension.shift != 0 && number != kRow && number != kColumn))
      return std::nullopt;
  // What lies side by side comes last, for a unit whole registers of it.
  const IndexMap::Digit &last = map.depth.back();
  if (!map.isAlongDepth() || last.size < 1 || (isAmx && last.size % kTileDepth != 0) || map.row[kImage].factor != 1 ||
      map.row[kImage].size != map.dimensions[kImage].size || (rank == 4 && last.size != channels))
    return std::nullopt;
  int64_t least[2] = {}, most[2] = {}; // rows, and elements of a row
  for (const IndexMap::Digit &digit : map.depth) {
    if (digit.dimension == kImage || digit.size < 1 || (digit.dimension == rank - 1 && &digit != &last))
      return std::nullopt;
    const bool isRow = digit.dimension == kRow;
    const int64_t farthest = (digit.size - 1) * digit.factor * (digit.dimension == kColumn ? channels : 1);
    least[isRow ? 0 : 1] += std::min<int64_t>(farthest, 0);
    most[isRow ? 0 : 1] += std::max<int64_t>(farthest, 0);
  }
  const PixelRows found{.images = map.row[kImage].size,
                        .rows = map.row[kRow].size,
                        .columns = map.row[kColumn].size,
                        .height = map.dimensions[kRow].size,
                        .width = map.dimensions[kColumn].size * channels,
                        .rowStep = map.row[kRow].factor,
                        .columnStep = map.row[kColumn].factor * channels,
                        .firstRow = map.dimensions[kRow].shift + least[0],
                        .firstElement = map.dimensions[kColumn].shift * channels + least[1],
                        .tapRows = most[0] - least[0] + 1,
                        .tapElements = most[1] - least[1] + 1};
  // For a unit rows are copied by pairs.
  const bool isOfPairs = !isAmx || (found.columnStep | found.tapElements | found.width | found.firstElement) % 2 == 0;
  return isOfPairs && found.fromElement() < found.toElement() ? std::optional(found) : std::nullopt;
}

Type mp::packedElement(const Contraction &product, ContractionScheduleAttr schedule) {
  if (schedule.getParts() > 1)
    return BFloat16Type::get(schedule.getContext());
  if (unitOf(schedule) > 1)
    return product.element;
  // Sums of f16 are f32 in registers.
  return product.acc.isF16() ? Float32Type::get(product.acc.getContext()) : product.acc;
}
