// Who chooses schedules.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Schedule/KernelScheduler.h"

#include "Kernels/Forming/Machines.h"

using namespace mlir;
using namespace mp;

FailureOr<std::unique_ptr<KernelScheduler>> mp::createScheduler(Operation *op, StringRef machine,
                                                                const ProductOptions &options) {
  if (options.bf16x3 + options.bf16x6 + options.bf16x9 > 1)
    return op->emitError("has several of allow-bf16x3, allow-bf16x6 and allow-bf16x9; expected one");
  const Machine named(op, machine);
  if (named.level)
    return createCPUScheduler(*named.level, options);
  if (named.chip)
    return createGPUScheduler(*named.chip, options);
  return failure();
}

const Contraction::Class *mp::findLargest(ArrayRef<Contraction::Class> classes) {
  auto isSmaller = [](const Contraction::Class &a, const Contraction::Class &b) { return a.m * a.k < b.m * b.k; };
  return classes.empty() ? nullptr : &*llvm::max_element(classes, isSmaller);
}

SmallVector<Operation *> mp::findRole(KernelOp kernel, KernelRole role) {
  SmallVector<Operation *> found;
  for (Operation &op : kernel.getBody().front().without_terminator())
    if (roleOf(&op) == role)
      found.push_back(&op);
  return found;
}

ContractionOpInterface mp::findContraction(KernelOp kernel) {
  auto products = kernel.getBody().front().getOps<ContractionOpInterface>();
  return products.empty() ? ContractionOpInterface() : *products.begin();
}

int64_t mp::findPartialBlock(KernelOp kernel) {
  return cast<KernelOpInterface>(findRole(kernel, KernelRole::Partial).front()).getPartialBlock();
}
