// Schedules for processors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Forming/KernelKind.h"
#include "Kernels/Schedule/KernelScheduler.h"
#include "Kernels/Schedule/PoolingBehind.h"
#include "mp/Analysis/CostModel.h"
#include "mp/Analysis/ProductRows.h"
#include "mp/Analysis/RegisterTiles.h"
#include "mp/IR/Program.h"
#include "mp/IR/TileRegisters.h"
#include "mp/Kernels/Schedule/Schedules.h"

#include "mlir/IR/Remarks.h"

#include <numeric>

using namespace mlir;
using namespace mp;

namespace {

/// A block of a CPU is one thread.
constexpr int64_t kOneThread = 1;

/// Of a row of taps that a chunk of k is to hold whole.
constexpr int64_t kLongestRun = 384;

/// Elements of whose stores no two blocks share a line of memory, and that are whole vectors.
constexpr int64_t kLine = 64;

/// Parts of k are whole multiples of it, as chunks are.
constexpr int64_t kDepthOfPart = 32;

/// Chooses schedules for one level of CPU features.
class CPUScheduler final : public KernelScheduler {
public:
  CPUScheduler(const CPULevel &level, const ProductOptions &options) : level(level), options(options) {}

  FailureOr<ScheduleInterface> schedule(KernelOp kernel) const override { return choose(kernel); }

  FailureOr<std::optional<ProductParts>> cut(ContractionOpInterface op) const override {
    const Contraction product = op.getContraction();
    ContractionSize size = sizeOf(op, product, chooseMultiplication(op, product));
    // Sums in f16 are rounded once, at the end; parts of them would be rounded as they are stored.
    size.mayCut = product.takesParts && !product.acc.isF16();
    const int64_t granule = product.granule > 0 ? std::lcm(product.granule, size.unit) : kDepthOfPart;
    size.granules = product.granule > 0 && product.acc.isF32() ? product.k / granule : 1;
    const int64_t parts = chooseContractionBlocks(size, level).parts;
    const auto depth = static_cast<int64_t>(llvm::alignTo(llvm::divideCeil(product.k, parts), granule));
    if (parts == 1 || depth >= product.k)
      return std::optional<ProductParts>();
    return std::optional(ProductParts{depth, product.acc, {}});
  }

private:
  ScheduleInterface choose(KernelOp kernel) const {
    MLIRContext *context = kernel.getContext();
    switch (getKernelKind(kernel)) {
    case KernelKind::Contraction:
      return scheduleContraction(kernel);
    case KernelKind::Map:
      return MapScheduleAttr::get(context, mapItemsPerBlock(kernel), level.lanes(), kOneThread,
                                  /*tile=*/1);
    case KernelKind::Row:
      return RowScheduleAttr::get(context, itemsPerBlock(kernel, countRows(kernel), level.lanes()), level.lanes(),
                                  kOneThread,
                                  /*threads_per_row=*/1);
    case KernelKind::Column:
      // 64 columns of f32 are four cache lines of each row.
      return ColumnScheduleAttr::get(context, itemsPerBlock(kernel, countResultElements(kernel), 64), level.lanes(),
                                     kOneThread);
    case KernelKind::Partial:
      return PartialScheduleAttr::get(context, findPartialBlock(kernel), level.lanes(), kOneThread);
    case KernelKind::Pack:
      return schedulePack(kernel, level.lanes());
    case KernelKind::Attention:
      return scheduleAttention(kernel);
    case KernelKind::Serial:
      return SerialScheduleAttr::get(context, level.lanes(), kOneThread);
    }
    llvm_unreachable("unknown kind");
  }

  /// Scores, and what they are made of, stay in the second-level cache. Tiles have as many sums as registers leave.
  AttentionScheduleAttr scheduleAttention(KernelOp kernel) const {
    constexpr int64_t kQueries = 64, kKeys = 128, kTileVectors = 2;
    Operation *op = findRole(kernel, KernelRole::Attention).front();
    const int64_t lanes = level.lanes(), tile = level.vectorRegisters >= 32 ? 8 : 4;
    auto sizeOf = [&](unsigned operand) { return typeOf(op->getOperand(operand)).getDimSize(2); };
    const auto queries = static_cast<int64_t>(llvm::alignTo(sizeOf(0), tile));
    const auto keys = static_cast<int64_t>(llvm::alignTo(sizeOf(1), lanes));
    return AttentionScheduleAttr::get(kernel.getContext(), std::min(queries, kQueries), std::min(keys, kKeys), tile,
                                      kTileVectors, lanes);
  }

  /// Of a kernel whose work is `total` equal items.
  int64_t itemsPerBlock(KernelOp kernel, int64_t total, int64_t granule) const {
    double seconds = estimateSeconds(countWork(kernel), level) - level.launchSeconds;
    double perItem = std::max(seconds, 1e-12) / std::max<int64_t>(total, 1);
    return chooseItemsPerBlock(total, perItem, granule, level);
  }

