// Give each kernel a schedule.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Kernels/Passes.h"

#include "Kernels/Forming/KernelKind.h"
#include "Kernels/Schedule/ScheduleGPU.h"
#include "Kernels/Schedule/TileResults.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mp/Analysis/CostModel.h"
#include "mp/IR/Program.h"
#include "mp/Kernels/Schedule/Schedules.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mp {
#define GEN_PASS_DEF_SCHEDULEKERNELSPASS
#include "mp/Kernels/Passes.h.inc"
} // namespace mp

using namespace mlir;
using namespace mp;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

namespace {

/// A block of a CPU is one thread.
constexpr int64_t kOneThread = 1;

/// Chooses schedules for one level of CPU features.
class Scheduler {
public:
  explicit Scheduler(const CPULevel &level) : level(level) {}

  Attribute schedule(KernelOp kernel) {
    MLIRContext *context = kernel.getContext();
    switch (getKernelKind(kernel)) {
    case KernelKind::Contraction:
      return scheduleContraction(kernel);
    case KernelKind::Map:
      return MapScheduleAttr::get(context, itemsPerBlock(kernel, countResultElements(kernel), 1024), level.lanes(),
                                  kOneThread,
                                  /*tile=*/1);
    case KernelKind::Row:
      return RowScheduleAttr::get(context, itemsPerBlock(kernel, countRows(kernel), 1), level.lanes(), kOneThread,
                                  /*threads_per_row=*/1);
    case KernelKind::Column:
      // 64 columns of f32 are four cache lines of each row.
      return ColumnScheduleAttr::get(context, itemsPerBlock(kernel, countResultElements(kernel), 64), level.lanes(),
                                     kOneThread);
    case KernelKind::Partial:
      return PartialScheduleAttr::get(context, findPartialBlock(kernel), level.lanes(), kOneThread);
    case KernelKind::Serial:
      return SerialScheduleAttr::get(context, level.lanes(), kOneThread);
    }
    llvm_unreachable("unknown kind");
  }

private:
  /// Of a kernel whose work is `total` equal items.
  int64_t itemsPerBlock(KernelOp kernel, int64_t total, int64_t granule) {
    double seconds = estimateSeconds(countWork(kernel), level) - level.launchSeconds;
    double perItem = std::max(seconds, 1e-12) / std::max<int64_t>(total, 1);
    return chooseItemsPerBlock(total, perItem, granule, level);
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

  static Operation *findRole(KernelOp kernel, KernelRole role) {
    for (Operation &op : kernel.getBody().front().without_terminator())
      if (cast<KernelOpInterface>(op).getKernelRole() == role)
        return &op;
    llvm_unreachable("the kind of a kernel promises the role");
  }

  static int64_t countRows(KernelOp kernel) {
    RankedTensorType input = typeOf(findRole(kernel, KernelRole::Row)->getOperand(0));
    return ShapedType::getNumElements(input.getShape().drop_back());
  }

  static int64_t findPartialBlock(KernelOp kernel) {
    return TypeSwitch<Operation *, int64_t>(findRole(kernel, KernelRole::Partial))
        .Case<NonfiniteBlocksOp, SumSquaresBlocksOp>([](auto op) { return op.getBlock(); });
  }

  Attribute scheduleContraction(KernelOp kernel) {
    const Contraction product =
        cast<ContractionOpInterface>(findRole(kernel, KernelRole::Contraction)).getContraction();
    ContractionBlocks blocks = chooseContractionBlocks(product.batch, product.m, product.n, product.depth, level);
    return ContractionScheduleAttr::get(kernel.getContext(), blocks.blockM, blocks.blockN, blocks.blockK, blocks.tileM,
                                        blocks.tileN, level.lanes());
  }

  const CPULevel &level;
};

struct ScheduleKernelsPass : mp::impl::ScheduleKernelsPassBase<ScheduleKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    const bool isGPU = target == "nvptx" || target == "simt";
    if (failed(isGPU ? scheduleForChip() : scheduleForCPU()))
      return signalPassFailure();
    getOperation().walk([](Operation *op) { op->removeAttr(names::schedule); }); // the kernel has it now
  }

private:
  LogicalResult scheduleForCPU() {
    const CPULevel *level = target == "cpu" ? findCPULevel(features) : nullptr;
    if (!level) {
      auto diagnostic = getOperation().emitError("no target '")
                        << target << "' with level '" << features << "'; there are";
      for (const CPULevel &row : allCPULevels())
        diagnostic << " cpu:" << row.name;
      return diagnostic << ", and nvptx and simt with a chip";
    }
    Scheduler scheduler(*level);
    getOperation().walk([&](KernelOp kernel) { kernel.setScheduleAttr(scheduler.schedule(kernel)); });
    return success();
  }

  LogicalResult scheduleForChip() {
    const Chip *chip = findChip(features);
    if (!chip)
      return getOperation().emitError(explainUnknownChip(features));
    const GPUTarget target{*chip, {allowTF32, allowFP16ReducedPrecisionReduction, allowBF16ReducedPrecisionReduction}};
    SmallVector<KernelOp> kernels;
    getOperation().walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    for (KernelOp whole : kernels) {
      KernelOp left = moveToProducts(whole);
      if (!left)
        continue;
      FailureOr<SmallVector<KernelOp, 2>> split = splitForGPU(left, target);
      if (failed(split))
        return failure();
      for (KernelOp kernel : *split) {
        FailureOr<Attribute> schedule = scheduleForGPU(kernel, target);
        if (failed(schedule))
          return failure();
        kernel.setScheduleAttr(*schedule);
      }
    }
    return success();
  }
};

} // namespace
