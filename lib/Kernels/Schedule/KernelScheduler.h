// Who chooses schedules.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_KERNELS_SCHEDULE_KERNELSCHEDULER_H
#define MP_LIB_KERNELS_SCHEDULE_KERNELSCHEDULER_H

#include "Kernels/Schedule/MatrixSchedules.h"
#include "mp/Hardware/CPULevels.h"
#include "mp/Hardware/ChipTable.h"
#include "mp/IR/MP.h"

#include <memory>

namespace mp {

/// How k of a product is cut: into parts of `depth`, whose sums have type `partType` in memory.
struct ProductParts {
  int64_t depth;
  mlir::Type partType;
  /// What the parts' own product is given as its schedule; null where the scheduler may choose.
  MmaScheduleAttr given;
};

/// Chooses how kernels run on one machine, from their kinds, shapes and types.
class KernelScheduler {
public:
  virtual ~KernelScheduler() = default;

  /// The schedule of a kernel. Emits an error where it has none.
  virtual mlir::FailureOr<ScheduleInterface> schedule(KernelOp kernel) const = 0;

  /// How k of `product` is cut, nothing where it stays whole. Emits an error where it has no schedule.
  virtual mlir::FailureOr<std::optional<ProductParts>> cut(ContractionOpInterface product) const {
    return std::optional<ProductParts>();
  }
};

/// The scheduler for a machine: a level of CPU features or a chip. Emits an error at `op` where none is called so.
mlir::FailureOr<std::unique_ptr<KernelScheduler>> createScheduler(mlir::Operation *op, llvm::StringRef machine,
                                                                  const ProductOptions &options = {});

std::unique_ptr<KernelScheduler> createCPUScheduler(const CPULevel &level, const ProductOptions &options);
std::unique_ptr<KernelScheduler> createGPUScheduler(const Chip &chip, const ProductOptions &options);

/// The schedule of a kernel that packs an operand.
PackScheduleAttr schedulePack(KernelOp kernel, int64_t vector);

/// Whether a product reads an operand of this type as filters: all of them, in a convolution's order or its gradient's.
bool areFilters(mlir::RankedTensorType operand, const IndexMap &map);

/// The ops of that role in a kernel, in order.
llvm::SmallVector<mlir::Operation *> findRole(KernelOp kernel, KernelRole role);

/// The product of a kernel, null where it has none.
ContractionOpInterface findContraction(KernelOp kernel);

/// The class with the most products; null of none.
const Contraction::Class *findLargest(llvm::ArrayRef<Contraction::Class> classes);

/// The elements that each root of a partial kernel makes one value of.
int64_t findPartialBlock(KernelOp kernel);

} // namespace mp

#endif // MP_LIB_KERNELS_SCHEDULE_KERNELSCHEDULER_H
