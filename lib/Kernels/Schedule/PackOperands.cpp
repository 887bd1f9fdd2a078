// Operands of products that are packed once for all blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Kernels/Passes.h"

#include "Kernels/Forming/RebuildKernel.h"
#include "Kernels/Schedule/KernelScheduler.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mp/Analysis/RegisterTiles.h"

namespace mp {
#define GEN_PASS_DEF_PACKOPERANDSPASS
#include "mp/Kernels/Passes.h.inc"
} // namespace mp

using namespace mlir;
using namespace mp;

/// Elements of panels that one block packs: some tens of microseconds of work, in rows of memory that are long enough
/// to be fetched ahead.
static constexpr int64_t kElementsPerBlock = 131072;

PackScheduleAttr mp::schedulePack(KernelOp kernel, int64_t vector) {
  const PackedMatrix matrix = cast<PackOp>(findRole(kernel, KernelRole::Pack).front()).getMatrix();
  const int64_t most = std::max<int64_t>(matrix.panels(), 1);
  const int64_t panels = std::clamp<int64_t>(kElementsPerBlock / matrix.panelElements(), 1, most);
  return PackScheduleAttr::get(kernel.getContext(), panels, vector);
}

bool mp::areFilters(RankedTensorType operand, const IndexMap &map) {
  return operand.getRank() > 2 && map == IndexMap::ofFilters(operand.getShape(), !map.isAlongDepth());
}

namespace {

/// Moves the packing of a product's operands out of its kernel.
class OperandPacker {
public:
  OperandPacker(KernelOp kernel, ContractionScheduleAttr schedule)
      : old(kernel), schedule(schedule), op(findContraction(kernel)), product(op.getContraction()) {}

  void run() {
    if (schedule.getPackLhs())
      pack(op.getLhs(), product.lhsMap, lhsPanels(product, schedule), product.m, "lhs");
    if (schedule.getPackRhs())
      pack(op.getRhs(), product.rhsMap, rhsPanels(schedule), product.n, "rhs");
    RebuiltKernel kernel(old, old->getResultTypes(), old.getKernelName());
    for (const Packed &own : packed)
      kernel.inside.map(own.operand, UnpackOp::create(kernel.b, typeOf(own.operand), kernel.input(own.value),
                                                      own.batches, own.isFilters, own.isTransposed, own.panels)
                                         .getResult());
    kernel.replace(old).setScheduleAttr(schedule);
  }

private:
  /// An operand and what stands for it now.
  struct Packed {
    Value operand, value;
    int64_t batches;
    bool isFilters, isTransposed;
    PanelsAttr panels;
  };

  /// Has `operand`, of `rows` rows, packed by a kernel in front of the product's.
  void pack(Value operand, const IndexMap &map, PanelsAttr panels, int64_t rows, StringRef side) {
    const int64_t batches = map.batch.empty() ? 1 : product.batch;
    const bool isTransposed = !map.isAlongDepth(), isFilters = areFilters(typeOf(operand), map);
    const PackedMatrix matrix{batches,
                              rows,
                              product.k,
                              panels.getRows(),
                              panels.getDepth(),
                              panels.getUnit(),
                              panels.getDepthInner(),
                              panels.getParts()};
    auto type = RankedTensorType::get(matrix.shape(), packedElement(product, schedule));
    RebuiltKernel kernel(old, type, old.getKernelName() + "." + side);
    Value input = kernel.get(operand);
    kernel.yield(PackOp::create(kernel.b, type, input, batches, isFilters, isTransposed, panels).getResult());
    kernel.kernel.setScheduleAttr(schedulePack(kernel.kernel, schedule.getVector()));
    packed.push_back({operand, kernel.kernel.getResult(0), batches, isFilters, isTransposed, panels});
  }

  KernelOp old;
  ContractionScheduleAttr schedule;
  ContractionOpInterface op;
  const Contraction product;
  SmallVector<Packed> packed;
};

struct PackOperandsPass : mp::impl::PackOperandsPassBase<PackOperandsPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<std::pair<KernelOp, ContractionScheduleAttr>> kernels;
    getOperation().walk([&](KernelOp kernel) {
      auto schedule = dyn_cast_or_null<ContractionScheduleAttr>(kernel.getScheduleAttr());
      if (schedule && (schedule.getPackLhs() || schedule.getPackRhs()) && !isPacked(kernel))
        kernels.emplace_back(kernel, schedule);
    });
    for (auto [kernel, schedule] : kernels)
      OperandPacker(kernel, schedule).run();
    if (kernels.empty())
      markAllAnalysesPreserved(); // nothing for the verifier to see
  }

private:
  static bool isPacked(KernelOp kernel) { return !findRole(kernel, KernelRole::Unpack).empty(); }
};

} // namespace
