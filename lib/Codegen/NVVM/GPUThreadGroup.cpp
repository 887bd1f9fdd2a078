// Lanes of a warp, or a block, as a thread group.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/NVVM/GPUThreadGroup.h"

#include "Codegen/Emit/Reduce.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace mp;

GPUThreadGroup::GPUThreadGroup(GPUFunction &f, int64_t size, int64_t vector) : f(f), b(f.b), vector(vector) {
  members = size;
  member = isBlock() ? f.thread : f.rem(f.thread, members);
  number = isBlock() ? f.i64(0) : f.div(f.thread, members);
}

/// The value of an integer constant.
static std::optional<int64_t> constantOf(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)))
    return std::nullopt;
  return constant.getSExtValue();
}

FailureOr<SmallVector<Value>> GPUThreadGroup::reduce(Value from, Value to, int64_t granule, bool isEven,
                                                     ArrayRef<Combination> combinations, LanesAt get) {
  const int64_t width = isEven ? std::gcd(granule, vector) : 1, step = members * width;
  SmallVector<Value> start = llvm::map_to_vector(
      combinations, [&](const Combination &combination) { return splat(b, combination.identity, width); });
  auto combineNext = [&](Value column, ValueRange soFar) -> FailureOr<SmallVector<Value>> {
    FailureOr<SmallVector<Value>> next = get(column, width);
    if (failed(next))
      return failure();
    for (auto [combination, value, before] : llvm::zip_equal(combinations, *next, soFar))
      value = combination.combine(before, value);
    return next;
  };
  // Bounds that are known and shared out evenly give LLVM a loop of known length.
  std::optional<int64_t> first = constantOf(from), last = constantOf(to);
  const bool isShared = first && last && (*last - *first) % step == 0;
  Value own = f.add(from, f.mul(member, width));
  auto combined = isShared
                      ? f.forEach(f.i64(0), f.i64(*last - *first), step, start,
                                  [&](Value done, ValueRange soFar) { return combineNext(f.add(own, done), soFar); })
                      : f.forEach(own, to, step, start, combineNext);
  if (failed(combined))
    return failure();
  for (auto [value, combination] : llvm::zip_equal(*combined, combinations))
    value = combineLanes(b, value, combination.combine);
  auto merge = [&](ArrayRef<Value> x, ArrayRef<Value> y) {
    SmallVector<Value> merged;
    for (auto [combination, left, right] : llvm::zip_equal(combinations, x, y))
      merged.push_back(combination.combine(left, right));
    return merged;
  };
  return combine(*combined, merge);
}

SmallVector<Value> GPUThreadGroup::combine(ArrayRef<Value> own, Merge merge) {
  SmallVector<Value> values(own);
  for (int64_t lanes = std::min(members, Chip::kWarp) / 2; lanes > 0; lanes /= 2) {
    SmallVector<Value> others = llvm::map_to_vector(values, [&](Value value) { return f.shuffleXor(value, lanes); });
    values = merge(values, others);
  }
  return members > Chip::kWarp ? combineWarps(values, merge) : values;
}

/// Every thread combines what the block's warps have, in their order.
SmallVector<Value> GPUThreadGroup::combineWarps(ArrayRef<Value> own, Merge merge) {
  const int64_t warps = members / Chip::kWarp;
  SmallVector<Value> slots;
  for (Value value : own)
    slots.push_back(f.sharedForWarps(value.getType(), slots.size()));
  Value warp = f.div(f.thread, Chip::kWarp);
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, f.lane, f.i64(0));
  (void)f.when(isFirst, [&] {
    for (auto [slot, value] : llvm::zip_equal(slots, own))
      LLVM::StoreOp::create(b, value, f.offset(slot, value.getType(), warp));
    return success();
  });
  f.barrier();
  SmallVector<Value> combined;
  for (int64_t index = 0; index < warps; ++index) {
    SmallVector<Value> next;
    for (auto [slot, value] : llvm::zip_equal(slots, own))
      next.push_back(LLVM::LoadOp::create(b, value.getType(), f.offset(slot, value.getType(), index)));
    combined = index == 0 ? next : merge(combined, next);
  }
  // The slots are free again once all threads have read them.
  f.barrier();
  return combined;
}

