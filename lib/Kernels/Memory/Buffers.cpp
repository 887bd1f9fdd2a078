// Where values of a program of kernels lie.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Memory/Buffers.h"

#include "Kernels/Forming/KernelKind.h"
#include "mp/Analysis/CostModel.h"
#include "mp/IR/Program.h"

using namespace mlir;
using namespace mp;

StringAttr mp::getStateName(func::FuncOp func, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument ? getStateName(func, argument.getArgNumber()) : StringAttr();
}

int64_t mp::countStateBytes(func::FuncOp func) {
  DenseSet<StringAttr> taken;
  int64_t bytes = 0;
  for (BlockArgument argument : func.getArguments())
    if (StringAttr name = getStateName(func, argument)) {
      taken.insert(name);
      bytes += countBytes(argument.getType());
    }
  // Derived state that the program only makes.
  for (auto [index, type] : llvm::enumerate(func.getResultTypes()))
    if (StringAttr name = getNextState(func, index); name && taken.insert(name).second)
      bytes += countBytes(type);
  return bytes;
}

Attribute mp::getResultBuffer(func::FuncOp func, unsigned index) {
  if (StringAttr state = getNextState(func, index))
    return StateBufferAttr::get(func.getContext(), state);
  return ResultBufferAttr::get(func.getContext(), index);
}

Attribute mp::getBuffer(Value value) {
  if (auto copy = value.getDefiningOp<CopyOp>())
    return copy.getBuffer();
  auto kernel = value.getDefiningOp<KernelOp>();
  if (!kernel || !kernel.getBuffers())
    return {};
  return (*kernel.getBuffers())[cast<OpResult>(value).getResultNumber()];
}

bool mp::canUpdateInPlace(KernelOp kernel, unsigned input, unsigned result) {
  if (getKernelKind(kernel) != KernelKind::Map)
    return false;
  BlockArgument argument = kernel.getBody().getArgument(input);
  ArrayRef<int64_t> shape = cast<RankedTensorType>(argument.getType()).getShape();
  auto yield = cast<YieldOp>(kernel.getBody().front().getTerminator());
  if (cast<RankedTensorType>(yield.getOperand(result).getType()).getShape() != shape)
    return false;

  SmallVector<Value> reached = {argument};
  DenseSet<Operation *> seen;
  while (!reached.empty())
    for (OpOperand &use : reached.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      if (user == yield)
        continue;
      if (readsWhole(use))
        return false;
      if (!seen.insert(user).second)
        continue;
      // Packed is what a block has made of its elements, in memory of its own.
      if (isa<PackOp>(user))
        continue;
      auto isSameShape = [&](Value value) { return cast<RankedTensorType>(value.getType()).getShape() == shape; };
      if (cast<KernelOpInterface>(user).getKernelRole() != KernelRole::Map ||
          !llvm::all_of(user->getResults(), isSameShape))
        return false;
      llvm::append_range(reached, user->getResults());
    }
  return true;
}
