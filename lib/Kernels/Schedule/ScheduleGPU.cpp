// Schedules for GPUs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Forming/KernelKind.h"
#include "Kernels/Schedule/KernelScheduler.h"
#include "Kernels/Schedule/MatrixCost.h"
#include "Kernels/Schedule/MatrixSchedules.h"
#include "mp/Analysis/CostModel.h"
#include "mp/Analysis/ProductRows.h"
#include "mp/Analysis/TransposedNest.h"
#include "mp/IR/Program.h"
#include "mp/IR/Tiles.h"

#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mp;

/// Threads of a block: enough warps to hide what each waits for, few enough that several blocks share a multiprocessor.
static constexpr int64_t kThreads = 256;

/// Rows as long as this many accesses of a warp are a whole block's.
static constexpr int64_t kLongRow = 32;

namespace {

/// A chip, and what kernels on it may do that changes results.
struct GPUTarget {
  const Chip &chip;
  ProductOptions products = {};
};

} // namespace

static MmaScheduleAttr withParts(MmaScheduleAttr s, int64_t parts) {
  return MmaScheduleAttr::get(s.getContext(), s.getBlockM(), s.getBlockN(), s.getBlockK(), s.getWarpsM(), s.getWarpsN(),
                              s.getStages(), parts, s.getInstruction());
}

/// What keeps a product from the schedule that its text gives it; empty if nothing does.
static std::string explainUnusable(MmaScheduleAttr schedule, const Contraction &shape, const GPUTarget &target) {
  if (schedule.getInstruction() == MatrixInstruction::Mma16x8x8TF32 && !target.products.tf32)
    return "operands in tf32, which only allow-tf32 permits";
  if (!shape.takesParts && shape.parts == 1 && schedule.getSplitK() != 1)
    return "split_k of 1: the k of this op is not cut into parts";
  if (shape.parts > 1 && (schedule.getSplitK() != shape.parts || shape.depth % schedule.getBlockK() != 0))
    return "other parts of k than the product has";
  const MatrixTiles tiles(schedule, shape);
  const std::string why = explainIllegal(tiles, target.chip);
  return why.empty() ? explainCrowded(tiles, target.chip) : why;
}

/// The schedule of a product: the one that its text gives it as mp.schedule, or the cost model's choice.
static FailureOr<MmaScheduleAttr> findMatrixSchedule(ContractionOpInterface product, const GPUTarget &target) {
  Contraction shape = product.getContraction();
  // Classes of rows are products of their own, one after the other.
  const ArrayRef<Contraction::Class> classes = classesInCode(shape, /*isForGPU=*/true);
  if (const Contraction::Class *largest = findLargest(classes)) {
    shape.m = largest->m;
    shape.k = shape.depth = largest->k;
    shape.lhsMap = largest->lhsMap;
    shape.rhsMap = largest->rhsMap;
    shape.batch *= static_cast<int64_t>(classes.size());
  }
  if (auto given = product->getAttrOfType<MmaScheduleAttr>(names::schedule)) {
    const std::string why = explainUnusable(given, shape, target);
    if (why.empty())
      return given;
    return product->emitOpError() << names::schedule << " needs " << why;
  }
  if (MmaScheduleAttr chosen = chooseMatrixSchedule(shape, target.chip, target.products).schedule)
    return chosen;
  return product->emitOpError("has no schedule on ") << target.chip.name;
}

namespace {

/// The schedule of one kernel.
class KernelOnGPU {
public:
  KernelOnGPU(KernelOp kernel, const GPUTarget &target)
      : kernel(kernel), target(target), chip(target.chip), context(kernel.getContext()), vector(chooseVector()) {}