LogicalResult GPUThreadGroup::forColumns(int64_t columns, bool isEven,
                                         function_ref<LogicalResult(Value, int64_t)> body) {
  const int64_t width = isEven ? std::gcd(columns, vector) : 1, step = members * width;
  Value own = f.mul(member, width);
  if (columns % step != 0)
    return f.forEach(own, f.i64(columns), step, [&](Value column) { return body(column, width); });
  return f.forEach(f.i64(0), f.i64(columns), step, [&](Value done) { return body(f.add(own, done), width); });
}

LogicalResult GPUThreadGroup::once(function_ref<LogicalResult()> body) {
  if (members == 1)
    return body();
  return f.when(arith::CmpIOp::create(b, arith::CmpIPredicate::eq, member, f.i64(0)), body);
}

LogicalResult GPUThreadGroup::forEach(Value from, int64_t count, int64_t total,
                                      function_ref<LogicalResult(Value, Value)> body) {
  const int64_t groups = f.threads / members;
  if (total % count == 0 && count % groups == 0)
    return f.forEach(f.i64(0), f.i64(count), groups,
                     [&](Value done) { return body(f.add(from, f.add(done, number)), Value()); });
  Value to = f.min(f.add(from, f.i64(count)), f.i64(total));
  return f.forEach(f.i64(0), f.i64(count), groups, [&](Value done) {
    Value own = f.add(from, f.add(done, number)), isValid = f.isBelow(own, to);
    // Whole warps may stay away. Lanes may not, since others of their warp shuffle with them: they repeat the last one.
    if (members >= Chip::kWarp)
      return f.when(isValid, [&] { return body(own, Value()); });
    return body(f.min(own, f.sub(to, f.i64(1))), isValid);
  });
}

// One block for everything

std::unique_ptr<ThreadGroup> GPUThreadBlock::makeGroup(int64_t results, int64_t terms) {
  // Threads enough for all results to be under way at once, none without an element.
  const int64_t share = f.threads / std::max<int64_t>(results, 1);
  const int64_t useful = static_cast<int64_t>(llvm::PowerOf2Ceil(std::max<int64_t>(terms, 1)));
  int64_t members = static_cast<int64_t>(llvm::bit_floor(static_cast<uint64_t>(std::max<int64_t>(share, 1))));
  members = std::min({members, useful, Chip::kWarp});
  if (members == Chip::kWarp && share > Chip::kWarp && terms > 4 * Chip::kWarp)
    members = f.threads;
  return std::make_unique<GPUThreadGroup>(f, members, vector);
}

LogicalResult GPUThreadBlock::forEach(ThreadGroup &group, int64_t count,
                                      function_ref<LogicalResult(Value, Value)> body) {
  if (count == 0)
    return success();
  return static_cast<GPUThreadGroup &>(group).forEach(f.i64(0), count, count, body);
}

/// The least number that a thread of the block has, or -1 for the greatest that there is.
Value GPUThreadBlock::leastOf(Value own) {
  LaneBuilder &b = f.b;
  auto merge = [&](ArrayRef<Value> x, ArrayRef<Value> y) {
    return SmallVector<Value>{arith::MinSIOp::create(b, x.front(), y.front())};
  };
  Value first = GPUThreadGroup(f, f.threads, vector).combine(own, merge).front();
  Value none = intConstant(b, b.getI32Type(), std::numeric_limits<int32_t>::max());
  Value isNone = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, first, none);
  return arith::SelectOp::create(b, isNone, intConstant(b, b.getI32Type(), -1), first);
}

