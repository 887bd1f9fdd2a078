//===- ScheduleGPU.cpp - schedules for GPUs ----------------------------------------------------------------===//

#include "ScheduleGPU.h"

#include "KernelKind.h"
#include "mp/Analysis/CostModel.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mp;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Threads of a block: enough warps to hide what each waits for, few enough that several blocks share a multiprocessor.
static constexpr int64_t kThreads = 256;

namespace {

class GPUScheduler {
public:
  GPUScheduler(KernelOp kernel, const Chip &chip)
      : kernel(kernel), chip(chip), context(kernel.getContext()), vector(chooseVector()) {}

  FailureOr<Attribute> schedule() {
    switch (getKernelKind(kernel)) {
    case KernelKind::Map:
      return Attribute(MapScheduleAttr::get(context, kThreads * vector * chooseSteps(), vector, kThreads));
    default:
      return kernel.emitOpError("no GPU schedule yet for a ")
             << stringifyKernelKind(getKernelKind(kernel)) << " kernel";
    }
  }

private:
  /// Elements that a thread takes at once: an access of the narrowest float is as wide as accesses get, but for bytes,
  /// of which a thread takes as many as of f16.
  int64_t chooseVector() {
    int64_t bytes = 4;
    auto consider = [&](Value value) {
      const int64_t size = typeOf(value).getElementTypeBitWidth() / 8;
      if (typeOf(value).getNumElements() > 1 && size < bytes)
        bytes = std::max<int64_t>(size, 2);
    };
    llvm::for_each(kernel.getInputs(), consider);
    llvm::for_each(kernel.getResults(), consider);
    return Chip::kAccessBytes / bytes;
  }

  /// How many times each thread of a map does so: twice, so that one waits for memory while the other computes, where
  /// the chip is full without.
  int64_t chooseSteps() {
    int64_t elements = 0;
    for (Value result : kernel.getResults())
      elements = std::max(elements, typeOf(result).getNumElements());
    return elements >= 2 * chip.multiprocessors * chip.threadsPerMultiprocessor * vector ? 2 : 1;
  }

  KernelOp kernel;
  const Chip &chip;
  MLIRContext *context;
  const int64_t vector;
};

} // namespace

FailureOr<Attribute> mp::scheduleForGPU(KernelOp kernel, const Chip &chip) {
  return GPUScheduler(kernel, chip).schedule();
}
