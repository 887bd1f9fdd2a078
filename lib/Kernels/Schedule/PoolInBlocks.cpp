// Pool where a product is made.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Kernels/Passes.h"

#include "Kernels/Forming/RebuildKernel.h"
#include "Kernels/Schedule/KernelScheduler.h"
#include "Kernels/Schedule/PoolingBehind.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mp {
#define GEN_PASS_DEF_POOLINBLOCKSPASS
#include "mp/Kernels/Passes.h.inc"
} // namespace mp

using namespace mlir;
using namespace mp;

static bool hasWindows(Attribute schedule, const Contraction &product, const Pooled &pooled) {
  if (auto ofCPU = dyn_cast<ContractionScheduleAttr>(schedule))
    return mayPoolInBlocks(product, ofCPU, pooled);
  auto ofGPU = dyn_cast<MmaScheduleAttr>(schedule);
  return ofGPU && mayPoolInBlocks(product, ofGPU, pooled);
}

namespace {

struct PoolInBlocksPass : mp::impl::PoolInBlocksPassBase<PoolInBlocksPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<KernelOp> products;
    for (KernelOp kernel : getOperation().getOps<KernelOp>())
      if (kernel.getSchedule() && findContraction(kernel))
        products.push_back(kernel);
    bool isMoved = false;
    for (KernelOp product : products)
      isMoved |= movePoolingTo(product);
    if (!isMoved)
      markAllAnalysesPreserved(); // nothing for the verifier to see
  }

private:
  static bool movePoolingTo(KernelOp product) {
    std::optional<PoolingBehind> behind = findPoolingBehind(product);
    if (!behind || !isa_and_nonnull<MapScheduleAttr>(behind->kernel.getScheduleAttr()) ||
        !hasWindows(product.getScheduleAttr(), findContraction(product).getContraction(), behind->pooled))
      return false;
    RebuiltKernel moved(behind->kernel, behind->kernel->getResultTypes(), product.getKernelName());
    moved.inside.map(behind->image, moved.yieldsOf(product).front());
    moved.replace(behind->kernel).setScheduleAttr(product.getScheduleAttr());
    product.erase();
    return true;
  }
};

} // namespace