  /// Whole pages of f32, or fewer elements where each costs much, as a word of a mask does.
  int64_t mapItemsPerBlock(KernelOp kernel) const {
    constexpr int64_t kPage = 1024;
    const int64_t total = countResultElements(kernel), few = itemsPerBlock(kernel, total, kLine);
    return few < std::min(total, kPage) ? few : itemsPerBlock(kernel, total, kPage);
  }

  static int64_t countResultElements(KernelOp kernel) {
    // Results of one shape share a loop nest, so that one of them stands for it.
    SmallVector<ArrayRef<int64_t>> shapes;
    int64_t elements = 0;
    for (Value result : kernel.getResults())
      if (!llvm::is_contained(shapes, typeOf(result).getShape())) {
        shapes.push_back(typeOf(result).getShape());
        elements += typeOf(result).getNumElements();
      }
    return elements;
  }

  static int64_t countRows(KernelOp kernel) {
    RankedTensorType input = typeOf(findRole(kernel, KernelRole::Row).front()->getOperand(0));
    return ShapedType::getNumElements(input.getShape().drop_back());
  }

  /// What multiplies, how often for each product of two elements, and so many operations per second.
  struct Multiplication {
    TileInstruction instruction;
    int64_t products;
    double rate;
  };

  /// The products that tiles take for operands of `element`: of the elements themselves, or of bf16 parts; 0 where they
  /// do not multiply them.
  int64_t productsInTiles(Type element) const {
    if (element.isF16() && level.tilesF16)
      return 1;
    if (!level.tilesBF16)
      return 0;
    if (element.isF32())
      return options.productsOfF32() == 1 ? 0 : options.productsOfF32();
    return element.isBF16() ? 1 : element.isF16() ? 3 : 0;
  }

  /// Whether each part of k ends with so many neighbours of k, of which none is in two parts.
  static bool endsWith(const Contraction &product, int64_t neighbours) {
    return !product.hasParts || product.depth % neighbours == 0;
  }

  /// The fastest of what multiplies these operands.
  Multiplication chooseMultiplication(ContractionOpInterface op, const Contraction &product) const {
    const Multiplication vectors = chooseVectors(product);
    const bool fills = endsWith(product, kTileDepth);
    const int64_t products = product.acc.isF32() && fills ? productsInTiles(product.element) : 0;
    if (products == 0)
      return vectors;
    const double rate = product.element.isF16() ? rateOf(ArithmeticType::F16)
                                                : rateOf(ArithmeticType::BF16) / static_cast<double>(products);
    if (products > 1 && rate <= vectors.rate)
      return vectors;
    const Multiplication tiles = {TileInstruction::Amx, products, rate};
    // Little work does not pay for splitting what it is of; f32 is split because an option says so.
    if (products > 1 && product.element.isF16() &&
        blocksAlone(op, product, vectors).seconds < blocksAlone(op, product, tiles).seconds)
      return vectors;
    // Few rows leave tiles empty, and read rhs once: it is not worth being packed.
    const bool isStreamed = product.m < kTileRows && blocksAlone(op, product, vectors).streamsRhs;
    return isStreamed ? vectors : tiles;
  }

  /// The blocks of the product wherever it stands: what decides bits is not to depend on what is around it.
  ContractionBlocks blocksAlone(ContractionOpInterface op, const Contraction &product,
                                const Multiplication &how) const {
    ContractionSize size = sizeOf(op, product, how);
    size.mayPackLhs = size.mayPackRhs = true;
    size.keepsLhs = size.keepsRhs = size.mayReadLhs = false;
    size.pixels.reset();
    size.pixelStretches.reset();
    size.pixelsOfDepth.reset();
    size.stretchesOfDepth.reset();
    size.tapPanels.reset();
    size.pixelColumns.reset();
    return chooseContractionBlocks(size, level);
  }

  /// The faster of vectors' instructions.
  Multiplication chooseVectors(const Contraction &product) const {
    const double ofF32 = rateOf(ArithmeticType::F32), ofBF16 = rateOf(ArithmeticType::BF16);
    const bool isDot =
        level.dotsBF16 && product.element.isBF16() && product.acc.isF32() && endsWith(product, 2) && ofBF16 > ofF32;
    return {isDot ? TileInstruction::Dot : TileInstruction::Fma, 1, isDot ? ofBF16 : ofF32};
  }
  double rateOf(ArithmeticType type) const { return level.contractionRates[static_cast<size_t>(type)]; }

