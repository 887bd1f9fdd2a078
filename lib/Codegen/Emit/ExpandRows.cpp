// Ops over whole rows become what they are made of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Emit/ExpandRows.h"

#include "mp/IR/Forms.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;
using namespace mp;

OwningOpRef<KernelOp> mp::expandRows(KernelOp kernel) {
  auto hasForm = [](Operation &op) { return isa<RowFormInterface>(op); };
  if (llvm::none_of(kernel.getBody().front(), hasForm))
    return {};
  OwningOpRef<KernelOp> copy(kernel.clone());
  for (Operation &op : llvm::make_early_inc_range(copy->getBody().front())) {
    auto form = dyn_cast<RowFormInterface>(op);
    if (!form)
      continue;
    ImplicitLocOpBuilder builder(op.getLoc(), &op);
    op.replaceAllUsesWith(form.expand(builder));
    op.erase();
  }
  IRRewriter rewriter(kernel.getContext());
  DominanceInfo dominance(*copy);
  eliminateCommonSubExpressions(rewriter, dominance, *copy);
  return copy;
}
