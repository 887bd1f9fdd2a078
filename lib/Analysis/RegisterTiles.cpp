// How the register tiles of a CPU read their operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Analysis/RegisterTiles.h"
#include "mp/IR/TileRegisters.h"

#include "llvm/Support/MathExtras.h"

#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mp;

/// Neighbours in k that an instruction multiplies at once.
static int64_t unitOf(TileInstruction instruction) { return instruction == TileInstruction::Fma ? 1 : 2; }
static int64_t unitOf(ContractionScheduleAttr schedule) { return unitOf(schedule.getInstruction()); }

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

/// Whether elements of lhs are multiplied as they lie in memory: fma widens those of 16 bits.
static bool multipliesAsItLies(const Contraction &product, Value lhs, TileInstruction instruction, int64_t products) {
  const bool isWidened = instruction == TileInstruction::Fma && (product.element.isF16() || product.element.isBF16());
  return products == 1 && !isWidened && isa<BlockArgument>(lhs) && elementOf(lhs) == product.element &&
         isa<FloatType>(product.element);
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

static double countPartWithPixels(const PixelRows &rows) {
  int64_t met = 0;
  for (int64_t row = 0; row < rows.rows; ++row)
    met += rows.toTaps(row) - rows.fromTaps(row);
  return static_cast<double>(met) / static_cast<double>(std::max<int64_t>(rows.rows * rows.rowsOfTaps, 1));
}

/// The rows of pixels that `map` walks: images, rows and columns of them by `row`, taps by `depth`. Of taps whole
/// multiples of `run` lie side by side. None where it walks anything else.
static std::optional<PixelRows> pixelRowsOf(const IndexMap &given, int64_t run) {
  const IndexMap map = withImages(given);
  const size_t rank = map.dimensions.size();
  if (!map.batch.empty() || (rank != 3 && rank != 4) || map.row.size() != 3 || map.depth.empty())
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
  // What lies side by side comes last.
  const IndexMap::Digit &last = map.depth.back();
  if (!map.isAlongDepth() || last.size < 1 || last.size % run != 0 || map.row[kImage].factor != 1 ||
      map.row[kImage].size != map.dimensions[kImage].size || (rank == 4 && last.size != channels))
    return std::nullopt;
  // Strides and paddings may be of any size; what a block keeps is not.
  constexpr int64_t kMost = 1 << 20, kMostRows = int64_t(1) << 48;
  bool isSmall = true;
  auto times = [&](int64_t a, int64_t b) {
    const std::optional<int64_t> product = llvm::checkedMul(a, b);
    isSmall = isSmall && product && *product <= kMost && *product >= -kMost;
    return isSmall ? *product : 0;
  };
  int64_t taps[2] = {1, 1}; // rows, and elements of a row
  for (const IndexMap::Digit &digit : map.depth) {
    if (digit.dimension == kImage || digit.size < 1 || digit.factor < 0 ||
        (digit.dimension == rank - 1 && &digit != &last))
      return std::nullopt;
    const int64_t step = times(digit.factor, digit.dimension == kColumn ? channels : 1);
    int64_t &span = taps[digit.dimension == kRow ? 0 : 1];
    span = times(span + times(digit.size - 1, step), 1);
  }
  // Of rows of taps that come one after the other some may have no pixels.
  const IndexMap::Digit &first = map.depth.front();
  const bool areRowsOfTaps = first.dimension == kRow && first.factor > 0 &&
                             llvm::none_of(ArrayRef(map.depth).drop_front(),
                                           [&](const IndexMap::Digit &digit) { return digit.dimension == kRow; });
  PixelRows found{.images = map.row[kImage].size,
                  .rows = times(map.row[kRow].size, 1),
                  .columns = times(map.row[kColumn].size, 1),
                  .height = map.dimensions[kRow].size,
                  .width = times(map.dimensions[kColumn].size, channels),
                  .rowStep = times(map.row[kRow].factor, 1),
                  .columnStep = times(map.row[kColumn].factor, channels),
                  .firstRow = times(map.dimensions[kRow].shift, 1),
                  .firstElement = times(map.dimensions[kColumn].shift, channels),
                  .tapRows = taps[0],
                  .tapElements = taps[1],
                  .together = last.size,
                  .rowsOfTaps = areRowsOfTaps ? first.size : 1,
                  .tapStep = areRowsOfTaps ? first.factor : taps[0]};
  times(found.columns, found.columnStep);
  if (!isSmall || found.keptWidth() > kMost)
    return std::nullopt;
  const std::optional<int64_t> rows = llvm::checkedMul(found.images, found.rowsFor(found.rows));
  const bool isThere = found.fromElement() < found.toElement();
  if (found.rowsOfTaps > 1 && found.missesTaps())
    found.partWithPixels = countPartWithPixels(found);
  return rows && *rows <= kMostRows && isThere ? std::optional(found) : std::nullopt;
}

/// Whether rows may be copied by pairs, as what multiplies pairs has them.
static bool isOfPairs(const PixelRows &rows) {
  return (rows.columnStep | rows.tapElements | rows.width | rows.firstElement) % 2 == 0;
}

/// Whether a block may keep what a product reads of images: what is in front of them is computed as their rows are
/// copied, once for each pixel, and what fma multiplies is widened there.
static bool mayKeepPixels(const Contraction &product, Value images) {
  return isa<FloatType>(product.element) && elementOf(images) == product.element;
}

std::optional<PixelRows> mp::findPixelRows(const Contraction &product, Value lhs, TileInstruction instruction,
                                           int64_t products) {
  if (products != 1 || !mayKeepPixels(product, lhs) || product.parts > 1 || !product.classes.empty())
    return std::nullopt;
  const int64_t together = instruction == TileInstruction::Amx ? kTileDepth : unitOf(instruction);
  std::optional<PixelRows> rows = pixelRowsOf(product.lhsMap, together);
  return rows && unitOf(instruction) > 1 && !isOfPairs(*rows) ? std::nullopt : rows;
}

IndexMap mp::withJoinedPixels(const IndexMap &map) {
  IndexMap joined = map;
  joined.joinPixels();
  return joined;
}

std::optional<PixelRows> mp::findPixelStretches(const Contraction &product, Value lhs, TileInstruction instruction,
                                                int64_t products) {
  // What is copied for a pixel is written out.
  constexpr int64_t kMostDepth = 512, kMostStretches = 16;
  if (unitOf(instruction) == 1 || product.k > kMostDepth || product.depth != product.k || products != 1 ||
      !mayKeepPixels(product, lhs) || product.parts > 1 || !product.classes.empty() || product.lhsMap.isMatrix() ||
      findPixelRows(product, lhs, instruction, products))
    return std::nullopt;
  std::optional<PixelRows> rows = pixelRowsOf(withJoinedPixels(product.lhsMap), /*run=*/1);
  if (!rows || product.k > kMostStretches * rows->together)
    return std::nullopt;
  // Rows that are kept are whole words.
  rows->tapElements += rows->keptWidth() % 2;
  return rows;
}

std::optional<PixelRows> mp::findPixelColumns(const Contraction &product, const IndexMap &map, Value lhs,
                                              TileInstruction instruction) {
  constexpr size_t kRankWithChannels = 4;
  if (instruction == TileInstruction::Amx || !isa<BlockArgument>(lhs) || !mayKeepPixels(product, lhs) ||
      withImages(map).dimensions.size() != kRankWithChannels)
    return std::nullopt;
  std::optional<PixelRows> rows = pixelRowsOf(map, unitOf(instruction));
  return rows && rows->columnStep == rows->together ? rows : std::nullopt;
}

IndexMap mp::pixelsOfDepth(const IndexMap &map) {
  IndexMap turned = map;
  std::swap(turned.row, turned.depth);
  turned.joinPixels();
  return withImages(turned);
}

std::optional<PixelRows> mp::findPixelRowsOfDepth(const Contraction &product, Value rhs, TileInstruction instruction) {
  if (instruction == TileInstruction::Amx || !mayKeepPixels(product, rhs) || !product.classes.empty() ||
      product.rhsMap.isMatrix())
    return std::nullopt;
  std::optional<PixelRows> rows = pixelRowsOf(pixelsOfDepth(product.rhsMap), /*run=*/1);
  // A part is whole images, or whole rows where nothing separates images.
  if (!rows || product.depth % (rows->images == 1 ? rows->columns : rows->rows * rows->columns) != 0)
    return std::nullopt;
  // Words are of neighbours in k, of one row of pixels, and rows that are kept are whole words.
  const bool mayPair = rows->columns % 2 == 0 && rows->keptWidth() % 2 == 0;
  return unitOf(instruction) > 1 && !mayPair ? std::nullopt : rows;
}

std::optional<PixelRows> mp::findPixelStretchesOfDepth(const Contraction &product, Value rhs,
                                                       TileInstruction instruction, int64_t products) {
  // What is copied for a pair of pixels is written out.
  constexpr int64_t kMostStretches = 16;
  if (instruction != TileInstruction::Amx || products != 1 || !mayKeepPixels(product, rhs) ||
      !product.classes.empty() || product.rhsMap.isMatrix())
    return std::nullopt;
  std::optional<PixelRows> rows = pixelRowsOf(pixelsOfDepth(product.rhsMap), /*run=*/1);
  if (!rows || rows->columns % 2 != 0 || rows->together % kTileColumns == 0 ||
      product.n > kMostStretches * rows->together || product.depth % (rows->rows * rows->columns) != 0)
    return std::nullopt;
  rows->tapElements += rows->keptWidth() % 2;
  return rows;
}

/// `map` of images whose pixels are k, with those as rows.
static IndexMap withPixelsAsRows(const IndexMap &map) {
  IndexMap turned = map;
  std::swap(turned.row, turned.depth);
  return withImages(turned);
}

std::optional<TapPanels> mp::findTapPanels(const Contraction &product, Value rhs, TileInstruction instruction,
                                           int64_t products) {
  if (instruction != TileInstruction::Amx || products != 1 || !mayKeepPixels(product, rhs) ||
      !product.classes.empty() || product.rhsMap.isMatrix())
    return std::nullopt;
  const std::optional<PixelRows> pixels = pixelRowsOf(pixelsOfDepth(product.rhsMap), /*run=*/1);
  if (!pixels)
    return std::nullopt;
  // Rows of taps come first, and nothing else moves rows.
  const IndexMap map = withPixelsAsRows(product.rhsMap);
  const IndexMap::Digit &taps = map.depth.front();
  const unsigned kRow = map.row[1].dimension;
  if (taps.dimension != kRow || taps.size < 2 || taps.factor < 1 ||
      llvm::any_of(ArrayRef(map.depth).drop_front(), [&](const auto &digit) { return digit.dimension <= kRow; }))
    return std::nullopt;
  const TapPanels found{.tapRows = taps.size,
                        .tapStep = taps.factor,
                        .rowStep = pixels->rowStep,
                        .columns = product.n / taps.size,
                        .images = pixels->images,
                        .rows = pixels->rows,
                        .width = pixels->columns,
                        .startsWithImages = product.depth % (pixels->rows * pixels->columns) == 0};
  const bool isWhole = found.columns % kTileColumns == 0 && found.pixels() >= kTileDepth;
  return isWhole ? std::optional(found) : std::nullopt;
}

IndexMap mp::mapOfTapPanels(const Contraction &product, const TapPanels &panels) {
  IndexMap map = withPixelsAsRows(product.rhsMap);
  std::swap(map.row, map.depth);
  IndexMap::Digit &rows = map.depth[1], &taps = map.row.front();
  rows.size = panels.rows + panels.rowsBelow();
  taps = {panels.kinds(), rows.dimension, 1};
  if (panels.kinds() == 1)
    map.row.erase(map.row.begin());
  return map;
}

Type mp::packedElement(const Contraction &product, ContractionScheduleAttr schedule) {
  if (schedule.getParts() > 1)
    return BFloat16Type::get(schedule.getContext());
  if (unitOf(schedule) > 1)
    return product.element;
  // Sums of f16 are f32 in registers.
  return product.acc.isF16() ? Float32Type::get(product.acc.getContext()) : product.acc;
}
