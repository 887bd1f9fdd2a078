// Pool where a product is made.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Kernels/Passes.h"

#include "Kernels/Forming/RebuildKernel.h"
#include "Kernels/Schedule/KernelScheduler.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mp/Analysis/Pooled.h"

namespace mp {
#define GEN_PASS_DEF_POOLINBLOCKSPASS
#include "mp/Kernels/Passes.h.inc"
} // namespace mp

using namespace mlir;
using namespace mp;

/// Whether all that `kernel` makes is made of what its pooling gives, pixel by pixel, and that of nothing but `image`.
static bool isPooling(KernelOp kernel, const Pooled &pooled, BlockArgument image) {
  return isa_and_nonnull<MapScheduleAttr>(kernel.getScheduleAttr()) && image && image.hasOneUse() &&
         pooled.results.size() == kernel.getNumResults() && llvm::all_of(kernel.getResults(), [&](Value result) {
           return shapeOf(result) == shapeOf(pooled.op->getResult(0));
         });
}

static bool hasWindows(Attribute schedule, const Contraction &product, const Pooled &pooled) {
  if (auto ofCPU = dyn_cast<ContractionScheduleAttr>(schedule))
    return mayPoolInBlocks(product, ofCPU, pooled);
  auto ofGPU = dyn_cast<MmaScheduleAttr>(schedule);
  return ofGPU && mayPoolInBlocks(product, ofGPU, pooled);
}

/// The kernel of the product whose only result `image` is, for this reader alone, in blocks that have whole windows.
static KernelOp findProductOf(Value image, const Pooled &pooled) {
  auto kernel = image.getDefiningOp<KernelOp>();
  ContractionOpInterface op = kernel && kernel.getSchedule() ? findContraction(kernel) : ContractionOpInterface();
  const bool isMadeForIt = op && kernel.getNumResults() == 1 && image.hasOneUse() &&
                           shapeOf(image) == shapeOf(op->getResult(0)) && !findPooled(kernel);
  return isMadeForIt && hasWindows(kernel.getScheduleAttr(), op.getContraction(), pooled) ? kernel : KernelOp();
}

namespace {

struct PoolInBlocksPass : mp::impl::PoolInBlocksPassBase<PoolInBlocksPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<KernelOp> kernels(getOperation().getOps<KernelOp>());
    bool isMoved = false;
    for (KernelOp kernel : kernels)
      isMoved |= moveToProduct(kernel);
    if (!isMoved)
      markAllAnalysesPreserved(); // nothing for the verifier to see
  }

private:
  static bool moveToProduct(KernelOp kernel) {
    std::optional<Pooled> pooled = findPooled(kernel);
    auto image = pooled ? dyn_cast<BlockArgument>(pooled->image()) : BlockArgument();
    if (!pooled || !isPooling(kernel, *pooled, image))
      return false;
    KernelOp product = findProductOf(kernel.getInputs()[image.getArgNumber()], *pooled);
    if (!product)
      return false;
    RebuiltKernel moved(kernel, kernel->getResultTypes(), product.getKernelName());
    moved.inside.map(image, moved.yieldsOf(product).front());
    moved.replace(kernel).setScheduleAttr(product.getScheduleAttr());
    product.erase();
    return true;
  }
};

} // namespace
