//===- Map.cpp - elements that depend on no other element of the kernel -------------------------------------===//

#include "Codegen/CPU/CPUFunction.h"
#include "Codegen/Nests.h"

using namespace mlir;
using namespace mp;

static LogicalResult emitRun(CPUFunction &f, MapScheduleAttr schedule, NestBody &body, Value row, Value from,
                             Value to) {
  const int64_t width = body.run == 1 ? 1 : schedule.getVector();
  const bool hasRest = body.run % width != 0 || schedule.getBlock() % width != 0;
  return f.forLanes(from, to, width, hasRest,
                    [&](Value column, int64_t lanes) { return body.emit({row, body.run, column, 1, lanes}); });
}

/// One block of a nest, in runs.
static LogicalResult emitNest(CPUFunction &f, MapScheduleAttr schedule, const Nest &nest, Value block) {
  Elements values(f.b);
  f.bindInputs(values);
  NestBody body(f, values, nest);
  if (failed(body.prepare()))
    return failure();
  const int64_t run = body.run;
  Value from = f.mul(block, schedule.getBlock());
  Value to = f.min(f.add(from, f.i64(schedule.getBlock())), f.i64(nest.elements));
  if (run == nest.elements)
    return emitRun(f, schedule, body, values.zero, from, to);
  Value lastRow = f.div(f.add(to, f.i64(run - 1)), run);
  return f.forEach(f.div(from, run), lastRow, 1, [&](Value row) {
    Value start = f.mul(row, run);
    Value first = f.max(f.sub(from, start), values.zero), end = f.min(f.sub(to, start), f.i64(run));
    return emitRun(f, schedule, body, row, first, end);
  });
}

FailureOr<int64_t> mp::emitMap(CPUFunction &f, MapScheduleAttr schedule) {
  return forNests(f, schedule.getBlock(),
                  [&](const Nest &nest, Value block) { return emitNest(f, schedule, nest, block); });
}