  /// Says how a product's operands are split, or that they are not where an option allows it.
  void remarkParts(ContractionOpInterface op, const Contraction &product, const Multiplication &how) const {
    const auto about = remark::RemarkOpts::name("Parts").category("mp-schedule-kernels");
    const std::string option = "allow-bf16x" + std::to_string(options.productsOfF32());
    const std::string products = std::to_string(how.products) + " products by amx";
    if (how.products > 1 && product.element.isF16())
      remark::analysis(op->getLoc(), about) << "operands of f16 are split into two bf16, exactly: " + products;
    else if (how.products > 1)
      remark::analysis(op->getLoc(), about)
          << "operands of f32 are split into bf16, as " + option + " says: " + products;
    else if (options.productsOfF32() > 1 && product.element.isF32())
      remark::missed(op->getLoc(), about) << "operands of f32 are not split although " + option +
                                                 " is said: fma is faster, or there are no tiles of bf16";
  }

  ContractionScheduleAttr scheduleContraction(KernelOp kernel) const {
    ContractionOpInterface op = findContraction(kernel);
    const Contraction product = op.getContraction();
    const Multiplication how = chooseMultiplication(op, product);
    remarkParts(op, product, how);
    ContractionSize size = sizeOf(op, product, how);
    size.pooled = findPooledResult(kernel, product);
    const ContractionBlocks blocks = chooseContractionBlocks(size, level);
    return ContractionScheduleAttr::get(kernel.getContext(), blocks.blockM, blocks.blockN, blocks.blockK, blocks.tileM,
                                        blocks.tileN, level.lanes(), how.instruction, how.products, blocks.packsLhs,
                                        blocks.packsRhs, blocks.streamsRhs, blocks.readsLhs, blocks.readsRhs,
                                        blocks.transposed);
  }

  static std::optional<PooledResult> findPooledResult(KernelOp kernel, const Contraction &product) {
    const std::optional<PoolingBehind> behind = findPoolingBehind(kernel);
    if (!behind || !mayPoolResult(product, behind->image))
      return std::nullopt;
    return PooledResult{behind->pooled.pixels, countBytes(behind->image.getType())};
  }

  ContractionSize sizeOf(ContractionOpInterface op, const Contraction &product, const Multiplication &how) const {
    const TileInstruction instruction = how.instruction;
    ContractionSize size{product.batch, product.m, product.n, product.depth, how.rate};
    if (instruction == TileInstruction::Fma) {
      size.wordBytes = product.acc.isF64() ? 8 : 4; // as sums are in registers
    } else {
      size.parts = ContractionScheduleAttr::partsOf(how.products);
      size.wordBytes = 2 * size.parts;
      size.unit = 2;
    }
    if (instruction == TileInstruction::Amx) {
      size.tiles = level.unitTiles;
      size.unit = kTileDepth;
    }
    size.run = findRun(product);
    // Parts are products of their own, and so are classes of rows, whose panels nothing else packs.
    size.batch *= product.parts;
    const bool isWhole = !product.hasParts && product.classes.empty();
    size.mayPackLhs = isWhole && canPack(op.getLhs(), product.lhsMap);
    size.mayPackRhs = isWhole && canPack(op.getRhs(), product.rhsMap);
    // A packed word of one element is larger than the weight (mp-pack-weights).
    size.keepsLhs = size.mayPackLhs && size.unit > 1 && isWeight(op.getLhs(), product.lhsMap);
    size.keepsRhs = size.mayPackRhs && size.unit > 1 && isWeight(op.getRhs(), product.rhsMap);
    if (const Contraction::Class *largest = findLargest(product.classes)) {
      size.batch *= static_cast<int64_t>(product.classes.size());
      size.m = largest->m;
      size.k = largest->k;
    }
    addReadsOfLhs(size, product, op.getLhs(), how);
    size.pixelsOfDepth = findPixelRowsOfDepth(product, op.getRhs(), instruction);
    size.stretchesOfDepth = findPixelStretchesOfDepth(product, op.getRhs(), instruction, how.products);
    size.tapPanels = findTapPanels(product, op.getRhs(), instruction, how.products);
    // What reduces tiles does it down their rows.
    if (auto kernel = op->getParentOfType<KernelOp>(); !kernel || findRole(kernel, KernelRole::Tile).empty())
      size.pixelColumns = findColumns(product, op.getLhs(), instruction);
    size.mayStreamRhs = instruction != TileInstruction::Amx && mayStream(product.rhsMap);
    size.rhsBytes = typeOf(op.getRhs()).getElementTypeBitWidth() / 8;
    size.mayStreamLhs = instruction == TileInstruction::Fma && mayStream(product.lhsMap);
    size.lhsBytes = typeOf(op.getLhs()).getElementTypeBitWidth() / 8;
    return size;
  }

