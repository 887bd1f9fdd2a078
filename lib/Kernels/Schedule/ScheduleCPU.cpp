// Schedules for processors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Forming/KernelKind.h"
#include "Kernels/Schedule/KernelScheduler.h"
#include "mp/Analysis/CostModel.h"
#include "mp/Kernels/Schedule/Schedules.h"

using namespace mlir;
using namespace mp;

namespace {

/// A block of a CPU is one thread.
constexpr int64_t kOneThread = 1;

/// Chooses schedules for one level of CPU features.
class CPUScheduler final : public KernelScheduler {
public:
  explicit CPUScheduler(const CPULevel &level) : level(level) {}

  FailureOr<ScheduleInterface> schedule(KernelOp kernel) const override { return choose(kernel); }

private:
  ScheduleInterface choose(KernelOp kernel) const {
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

  /// Of a kernel whose work is `total` equal items.
  int64_t itemsPerBlock(KernelOp kernel, int64_t total, int64_t granule) const {
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

  static int64_t countRows(KernelOp kernel) {
    RankedTensorType input = typeOf(findRole(kernel, KernelRole::Row).front()->getOperand(0));
    return ShapedType::getNumElements(input.getShape().drop_back());
  }

  ContractionScheduleAttr scheduleContraction(KernelOp kernel) const {
    const Contraction product = findContraction(kernel).getContraction();
    ContractionBlocks blocks = chooseContractionBlocks(product.batch, product.m, product.n, product.depth, level);
    return ContractionScheduleAttr::get(kernel.getContext(), blocks.blockM, blocks.blockN, blocks.blockK, blocks.tileM,
                                        blocks.tileN, level.lanes());
  }

  const CPULevel &level;
};

} // namespace

std::unique_ptr<KernelScheduler> mp::createCPUScheduler(const CPULevel &level) {
  return std::make_unique<CPUScheduler>(level);
}