  FailureOr<ScheduleInterface> schedule() {
    switch (getKernelKind(kernel)) {
    case KernelKind::Map:
      return ScheduleInterface(scheduleMap());
    case KernelKind::Row:
      return ScheduleInterface(scheduleRows());
    case KernelKind::Column:
      return ScheduleInterface(scheduleColumns());
    case KernelKind::Pack:
      return kernel.emitOpError("packs an operand, which products on a GPU do themselves");
    case KernelKind::Attention:
      return kernel.emitOpError(
                 "walks the keys of attention, which no kernel on a GPU does; run mp-decompose{features=")
             << chip.name << "} first";
    case KernelKind::Partial:
      return ScheduleInterface(PartialScheduleAttr::get(context, findPartialBlock(kernel), vector, kThreads));
    case KernelKind::Serial:
      return ScheduleInterface(SerialScheduleAttr::get(context, vector, chooseSerialThreads()));
    case KernelKind::Contraction:
      return scheduleProduct();
    }
    llvm_unreachable("unknown kind");
  }

private:
  /// Elements that a thread takes at once: an access of the narrowest float is as wide as accesses get, but for bytes,
  /// of which a thread takes as many as of f16.
  int64_t chooseVector() {
    int64_t bytes = 4;
    auto consider = [&](Value value) {
      const int64_t size = typeOf(value).getElementTypeBitWidth() / 8;
      if (typeOf(value).getNumElements() > 1 && size < bytes)
        bytes = std::max<int64_t>(size, 2);
    };
    llvm::for_each(kernel.getInputs(), consider);
    llvm::for_each(kernel.getResults(), consider);
    return Chip::kAccessBytes / bytes;
  }

  /// Matrices that a map transposes pass through shared memory. A lane takes 4 bytes of the widest, a warp 128.
  MapScheduleAttr scheduleMap() {
    constexpr int64_t kLaneBytes = 4, kMostShared = 48 << 10;
    int64_t widest = 1, sizes = 0, shared = 0;
    SmallVector<TransposedNest> nests;
    for (Value result : kernel.getResults())
      if (std::optional<TransposedNest> nest = findTransposedNest(kernel, typeOf(result).getShape())) {
        widest = std::max(widest, nest->elementBytes());
        sizes = std::gcd(sizes, std::gcd(nest->rows, nest->columns));
        nests.push_back(*nest);
      }
    const int64_t lanes = std::gcd(std::max<int64_t>(kLaneBytes / widest, 1), sizes), tile = Chip::kWarp * lanes;
    for (const TransposedNest &nest : nests)
      shared = std::max(shared, nest.sharedBytes(tile));
    if (nests.empty() || shared > kMostShared)
      return MapScheduleAttr::get(context, kThreads * vector * chooseSteps(), vector, kThreads, /*tile=*/1);
    return MapScheduleAttr::get(context, tile * tile, lanes, kThreads, tile);
  }

  /// How many times each thread of a map does so: twice, so that one waits for memory while the other computes, where
  /// the chip is full without.
  int64_t chooseSteps() {
    int64_t elements = 0;
    for (Value result : kernel.getResults())
      elements = std::max(elements, typeOf(result).getNumElements());
    return elements >= 2 * chip.multiprocessors * chip.threadsPerMultiprocessor * vector ? 2 : 1;
  }

  FailureOr<ScheduleInterface> scheduleProduct() {
    ContractionOpInterface op = findContraction(kernel);
    FailureOr<MmaScheduleAttr> schedule = findMatrixSchedule(op, target);
    if (failed(schedule))
      return failure();
    if (schedule->getInstruction() == MatrixInstruction::Mma16x8x8TF32)
      remark::analysis(op->getLoc(), remark::RemarkOpts::name("TF32").category("mp-schedule-kernels"))
          << "operands of f32 are rounded to tf32, as allow-tf32 says";
    return ScheduleInterface(*schedule);
  }

  /// A row is as many threads as have a vector of it, a warp at most, but for long rows.
  RowScheduleAttr scheduleRows() {
    int64_t accesses = 1, rows = 1;
    for (Operation *op : findRole(kernel, KernelRole::Row)) {
      ArrayRef<int64_t> shape = typeOf(op->getOperand(0)).getShape();
      accesses = std::max(accesses, shape.back() / std::gcd(shape.back(), vector));
      rows = std::max<int64_t>(ShapedType::getNumElements(shape.drop_back()), 1);
    }
    const auto wanted = static_cast<int64_t>(llvm::PowerOf2Ceil(accesses));
    if (accesses >= kLongRow * Chip::kWarp) {
      const int64_t threads = std::clamp<int64_t>(wanted / 8, kThreads, Chip::kThreadsPerBlock);
      return RowScheduleAttr::get(context, /*rows=*/1, vector, threads, /*threads_per_row=*/threads);
    }
    const int64_t threadsPerRow = std::min(wanted, Chip::kWarp);
    // Few rows are spread over more blocks.
    int64_t threads = kThreads;
    while (threads > Chip::kWarp && rows * threadsPerRow < threads * chip.multiprocessors)
      threads /= 2;
    return RowScheduleAttr::get(context, threads / threadsPerRow, vector, threads, threadsPerRow);
  }

