// Give each kernel a schedule.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Kernels/Passes.h"

#include "Kernels/Schedule/KernelScheduler.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mp/IR/Program.h"

namespace mp {
#define GEN_PASS_DEF_SCHEDULEKERNELSPASS
#include "mp/Kernels/Passes.h.inc"
} // namespace mp

using namespace mlir;
using namespace mp;

namespace {

struct ScheduleKernelsPass : mp::impl::ScheduleKernelsPassBase<ScheduleKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    FailureOr<std::unique_ptr<KernelScheduler>> scheduler =
        createScheduler(getOperation(), features,
                        {allowTF32, allowFP16ReducedPrecisionReduction, allowBF16ReducedPrecisionReduction, allowBF16x3,
                         allowBF16x6, allowBF16x9});
    if (failed(scheduler))
      return signalPassFailure();
    const WalkResult walked = getOperation().walk([&](KernelOp kernel) {
      FailureOr<ScheduleInterface> schedule = (*scheduler)->schedule(kernel);
      if (failed(schedule))
        return WalkResult::interrupt();
      kernel.setScheduleAttr(*schedule);
      return WalkResult::advance();
    });
    if (walked.wasInterrupted())
      return signalPassFailure();
    getOperation().walk([](Operation *op) { op->removeAttr(names::schedule); }); // the kernel has it now
  }
};

} // namespace
