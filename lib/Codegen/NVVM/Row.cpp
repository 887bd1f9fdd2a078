// Rows over the last dimension, on a GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row is read once for each walk over it; short rows stay in registers or the first-level cache between. What a walk
// computes of a row is computed again where it is read; only where that is two exponentials and more, as between the
// ends of a chain of softmaxes, each thread keeps its columns in shared memory.

#include "Codegen/Emit/RowBody.h"
#include "Codegen/NVVM/GPUThreadGroup.h"

using namespace mlir;
using namespace mp;

FailureOr<int64_t> mp::emitGPURow(GPUFunction &f, RowScheduleAttr schedule) {
  const int64_t group = schedule.getThreadsPerRow();
  if (group != f.threads && (group > Chip::kWarp || !llvm::isPowerOf2_64(group)))
    return f.kernel.emitOpError("has threads_per_row = ")
           << group << "; expected a power of two up to " << Chip::kWarp << ", or the whole block";
  GPUThreadGroup threads(f, group, schedule.getVector());
  Elements values = f.makeElements();
  constexpr int64_t kLimit = 32;
  auto allocate = [&](Type element, int64_t elements) -> Value {
    const int64_t bytes = memoryBytes(element) * elements;
    // Half of what a block may have, so that a second one fits beside it.
    if (f.sharedBytes() + bytes * (f.threads / group) > f.chip.sharedBytesPerBlock / 2)
      return {};
    Value shared = f.allocateShared(element, elements * (f.threads / group));
    return f.offset(shared, memoryType(element), f.mul(threads.number, elements));
  };
  RowBody body(f, values, threads, {allocate, kLimit});
  if (failed(body.prepare()))
    return failure();
  auto emit = [&](Value row, Value isValid) { return body.emit(row, isValid); };
  if (body.rows != 0 &&
      failed(threads.forEach(f.mul(f.block, schedule.getRows()), schedule.getRows(), body.rows, emit)))
    return failure();
  return llvm::divideCeil(body.rows, schedule.getRows());
}