/// Each thread takes every so many elements of all tensors. Those beyond a tensor's last take that one again, so that
/// no load waits for another, nor for a branch.
Value GPUThreadBlock::findFirstSetOfFew(ValueRange flags) {
  LaneBuilder &b = f.b;
  Type i32 = b.getI32Type();
  Value own = intConstant(b, i32, std::numeric_limits<int32_t>::max()), zero = intConstant(b, i32, 0);
  for (auto [number, flag] : llvm::enumerate(flags)) {
    const int64_t count = typeOf(flag).getNumElements();
    Value pointer = f.input(cast<BlockArgument>(flag).getArgNumber());
    Value ofThis = intConstant(b, i32, static_cast<int64_t>(number));
    auto lookAt = [&, pointer = pointer](Value done, ValueRange soFar) -> FailureOr<SmallVector<Value>> {
      Value element = f.min(f.add(done, f.thread), f.i64(count - 1));
      Value loaded = LLVM::LoadOp::create(b, i32, f.offset(pointer, i32, element), /*alignment=*/4);
      Value isSet = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, loaded, zero);
      Value least = arith::MinSIOp::create(b, soFar[0], ofThis);
      return SmallVector<Value>{arith::SelectOp::create(b, isSet, least, soFar[0])};
    };
    if (count != 0)
      own = f.forEach(f.i64(0), f.i64(count), f.threads, ValueRange{own}, lookAt)->front();
  }
  return leastOf(own);
}

/// Each warp takes every so many tensors, found in a table, each lane of it every so many elements.
Value GPUThreadBlock::findFirstSet(ValueRange flags) {
  if (!llvm::all_of(flags, llvm::IsaPred<BlockArgument>))
    return {};
  if (!f.buffersInMemory)
    return findFirstSetOfFew(flags);
  LaneBuilder &b = f.b;
  Type i32 = b.getI32Type();
  const auto count = static_cast<int64_t>(flags.size());
  SmallVector<int64_t> values;
  for (Value tensor : flags)
    values.push_back(cast<RankedTensorType>(tensor.getType()).getNumElements());
  for (Value tensor : flags)
    values.push_back(cast<BlockArgument>(tensor).getArgNumber());
  Value table = f.allocateConstants(values);
  auto load = [&](Type type, Value from, Value index) {
    return LLVM::LoadOp::create(b, type, f.offset(from, type, index), type.getIntOrFloatBitWidth() / 8);
  };
  Value none = intConstant(b, i32, std::numeric_limits<int32_t>::max()), zero = intConstant(b, i32, 0);
  auto least = [&](Value x, Value y) -> Value { return arith::MinSIOp::create(b, x, y); };
  auto lookAt = [&](Value tensor, ValueRange soFar) {
    Value size = load(b.getI64Type(), table, tensor);
    Value pointer = f.loadPointer(load(b.getI64Type(), table, f.add(tensor, f.i64(count))));
    Value number = arith::TruncIOp::create(b, i32, tensor);
    return f.forEach(
        f.lane, size, Chip::kWarp, soFar, [&](Value element, ValueRange first) -> FailureOr<SmallVector<Value>> {
          Value isSet = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, load(i32, pointer, element), zero);
          return SmallVector<Value>{least(first[0], arith::SelectOp::create(b, isSet, number, none))};
        });
  };
  FailureOr<SmallVector<Value>> own = f.forEach(f.div(f.thread, Chip::kWarp), f.i64(count), f.threads / Chip::kWarp,
                                                ValueRange{none}, lookAt, /*staysRolled=*/true);
  return leastOf(own->front());
}

/// Pointers from memory are loaded where they are used: all of them at once are more than there are registers.
void GPUThreadBlock::bindInputsOf(Elements &elements, ValueRange values) {
  if (!f.buffersInMemory)
    return;
  llvm::DenseSet<Value> seen;
  SmallVector<Value> waiting(values);
  while (!waiting.empty()) {
    Value value = waiting.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      // Single elements are read once, before they are used.
      const bool isSingle = cast<RankedTensorType>(argument.getType()).getNumElements() == 1;
      if (!isSingle || singles.insert(argument).second)
        elements.bindMemory(argument, f.loadPointer(f.i64(argument.getArgNumber())));
    } else if (Operation *op = value.getDefiningOp(); isa<ScalarFormInterface>(op)) {
      llvm::append_range(waiting, op->getOperands());
    }
  }
}

LogicalResult GPUThreadBlock::emitNest(const Nest &nest, NestBody &body) {
  if (nest.elements == 0)
    return success();
  const int64_t size = static_cast<int64_t>(llvm::alignTo(nest.elements, vector));
  return emitNestOnGPU(f, nest, body, vector, size, f.i64(0));
}
