//===- Map.cpp - elements that depend on no other element of the kernel, on a GPU ---------------------------===//
//
// Neighbouring threads take neighbouring vectors of elements; a block takes so many of them that some loads are under
// way at once.
//
//===----------------------------------------------------------------------------------------------------------===//

#include "Codegen/NVVM/GPUTeam.h"
#include "Codegen/NVVM/TransposingMap.h"

#include <numeric>

using namespace mlir;
using namespace mp;

LogicalResult mp::emitNestOnGPU(GPUFunction &f, const Nest &nest, NestBody &body, int64_t vector, int64_t size,
                                Value block) {
  const int64_t run = body.run, elements = nest.elements;
  const bool isEven = run == elements;
  const int64_t width = isEven ? vector : std::gcd(run, vector);

  auto emit = [&](Value element, int64_t lanes) {
    if (isEven)
      return body.emit({body.zero(), run, element, 1, lanes});
    return body.emit({f.div(element, run), run, run == 1 ? body.zero() : f.rem(element, run), 1, lanes});
  };
  // Whole vectors, then what is left of the last one, in the last block. Blocks and steps that fill the elements need no
  // test; where whole vectors alone fill blocks, the rest is in one more.
  const int64_t whole = elements / width * width, step = f.threads * width;
  const bool isFull = elements % size == 0 && size % step == 0;
  Value from = f.mul(block, size), to = f.min(f.add(from, f.i64(size)), f.i64(whole));
  Value own = f.add(from, f.mul(f.thread, width));
  LogicalResult done = whole == 0 ? success() : f.forEach(body.zero(), f.i64(size), step, [&](Value start) {
    Value element = f.add(own, start);
    if (isFull)
      return emit(element, width);
    return f.when(f.isBelow(element, to), [&] { return emit(element, width); });
  });
  if (failed(done) || whole == elements)
    return done;
  Value rest = f.add(f.i64(whole), f.thread);
  Value isRest = f.isBelow(rest, f.i64(elements));
  if (size < elements) {
    Value isLast = arith::CmpIOp::create(f.b, arith::CmpIPredicate::eq, block, f.i64((elements - 1) / size));
    isRest = arith::AndIOp::create(f.b, isRest, isLast);
  }
  return f.when(isRest, [&] { return emit(rest, 1); });
}

FailureOr<int64_t> mp::emitGPUMap(GPUFunction &f, MapScheduleAttr schedule) {
  const int64_t size = schedule.getBlock(), tile = schedule.getTile();
  auto findTransposed = [&](const Nest &nest) -> std::optional<TransposedNest> {
    Value first = f.yields()[nest.results.front()];
    if (tile == 1)
      return std::nullopt;
    return findTransposedNest(f.kernel, cast<RankedTensorType>(first.getType()).getShape());
  };
  auto countBlocks = [&](const Nest &nest) {
    std::optional<TransposedNest> transposed = findTransposed(nest);
    return transposed ? transposed->tiles(tile) : llvm::divideCeil(nest.elements, size);
  };
  auto emit = [&](const Nest &nest, Value block) -> LogicalResult {
    if (std::optional<TransposedNest> transposed = findTransposed(nest))
      return emitTransposedNest(f, nest, *transposed, schedule, block);
    Elements values = f.makeElements();
    f.bindInputs(values);
    values.shareParts([&](auto build) { return f.onceInBlock(build); });
    NestBody body(f, values, nest);
    if (failed(body.prepare()))
      return failure();
    return emitNestOnGPU(f, nest, body, schedule.getVector(), size, block);
  };
  return f.unlessSkipped([&] { return forNests(f, countBlocks, emit); });
}
