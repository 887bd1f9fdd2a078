// The pooling that reads what a product makes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Schedule/PoolingBehind.h"

#include "Kernels/Forming/KernelKind.h"
#include "Kernels/Schedule/KernelScheduler.h"

using namespace mlir;
using namespace mp;

/// Whether all that `kernel` makes is made of what its pooling gives, pixel by pixel, and that of nothing but `image`.
static bool isPooling(KernelOp kernel, const Pooled &pooled, BlockArgument image) {
  return getKernelKind(kernel) == KernelKind::Map && image && image.hasOneUse() &&
         pooled.results.size() == kernel.getNumResults() && llvm::all_of(kernel.getResults(), [&](Value result) {
           return shapeOf(result) == shapeOf(pooled.op->getResult(0));
         });
}

std::optional<PoolingBehind> mp::findPoolingBehind(KernelOp product) {
  ContractionOpInterface op = findContraction(product);
  if (!op || product.getNumResults() != 1 || findPooled(product))
    return std::nullopt;
  Value result = product.getResult(0);
  auto reader = result.hasOneUse() ? dyn_cast<KernelOp>(*result.user_begin()) : KernelOp();
  std::optional<Pooled> pooled = reader ? findPooled(reader) : std::nullopt;
  auto image = pooled ? dyn_cast<BlockArgument>(pooled->image()) : BlockArgument();
  if (!pooled || !isPooling(reader, *pooled, image) || reader.getInputs()[image.getArgNumber()] != result ||
      shapeOf(result) != shapeOf(op->getResult(0)))
    return std::nullopt;
  return PoolingBehind{reader, image, *pooled};
}
