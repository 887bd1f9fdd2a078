// One value for each block of the elements of a tensor, on a GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Emit/Reduce.h"
#include "Codegen/NVVM/GPUThreadGroup.h"
#include "Codegen/NVVM/Roots.h"

using namespace mlir;
using namespace mp;

FailureOr<int64_t> mp::emitGPUPartial(GPUFunction &f, PartialScheduleAttr schedule) {
  GPUThreadGroup group(f, f.threads, schedule.getVector());
  SmallVector<Root> roots;
  for (auto [index, yield] : llvm::enumerate(f.yields())) {
    FailureOr<BlocksFormInterface> op = findBlocksOp(f, index);
    if (failed(op))
      return failure();
    const int64_t elements = cast<RankedTensorType>((*op)->getOperand(0).getType()).getNumElements();
    const int64_t blocks = cast<RankedTensorType>(yield.getType()).getNumElements();
    roots.push_back({{static_cast<unsigned>(index)},
                     elements,
                     blocks,
                     "granule " + std::to_string(blockGranule(op->getBlockSize(), elements))});
  }
  return forRoots(f, roots, [&](unsigned root, Value elements, Value block) {
    return emitPartialResult(f, group, root, block, elements);
  });
}