  /// Eight threads read a line of columns: 128 bytes of f32. Where rows are few, more do, so that each has four rows.
  /// Where blocks are few and rows many, a block takes fewer columns, so that there are more.
  ColumnScheduleAttr scheduleColumns() {
    constexpr int64_t kRows = 4;
    int64_t most = 1, rows = 1;
    SmallVector<int64_t> widths;
    for (Operation *op : findRole(kernel, KernelRole::Row)) {
      const int64_t columns = typeOf(op->getResult(0)).getNumElements();
      most = std::max(most, columns);
      rows = std::max(rows, typeOf(op->getOperand(0)).getNumElements() / std::max<int64_t>(columns, 1));
      widths.push_back(columns);
    }
    const int64_t lines = std::clamp<int64_t>(llvm::PowerOf2Ceil(llvm::divideCeil(rows, kRows)), 1, kThreads / 8);
    const int64_t line = kThreads / lines * vector;
    // A root that is not read in vectors takes a thread for each column.
    const int64_t longest = std::min<int64_t>(line, kThreads);
    int64_t columns = std::clamp<int64_t>(static_cast<int64_t>(llvm::PowerOf2Ceil(most)), vector, longest);
    auto countBlocks = [&] {
      int64_t blocks = 0;
      for (int64_t width : widths)
        blocks += llvm::divideCeil(width, columns);
      return blocks;
    };
    auto rowsOfThread = [&] { return rows * columns / (kThreads * vector); };
    while (columns > vector && rowsOfThread() > kRows && countBlocks() < chip.multiprocessors)
      columns /= 2;
    return ColumnScheduleAttr::get(context, columns, vector, kThreads);
  }

  /// One warp for scalars, a full block for what is large.
  int64_t chooseSerialThreads() {
    int64_t elements = 1;
    for (Operation &op : kernel.getBody().front().without_terminator())
      for (Value operand : op.getOperands())
        elements = std::max(elements, typeOf(operand).getNumElements());
    if (elements <= Chip::kWarp)
      return Chip::kWarp;
    return elements >= 4 * Chip::kThreadsPerBlock ? Chip::kThreadsPerBlock : kThreads;
  }

  KernelOp kernel;
  const GPUTarget &target;
  const Chip &chip;
  MLIRContext *context;
  const int64_t vector;
};

class GPUScheduler final : public KernelScheduler {
public:
  explicit GPUScheduler(const GPUTarget &target) : target(target) {}

  FailureOr<ScheduleInterface> schedule(KernelOp kernel) const override {
    return KernelOnGPU(kernel, target).schedule();
  }

  FailureOr<std::optional<ProductParts>> cut(ContractionOpInterface product) const override {
    const Contraction shape = product.getContraction();
    if (!shape.takesParts)
      return std::optional<ProductParts>();
    FailureOr<MmaScheduleAttr> schedule = findMatrixSchedule(product, target);
    if (failed(schedule))
      return failure();
    if (schedule->getSplitK() == 1)
      return std::optional<ProductParts>();
    ProductParts parts = {depthOfParts(shape.k, schedule->getSplitK(), schedule->getBlockK()),
                          target.products.typeOfParts(shape.element, shape.acc),
                          {}};
    if (parts.partType != shape.acc)
      explainRounding(product, shape.element);
    if (product->hasAttr(names::schedule))
      parts.given = withParts(*schedule, countParts(shape.k, parts.depth));
    return std::optional(parts);
  }

private:
  static void explainRounding(ContractionOpInterface product, Type element) {
    remark::analysis(product.getLoc(),
                     remark::RemarkOpts::name("ReducedPrecisionReduction").category("mp-split-contractions"))
        << ("sums of parts of k are rounded to " + Twine(element.isF16() ? "f16" : "bf16") + ", as allow-" +
            (element.isF16() ? "fp16" : "bf16") + "-reduced-precision-reduction says")
               .str();
  }

  GPUTarget target;
};

} // namespace

std::unique_ptr<KernelScheduler> mp::createGPUScheduler(const Chip &chip, const ProductOptions &options) {
  return std::make_unique<GPUScheduler>(GPUTarget{chip, options});
}
