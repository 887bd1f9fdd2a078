// A kernel made of the ops of others.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Forming/RebuildKernel.h"

using namespace mlir;
using namespace mp;

static KernelOp createEmpty(KernelOp old, TypeRange results, const Twine &name) {
  OpBuilder before(old);
  return KernelOp::create(before, old.getLoc(), results, name.str(), ValueRange(), /*schedule=*/nullptr,
                          /*buffers=*/nullptr, /*guard=*/nullptr);
}

RebuiltKernel::RebuiltKernel(KernelOp old, TypeRange results, const Twine &name)
    : kernel(createEmpty(old, results, name)),
      b(old.getLoc(), OpBuilder::atBlockEnd(&kernel.getBody().emplaceBlock())) {}

Value RebuiltKernel::get(Value value) {
  if (Value known = inside.lookupOrNull(value))
    return known;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto owner = cast<KernelOp>(argument.getOwner()->getParentOp());
    Value own = input(owner.getInputs()[argument.getArgNumber()]);
    inside.map(value, own);
    return own;
  }
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    get(operand);
  b.clone(*op, inside);
  return inside.lookup(value);
}

Value RebuiltKernel::input(Value outside) {
  Value &argument = inputs[outside];
  if (!argument) {
    kernel.getInputsMutable().append(outside);
    argument = kernel.getBody().addArgument(outside.getType(), outside.getLoc());
  }
  return argument;
}

SmallVector<Value> RebuiltKernel::yieldsOf(KernelOp old) {
  return llvm::map_to_vector(old.getBody().front().getTerminator()->getOperands(),
                             [&](Value value) { return get(value); });
}

KernelOp RebuiltKernel::replace(KernelOp old) {
  yield(yieldsOf(old));
  old->replaceAllUsesWith(kernel->getResults());
  old.erase();
  return kernel;
}
