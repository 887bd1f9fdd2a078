// Cut long products over few blocks into parts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Kernels/Passes.h"

#include "Kernels/Forming/KernelKind.h"
#include "Kernels/Schedule/KernelScheduler.h"
#include "Kernels/Schedule/SplitContraction.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mp/IR/Program.h"

namespace mp {
#define GEN_PASS_DEF_SPLITCONTRACTIONSPASS
#include "mp/Kernels/Passes.h.inc"
} // namespace mp

using namespace mlir;
using namespace mp;

namespace {

struct SplitContractionsPass : mp::impl::SplitContractionsPassBase<SplitContractionsPass> {
  using Base::Base;

  void runOnOperation() override {
    FailureOr<std::unique_ptr<KernelScheduler>> scheduler = createScheduler(
        getOperation(), features, {allowTF32, allowFP16ReducedPrecisionReduction, allowBF16ReducedPrecisionReduction});
    if (failed(scheduler))
      return signalPassFailure();
    SmallVector<ContractionOpInterface> products;
    getOperation().walk([&](KernelOp kernel) {
      if (getKernelKind(kernel) == KernelKind::Contraction)
        products.push_back(findContraction(kernel));
    });
    for (ContractionOpInterface product : products) {
      FailureOr<std::optional<ProductParts>> parts = (*scheduler)->cut(product);
      if (failed(parts))
        return signalPassFailure();
      if (*parts)
        split(product->getParentOfType<KernelOp>(), **parts);
    }
  }

private:
  static void split(KernelOp kernel, const ProductParts &parts) {
    SmallVector<KernelOp, 2> kernels = splitContraction(kernel, parts.depth, parts.partType);
    if (parts.given)
      findContraction(kernels.front())->setAttr(names::schedule, parts.given);
  }
};

} // namespace
