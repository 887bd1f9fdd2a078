// What a program computes in which types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Analysis/OpStatistics.h"

#include "mlir/IR/Builders.h"

#include <map>

using namespace mlir;
using namespace mp;

StatisticsAttr mp::countOps(func::FuncOp program) {
  int64_t casts = 0;
  std::map<std::string, int64_t> counts;
  program.getBody().walk([&](Operation *op) {
    auto kernelOp = dyn_cast<KernelOpInterface>(op);
    if (!kernelOp || op->getNumResults() == 0 ||
        llvm::is_contained({KernelRole::Constant, KernelRole::Movement, KernelRole::None}, kernelOp.getKernelRole()))
      return;
    if (isa<CastOp>(op)) {
      ++casts;
      return;
    }
    std::string type;
    llvm::raw_string_ostream(type) << cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
    ++counts[type];
  });
  Builder builder(program.getContext());
  SmallVector<NamedAttribute> ops;
  for (const auto &[type, count] : counts)
    ops.push_back(builder.getNamedAttr(type, builder.getI64IntegerAttr(count)));
  return StatisticsAttr::get(program.getContext(), casts, builder.getDictionaryAttr(ops));
}
