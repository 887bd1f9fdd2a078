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

/// Elements of panels that one block packs: some microseconds of work.
static constexpr int64_t kElementsPerBlock = 16384;

PackScheduleAttr mp::schedulePack(KernelOp kernel, int64_t vector) {
  const PackedMatrix matrix = cast<PackOp>(findRole(kernel, KernelRole::Pack).front()).getMatrix();
  const int64_t most = std::max<int64_t>(matrix.panels(), 1);
  const int64_t panels = std::clamp<int64_t>(kElementsPerBlock / matrix.panelElements(), 1, most);
  return PackScheduleAttr::get(kernel.getContext(), panels, vector);
}

namespace {

/// Moves the packing of a product's operands out of its kernel.
class OperandPacker {
public:
  OperandPacker(KernelOp kernel, ContractionScheduleAttr schedule)
      : old(kernel), schedule(schedule), op(findContraction(kernel)), product(op.getContraction()) {}

  void run() {
    SmallVector<std::pair<Value, Value>> packed;
    if (schedule.getPackLhs())
      packed.emplace_back(op.getLhs(),
                          pack(op.getLhs(), product.lhsMap, lhsPanels(product, schedule), product.m, "lhs"));
    if (schedule.getPackRhs())
      packed.emplace_back(op.getRhs(), pack(op.getRhs(), product.rhsMap, rhsPanels(schedule), product.n, "rhs"));
    RebuiltKernel kernel(old, old->getResultTypes(), old.getKernelName());
    for (auto [operand, value] : packed) {
      auto packing = cast<PackOp>(cast<YieldOp>(value.getDefiningOp<KernelOp>().getBody().front().getTerminator())
                                      .getOperand(0)
                                      .getDefiningOp());
      Value again = UnpackOp::create(kernel.b, typeOf(operand), kernel.input(value), packing.getBatches(),
                                     packing.getTransposed(), packing.getPanels());
      kernel.inside.map(operand, again);
    }
    kernel.replace(old).setScheduleAttr(schedule);
  }

private:
  /// `operand`, of `rows` rows, packed by a kernel in front of the product's.
  Value pack(Value operand, const IndexMap &map, PanelsAttr panels, int64_t rows, StringRef side) {
    const int64_t batches = map.batch.empty() ? 1 : product.batch;
    const PackedMatrix matrix{
        batches, rows, product.k, panels.getRows(), panels.getDepth(), panels.getUnit(), panels.getDepthInner()};
    auto type = RankedTensorType::get(matrix.shape(), packedElement(product, schedule));
    RebuiltKernel kernel(old, type, old.getKernelName() + "." + side);
    Value input = kernel.get(operand);
    kernel.yield(PackOp::create(kernel.b, type, input, batches, !map.isAlongDepth(), panels).getResult());
    kernel.kernel.setScheduleAttr(schedulePack(kernel.kernel, schedule.getVector()));
    return kernel.kernel.getResult(0);
  }

  KernelOp old;
  ContractionScheduleAttr schedule;
  ContractionOpInterface op;
  const Contraction product;
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
