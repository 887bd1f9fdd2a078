// Elements that depend on no other element of the kernel, on a GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Neighbouring threads take neighbouring vectors of elements; a block takes so many of them that some loads are under
// way at once.

#include "Codegen/NVVM/GPUThreadGroup.h"
#include "Codegen/NVVM/ReadAhead.h"
#include "Codegen/NVVM/Roots.h"
#include "Codegen/NVVM/TransposingMap.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/raw_ostream.h"

#include <numeric>

using namespace mlir;
using namespace mp;

/// The same where the elements are known when it runs alone.
static LogicalResult emitSizedNest(GPUFunction &f, NestBody &body, int64_t vector, int64_t size, Value block,
                                   Value elements) {
  auto emit = [&](Value element, int64_t lanes) { return body.emit(Lanes{body.zero(), 1, element, 1, lanes}); };
  Value whole = f.mul(f.div(elements, vector), vector);
  Value from = f.mul(block, size), to = f.min(f.add(from, f.i64(size)), whole);
  Value own = f.add(from, f.mul(f.thread, vector));
  LogicalResult done = f.forEach(body.zero(), f.i64(size), f.threads * vector, [&](Value start) {
    Value element = f.add(own, start);
    return f.when(f.isBelow(element, to), [&] { return emit(element, vector); });
  });
  if (failed(done) || vector == 1)
    return done;
  Value rest = f.add(whole, f.thread);
  Value isLast = arith::CmpIOp::create(f.b, arith::CmpIPredicate::eq, block, f.div(f.sub(elements, f.i64(1)), size));
  Value isRest = arith::AndIOp::create(f.b, f.isBelow(rest, elements), isLast);
  return f.when(isRest, [&] { return emit(rest, 1); });
}

LogicalResult mp::emitNestOnGPU(GPUFunction &f, const Nest &nest, NestBody &body, int64_t vector, int64_t size,
                                Value block, Value sized) {
  if (sized)
    return emitSizedNest(f, body, vector, size, block, sized);
  const int64_t run = body.run, elements = nest.elements;
  const bool isEven = run == elements;
  const int64_t width = isEven ? vector : std::gcd(run, vector);

  auto emit = [&](Value element, int64_t lanes) {
    if (isEven)
      return body.emit(Lanes{body.zero(), run, element, 1, lanes});
    return body.emit(Lanes{f.div(element, run), run, run == 1 ? body.zero() : f.rem(element, run), 1, lanes});
  };
  // Whole vectors, then what is left of the last one, in the last block. Blocks and steps that fill the elements need
  // no test; where whole vectors alone fill blocks, the rest is in one more.
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

/// The nests of a kernel, those of one shape apart where no tensor of that shape ties them together. Results over one
/// operand stay together: it may lie where one of them does. What nests of several shapes read lies where none does.
static SmallVector<Nest> findSeparateNests(GPUFunction &f) {
  SmallVector<Nest> nests = findNests(f);
  SmallVector<SmallVector<Value>> argumentsOf(f.yields().size());
  DenseMap<Value, const Nest *> readers; // null for several
  for (const Nest &nest : nests)
    for (unsigned index : nest.results) {
      llvm::SetVector<Value> seen;
      appendSources(f.yields()[index], seen);
      for (Value value : seen)
        if (isa<BlockArgument>(value)) {
          argumentsOf[index].push_back(value);
          auto [reader, isFirst] = readers.try_emplace(value, &nest);
          if (!isFirst && reader->second != &nest)
            reader->second = nullptr;
        }
    }
  SmallVector<Nest> separate;
  for (const Nest &nest : nests) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(f.yields()[nest.results.front()].getType()).getShape();
    llvm::EquivalenceClasses<unsigned> tied;
    DenseMap<Value, unsigned> firstOf;
    for (unsigned index : nest.results) {
      tied.insert(index);
      for (Value argument : argumentsOf[index])
        if (cast<RankedTensorType>(argument.getType()).getShape() == shape && readers.lookup(argument))
          tied.unionSets(firstOf.try_emplace(argument, index).first->second, index);
    }
    llvm::MapVector<unsigned, Nest> byLeader;
    for (unsigned index : nest.results) {
      Nest &own = byLeader[tied.getLeaderValue(index)];
      own.elements = nest.elements;
      own.results.push_back(index);
    }
    for (auto &entry : byLeader)
      separate.push_back(std::move(entry.second));
  }
  return separate;
}

