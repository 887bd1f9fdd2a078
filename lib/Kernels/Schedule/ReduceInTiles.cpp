// Reduce where a product is made.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Kernels/Passes.h"

#include "Kernels/Schedule/KernelScheduler.h"
#include "Kernels/Schedule/TileResults.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mp {
#define GEN_PASS_DEF_REDUCEINTILESPASS
#include "mp/Kernels/Passes.h.inc"
} // namespace mp

using namespace mlir;
using namespace mp;

namespace {

struct ReduceInTilesPass : mp::impl::ReduceInTilesPassBase<ReduceInTilesPass> {
  using Base::Base;

  void runOnOperation() override {
    FailureOr<std::unique_ptr<KernelScheduler>> scheduler = createScheduler(getOperation(), features);
    if (failed(scheduler))
      return signalPassFailure();
    SmallVector<KernelOp> kernels;
    getOperation().walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    auto schedule = [&](KernelOp kernel) {
      FailureOr<ScheduleInterface> chosen = (*scheduler)->schedule(kernel);
      if (succeeded(chosen))
        kernel.setScheduleAttr(*chosen);
      return succeeded(chosen);
    };
    bool isMoved = false;
    for (KernelOp kernel : kernels) {
      if (!kernel.getSchedule())
        continue; // neither are its products scheduled
      const llvm::SetVector<KernelOp> readers = cutMoments(kernel);
      isMoved |= !readers.empty();
      if (!llvm::all_of(readers, schedule))
        return signalPassFailure();
      KernelOp left = moveToProducts(kernel);
      isMoved |= left != kernel;
      if (!left || left.getSchedule())
        continue;
      // Little is left to reduce, of another shape: it runs in another way.
      if (!schedule(left))
        return signalPassFailure();
    }
    if (!isMoved)
      markAllAnalysesPreserved(); // nothing for the verifier to see
  }
};

} // namespace
