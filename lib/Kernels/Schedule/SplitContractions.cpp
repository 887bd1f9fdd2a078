// Cut long products over few blocks into parts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Kernels/Passes.h"

#include "Kernels/Forming/KernelKind.h"
#include "Kernels/Forming/RebuildKernel.h"
#include "Kernels/Schedule/KernelScheduler.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mp/IR/Program.h"
#include "mp/IR/Tiles.h"

namespace mp {
#define GEN_PASS_DEF_SPLITCONTRACTIONSPASS
#include "mp/Kernels/Passes.h.inc"
} // namespace mp

using namespace mlir;
using namespace mp;

/// Replaces the kernel of `product`, one mp.matmul, by one that sums parts of k into a value of its own, and one that
/// adds these up in order and does what followed the product.
static void split(ContractionOpInterface product, const ProductParts &how) {
  auto kernel = product->getParentOfType<KernelOp>();
  Value whole = product->getResult(0);
  const int64_t parts = countParts(product.getContraction().k, how.depth);
  // Sums of parts are added up in f32 whatever they are stored in; f64 stays.
  Type element = elementOf(whole), acc = product.getAcc();
  Type wide = acc.isF64() ? acc : Float32Type::get(acc.getContext());
  RankedTensorType sumType = typeOf(whole).clone(wide);
  SmallVector<int64_t> shape(sumType.getShape());
  shape.insert(shape.begin(), parts);
  auto partsType = RankedTensorType::get(shape, how.partType);

  RebuiltKernel first(kernel, partsType, kernel.getKernelName() + ".parts");
  Value lhs = first.get(product.getLhs()), rhs = first.get(product.getRhs());
  Operation *sums = product.cloneAsParts(first.b, lhs, rhs, how.depth, partsType);
  if (how.given)
    sums->setAttr(names::schedule, how.given);
  first.yield(sums->getResult(0));

  // The same sum, bias and rounding as those of the product.
  RebuiltKernel second(kernel, kernel->getResultTypes(), kernel.getKernelName());
  ImplicitLocOpBuilder &b = second.b;
  Value addends = castTo(b, second.input(first.kernel.getResult(0)), wide);
  Value sum = castTo(b, ReduceSumOp::create(b, sumType, addends, ArrayRef<int64_t>{0}), acc);
  if (Value bias = product.getBias())
    sum = AddOp::create(b, typeOf(sum), sum, castTo(b, second.get(bias), acc));
  sum = castTo(b, sum, element);
  second.inside.map(whole, sum);
  second.replace(kernel);
}

namespace {

struct SplitContractionsPass : mp::impl::SplitContractionsPassBase<SplitContractionsPass> {
  using Base::Base;

  void runOnOperation() override {
    FailureOr<std::unique_ptr<KernelScheduler>> scheduler =
        createScheduler(getOperation(), features,
                        {allowTF32, allowFP16ReducedPrecisionReduction, allowBF16ReducedPrecisionReduction, allowBF16x3,
                         allowBF16x6, allowBF16x9});
    if (failed(scheduler))
      return signalPassFailure();
    SmallVector<ContractionOpInterface> products;
    getOperation().walk([&](KernelOp kernel) {
      if (getKernelKind(kernel) == KernelKind::Contraction)
        products.push_back(findContraction(kernel));
    });
    bool isCut = false;
    for (ContractionOpInterface product : products) {
      FailureOr<std::optional<ProductParts>> parts = (*scheduler)->cut(product);
      if (failed(parts))
        return signalPassFailure();
      if (!*parts)
        continue;
      split(product, **parts);
      isCut = true;
    }
    if (!isCut)
      markAllAnalysesPreserved(); // nothing for the verifier to see
  }
};

} // namespace