/// Elements that a thread takes of a nest at once: the schedule's vector; half as many and so on where what it reads of
/// them would take more registers, or where operations are some and `all` elements of the kernel are few: code that is
/// run once has to be fetched, which takes longer than to run it. One where that is work enough by itself.
static int64_t lanesOf(GPUFunction &f, const Nest &nest, int64_t vector, int64_t all) {
  constexpr int64_t kSomeOperations = 16, kManyOperations = 128, kMostBytes = 64;
  llvm::SetVector<Value> sources;
  for (unsigned index : nest.results)
    appendSources(f.yields()[index], sources);
  llvm::SmallPtrSet<Operation *, 8> counted;
  int64_t operations = 0, bytes = 0;
  for (Value value : sources)
    if (Operation *op = value.getDefiningOp())
      operations += counted.insert(op).second ? cast<KernelOpInterface>(op).getOperationsPerElement() : 0;
    else if (typeOf(value).getNumElements() == nest.elements)
      bytes += memoryBytes(typeOf(value).getElementType());
  if (operations >= kManyOperations)
    return 1;
  // Registers leave a multiprocessor about half of its threads.
  const int64_t threads = 2 * f.chip.multiprocessors * f.chip.threadsPerMultiprocessor;
  auto isWide = [&] {
    return vector * bytes > kMostBytes || (operations >= kSomeOperations && all < vector * threads);
  };
  while (vector > 1 && isWide())
    vector /= 2;
  return vector;
}

FailureOr<int64_t> mp::emitGPUMap(GPUFunction &f, MapScheduleAttr schedule) {
  const int64_t tile = schedule.getTile();
  auto findTransposed = [&](const Nest &nest) -> std::optional<TransposedNest> {
    Value first = f.yields()[nest.results.front()];
    if (tile == 1)
      return std::nullopt;
    return findTransposedNest(f.kernel, cast<RankedTensorType>(first.getType()).getShape());
  };
  const SmallVector<Nest> nests = f.buffersInMemory ? findSeparateNests(f) : findNests(f);
  int64_t all = 0;
  for (const Nest &nest : nests)
    all += nest.elements;
  auto lanesIn = [&](const Nest &nest) { return lanesOf(f, nest, schedule.getVector(), all); };
  auto sizeOf = [&](const Nest &nest) { return schedule.getBlock() / schedule.getVector() * lanesIn(nest); };
  auto countBlocks = [&](const Nest &nest) -> int64_t {
    std::optional<TransposedNest> transposed = findTransposed(nest);
    return transposed ? transposed->tiles(tile) : llvm::divideCeil(nest.elements, sizeOf(nest));
  };
  // Tiles are those of one shape, whatever of that shape is computed in them.
  auto kindOf = [&](const Nest &nest) {
    std::string kind;
    if (findTransposed(nest))
      llvm::raw_string_ostream(kind) << "tiles of " << f.yields()[nest.results.front()].getType();
    return kind;
  };
  SmallVector<Root> roots = llvm::map_to_vector(
      nests, [&](const Nest &nest) { return Root{nest.results, nest.elements, countBlocks(nest), kindOf(nest)}; });
  Value guard = f.readGuard();
  auto emit = [&](unsigned root, Value elements, Value block) -> LogicalResult {
    const Nest &nest = nests[root];
    if (std::optional<TransposedNest> transposed = findTransposed(nest))
      return f.unlessSkipped(guard, [&] { return emitTransposedNest(f, nest, *transposed, schedule, block); });
    const int64_t lanes = lanesIn(nest), size = sizeOf(nest);
    Elements values = f.makeElements();
    NestBody body(f, values, nest);
    auto prepare = [&] {
      f.bindInputs(values);
      values.shareParts([&](auto build) { return f.onceInBlock(build); });
    };
    if (guard && size == f.threads * lanes && body.run == nest.elements) {
      ReadAhead ahead(f, nest, lanes, block, elements);
      if (failed(ahead.read()))
        return failure();
      prepare();
      return ahead.emit(values, body, guard);
    }
    return f.unlessSkipped(guard, [&]() -> LogicalResult {
      prepare();
      if (failed(body.prepare()))
        return failure();
      return emitNestOnGPU(f, nest, body, lanes, size, block, elements);
    });
  };
  return forRoots(f, roots, emit);
}
