// Rows over the last dimension, on a GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row is read once for each op that looks at all of it; short rows stay in registers or the first-level cache
// between. What a row op gives for a row is computed where it is read and takes no memory.

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
  RowBody body(f, values, threads, /*allocate=*/{});
  if (failed(body.prepare()))
    return failure();
  auto emit = [&](Value row, Value isValid) { return body.emit(row, isValid); };
  if (body.rows != 0 &&
      failed(threads.forEach(f.mul(f.block, schedule.getRows()), schedule.getRows(), body.rows, emit)))
    return failure();
  return llvm::divideCeil(body.rows, schedule.getRows());
}
