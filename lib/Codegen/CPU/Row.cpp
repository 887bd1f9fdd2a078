// Rows over the last dimension, each on its own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/CPU/CPUThreadGroup.h"
#include "Codegen/CPU/NarrowRows.h"
#include "Codegen/Emit/RowBody.h"

using namespace mlir;
using namespace mp;

FailureOr<int64_t> mp::emitRow(CPUFunction &f, RowScheduleAttr schedule) {
  CPUThreadGroup group(f, schedule.getVector());
  Elements values = f.makeElements();
  // As much arithmetic as a store and a load are worth.
  constexpr int64_t kLimit = 4;
  RowBody body(f, values, group,
               {[&](Type element, int64_t elements) { return f.allocate(element, elements); }, kLimit});
  if (failed(body.prepare()))
    return failure();
  Value from = f.mul(f.block, schedule.getRows());
  Value to = f.min(f.add(from, f.i64(schedule.getRows())), f.i64(body.rows));
  NarrowRows narrow(f, body.rows, schedule.getVector());
  if (narrow.applies()) {
    const int64_t width = schedule.getVector();
    Value end = f.add(from, f.mul(f.div(f.sub(to, from), width), width));
    if (failed(f.forEach(from, end, width, [&](Value row) { return narrow.emit(row); })))
      return failure();
    from = end;
  }
  if (failed(f.forEach(from, to, 1, [&](Value row) { return body.emit(row); })))
    return failure();
  return llvm::divideCeil(body.rows, schedule.getRows());
}
