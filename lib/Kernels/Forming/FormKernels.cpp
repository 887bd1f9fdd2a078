// Gather the ops of a program into kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Kernels/Passes.h"

#include "Kernels/Forming/Groups.h"
#include "Kernels/Forming/Prepare.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mp/IR/Program.h"

namespace mp {
#define GEN_PASS_DEF_FORMKERNELSPASS
#include "mp/Kernels/Passes.h.inc"
} // namespace mp

using namespace mlir;
using namespace mp;

/// Whether `op` may stand in a program before kernels are formed.
static LogicalResult verifyFormable(Operation *op) {
  auto kernelOp = dyn_cast<KernelOpInterface>(op);
  if (!kernelOp || kernelOp.getKernelRole() == KernelRole::None)
    return op->emitError("cannot be in a kernel; only decomposed mp ops can");
  if (kernelOp.getKernelRole() == KernelRole::Composite)
    return op->emitError("is composite; run mp-decompose first");
  for (Type type : op->getResultTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type); !tensor || !tensor.hasStaticShape())
      return op->emitError("has a value of type ") << type << ", expected a static shape; run mp-specialize first";
  return success();
}

namespace {
struct FormKernelsPass : mp::impl::FormKernelsPassBase<FormKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isExternal())
      return;
    if (!llvm::hasSingleElement(func.getBody())) {
      func.emitError("a program is one block");
      return signalPassFailure();
    }
    for (Operation &op : func.getBody().front().without_terminator())
      if (failed(verifyFormable(&op)))
        return signalPassFailure();

    // Also erases what nothing reads.
    RewritePatternSet patterns(&getContext());
    populatePreparePatterns(patterns);
    if (failed(applyPatternsGreedily(func, std::move(patterns)))) {
      func.emitError("moving transposes and reshapes out of the way of kernels did not end");
      return signalPassFailure();
    }

    Grouping grouping(func);
    mergeIndependentGroups(grouping);
    emitKernels(func, grouping);

    unsigned kernels = llvm::range_size(func.getOps<KernelOp>());
    remark::analysis(func.getLoc(), remark::RemarkOpts::name("Summary").category("mp-form-kernels"))
        << remark::metric("kernels", kernels);
  }
};
} // namespace
