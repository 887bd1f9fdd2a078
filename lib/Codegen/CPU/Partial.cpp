//===- Partial.cpp - one value for each block of the elements of a tensor
//---------------------------------------------===//

#include "Codegen/CPU/Reduce.h"

using namespace mlir;
using namespace mp;

FailureOr<int64_t> mp::emitPartial(CPUFunction &f, PartialScheduleAttr schedule) {
  int64_t grid = 0;
  for (auto [index, yield] : llvm::enumerate(f.yields())) {
    Operation *op = yield.getDefiningOp();
    if (!op || !isBlocksOp(op))
      return emitError(yield.getLoc(), "is yielded by a kernel of partial results and is none");
    const auto type = cast<RankedTensorType>(yield.getType());
    auto emit = [&, index = index](Value block) -> LogicalResult {
      Elements values(f.b);
      f.bindInputs(values);
      if (failed(values.prepare(op->getOperands())))
        return failure();
      FailureOr<Value> value = buildBlockOf(f, values, op, block);
      if (failed(value))
        return failure();
      values.store(*value, type.getElementType(), f.result(index), {block, 1, values.zero, 0, 1});
      return success();
    };
    const int64_t blocks = type.getNumElements();
    if (blocks != 0 && failed(f.forBlocks(grid, blocks, f.yields().size() == 1, emit)))
      return failure();
    grid += blocks;
  }
  return grid;
}