  /// Says how tiles may read lhs where it lies. Classes do as the largest, if all with taps have as many rows of as
  /// many pixels or are matrices: those lie in memory, or have one tap, for which packing them copies no more.
  static void addReadsOfLhs(ContractionSize &size, const Contraction &product, Value lhs, const Multiplication &how) {
    const Contraction::Class *largest = findLargest(product.classes);
    const Contraction of = largest ? productOf(product, *largest) : product;
    size.lhsPitch = of.k;
    size.mayReadLhs = mayReadInMemory(of, lhs, how.instruction, how.products);
    size.pixels = findPixelRows(of, lhs, how.instruction, how.products);
    size.pixelStretches = findPixelStretches(of, lhs, how.instruction, how.products);
    auto isAsLargest = [&](const Contraction::Class &own) {
      const Contraction part = productOf(product, own);
      auto isAs = [](const std::optional<PixelRows> &one, const std::optional<PixelRows> &other) {
        return one && other && one->rows * one->images == other->rows * other->images && one->columns == other->columns;
      };
      return own.k == 0 || (own.m == of.m && own.lhsMap.isMatrix()) ||
             isAs(findPixelRows(part, lhs, how.instruction, how.products), size.pixels) ||
             isAs(findPixelStretches(part, lhs, how.instruction, how.products), size.pixelStretches);
    };
    if (llvm::all_of(product.classes, isAsLargest))
      return;
    size.mayReadLhs = false;
    size.pixels.reset();
    size.pixelStretches.reset();
  }

  /// The pixels of the product's lhs that vectors may lie along: of classes those that span the most, where all have
  /// as many.
  static std::optional<PixelRows> findColumns(const Contraction &product, Value lhs, TileInstruction instruction) {
    if (product.classes.empty())
      return findPixelColumns(product, product.lhsMap, lhs, instruction);
    std::optional<PixelRows> most;
    for (const Contraction::Class &own : product.classes) {
      std::optional<PixelRows> rows = findPixelColumns(product, own.lhsMap, lhs, instruction);
      if (!rows || (most && (rows->rows != most->rows || rows->columns != most->columns)))
        return std::nullopt;
      if (!most || rows->tapRows * rows->tapElements > most->tapRows * most->tapElements)
        most = rows;
    }
    return most;
  }

  /// Neighbours in k that lie together, or are missing together, where one operand is an image: a row of the filter's
  /// taps, its channels if that is long; a row of pixels.
  static int64_t findRun(const Contraction &product) {
    const Contraction::Class *largest = findLargest(product.classes);
    const IndexMap &given = largest ? largest->lhsMap : product.lhsMap;
    for (const IndexMap &map : {given, product.rhsMap}) {
      if (map.isMatrix() || map.depth.empty())
        continue;
      IndexMap joined = map;
      joined.joinPixels();
      const int64_t row = joined.depth.back().size;
      return row <= kLongestRun ? row : map.depth.back().size;
    }
    return 1;
  }

  /// Whether an operand may be read where it lies: its rows are those of a step of k.
  static bool mayStream(const IndexMap &map) { return map.isMatrix() && !map.isAlongDepth(); }

  /// Whether another kernel can pack an operand: a matrix, or filters, that nothing else in the product's kernel reads.
  static bool canPack(Value operand, const IndexMap &map) {
    if (!operand.hasOneUse() || typeOf(operand).getRank() < 2)
      return false;
    if (areFilters(typeOf(operand), map))
      return true;
    if (!map.isMatrix())
      return false;
    // A matrix of the operand's last dimensions.
    const int64_t last = map.isAlongDepth() ? map.depth.front().size : map.row.front().size;
    if (typeOf(operand).getShape().back() != last)
      return false;
    const int64_t batches = map.batch.empty() ? 1 : map.batch.front().size;
    const int64_t leading = ShapedType::getNumElements(typeOf(operand).getShape().drop_back(2));
    return map.isAlongDepth() ? leading % batches == 0 : leading == batches;
  }

  /// Whether an operand is derived state as it lies: what changes with its parameter alone.
  static bool isWeight(Value operand, const IndexMap &map) {
    auto inside = dyn_cast<BlockArgument>(operand);
    auto kernel = inside ? dyn_cast<KernelOp>(inside.getOwner()->getParentOp()) : KernelOp();
    auto state = kernel ? dyn_cast<BlockArgument>(kernel.getInputs()[inside.getArgNumber()]) : BlockArgument();
    auto program = kernel ? kernel->getParentOfType<func::FuncOp>() : func::FuncOp();
    const bool isMatrix = typeOf(operand).getRank() == 2 || areFilters(typeOf(operand), map);
    return state && program && isMatrix && getDerivedArgument(program, state.getArgNumber());
  }

  const CPULevel &level;
  const ProductOptions options;
};

} // namespace

std::unique_ptr<KernelScheduler> mp::createCPUScheduler(const CPULevel &level, const ProductOptions &options) {
  return std::make_unique<CPUScheduler>(level, options);
}
