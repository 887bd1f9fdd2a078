// One thread as a thread group, and as a block of threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/CPU/CPUThreadGroup.h"

#include "Codegen/Emit/Reduce.h"

using namespace mlir;
using namespace mp;

FailureOr<SmallVector<Value>> CPUThreadGroup::reduce(Value from, Value to, int64_t, bool isEven,
                                                     ArrayRef<Combination> combinations, LanesAt get) {
  LaneBuilder &b = f.b;
  auto over = [&](Value first, Value last, int64_t width, ValueRange start) {
    return f.forEach(first, last, width, start, [&](Value column, ValueRange soFar) -> FailureOr<SmallVector<Value>> {
      FailureOr<SmallVector<Value>> next = get(column, width);
      if (failed(next))
        return failure();
      for (auto [combination, value, before] : llvm::zip_equal(combinations, *next, soFar))
        value = combination.combine(before, value);
      return next;
    });
  };
  SmallVector<Value> results;
  for (const Combination &combination : combinations)
    results.push_back(combination.identity);
  Value middle = from;
  if (isEven) {
    middle = f.add(from, f.mul(f.div(f.sub(to, from), kPartialSums), kPartialSums));
    auto wide = over(from, middle, kPartialSums,
                     llvm::map_to_vector(results, [&](Value value) { return splat(b, value, kPartialSums); }));
    if (failed(wide))
      return failure();
    for (auto [result, combination, lanes] : llvm::zip_equal(results, combinations, *wide))
      result = combineLanes(b, lanes, combination.combine);
  }
  return over(middle, to, 1, results);
}

LogicalResult CPUThreadGroup::forColumns(int64_t columns, bool isEven,
                                         function_ref<LogicalResult(Value, int64_t)> body) {
  const int64_t width = isEven ? vector : 1;
  return f.forLanes(member, f.i64(columns), width, columns % width != 0, body);
}

LogicalResult CPUThreadBlock::forEach(ThreadGroup &group, int64_t count,
                                      function_ref<LogicalResult(Value, Value)> body) {
  return f.forEach(group.member, f.i64(count), 1, [&](Value number) { return body(number, Value()); });
}

LogicalResult CPUThreadBlock::emitNest(const Nest &nest, NestBody &body) {
  return emitNestOnCPU(f, nest, body, vector, f.i64(0), f.i64(nest.elements), /*isWhole=*/true);
}

LogicalResult mp::emitNestOnCPU(CPUFunction &f, const Nest &nest, NestBody &body, int64_t vector, Value from, Value to,
                                bool isWhole) {
  const int64_t run = body.run, width = run == 1 ? 1 : vector;
  auto emitRun = [&](Value row, Value first, Value last) {
    const bool hasRest = run % width != 0 || !isWhole;
    return f.forLanes(first, last, width, hasRest,
                      [&](Value column, int64_t lanes) { return body.emit(Lanes{row, run, column, 1, lanes}); });
  };
  if (run == nest.elements)
    return emitRun(body.zero(), from, to);
  Value lastRow = f.div(f.add(to, f.i64(run - 1)), run);
  return f.forEach(f.div(from, run), lastRow, 1, [&](Value row) {
    Value start = f.mul(row, run);
    Value first = f.max(f.sub(from, start), body.zero()), end = f.min(f.sub(to, start), f.i64(run));
    return emitRun(row, first, end);
  });
}
