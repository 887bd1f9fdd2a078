// What a thread reads before it knows whether it needs it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/NVVM/ReadAhead.h"

#include "Codegen/NVVM/Roots.h"

using namespace mlir;
using namespace mp;

/// The block arguments of which a nest reads no element but that of each result, and that one of each.
static SmallVector<Value> findOwnArguments(GPUFunction &f, const Nest &nest) {
  llvm::SetVector<Value> sources;
  for (unsigned index : nest.results)
    appendSources(f.yields()[index], sources);
  ArrayRef<int64_t> shape = typeOf(f.yields()[nest.results.front()]).getShape();
  auto isElsewhere = [&](OpOperand &use) {
    Operation *op = use.getOwner();
    if (!llvm::any_of(op->getResults(), [&](Value result) { return sources.contains(result); }))
      return false;
    return !readsPerElement(use) || roleOf(op) == KernelRole::Movement || typeOf(op->getResult(0)).getShape() != shape;
  };
  SmallVector<Value> own;
  for (Value value : sources)
    if (isa<BlockArgument>(value) && typeOf(value).getShape() == shape && nest.elements != 1 &&
        llvm::none_of(value.getUses(), isElsewhere))
      own.push_back(value);
  return own;
}

ReadAhead::ReadAhead(GPUFunction &f, const Nest &nest, int64_t vector, Value block, Value sized)
    : f(f), vector(vector), elements(sized ? sized : f.i64(nest.elements)), arguments(findOwnArguments(f, nest)) {
  const int64_t size = f.threads * vector;
  whole = f.mul(f.div(elements, vector), vector);
  first = f.add(f.mul(block, size), f.mul(f.thread, vector));
  isOurs = f.isBelow(first, whole);
  isLast = arith::CmpIOp::create(f.b, arith::CmpIPredicate::eq, block, f.div(f.sub(elements, f.i64(1)), size));
}

Value ReadAhead::pointerOf(Value argument) { return f.input(cast<BlockArgument>(argument).getArgNumber()); }

/// What a thread has of an argument of which it has no vector, as it lies in memory. Of constants LLVM would compute,
/// or convert, with the others where they are loaded, and wait for them there.
Value ReadAhead::noneOf(Value argument) {
  Type type = memoryType(typeOf(argument).getElementType());
  const unsigned bits = type.getIntOrFloatBitWidth();
  if (bits != 16 && bits != 32)
    return arith::ConstantOp::create(f.b, f.b.getZeroAttr(withLanes(type, vector)));
  Value none = f.hidden(intConstant(f.b, f.b.getI32Type(), 0));
  if (bits == 16)
    none = arith::TruncIOp::create(f.b, f.b.getI16Type(), none);
  if (isa<FloatType>(type))
    none = arith::BitcastOp::create(f.b, type, none);
  return splat(f.b, none, vector);
}

LogicalResult ReadAhead::read() {
  if (arguments.empty())
    return success();
  SmallVector<Value> none = llvm::map_to_vector(arguments, [&](Value argument) { return noneOf(argument); });
  FailureOr<SmallVector<Value>> vectors = f.when(isOurs, none, [&]() -> FailureOr<SmallVector<Value>> {
    return llvm::map_to_vector(arguments, [&](Value argument) -> Value {
      Type type = memoryType(typeOf(argument).getElementType());
      const unsigned alignment = memoryBytes(type) * static_cast<unsigned>(vector & -vector);
      return LLVM::LoadOp::create(f.b, withLanes(type, vector), f.offset(pointerOf(argument), type, first),
                                  std::min(alignment, 64u));
    });
  });
  if (failed(vectors))
    return failure();
  vectorsRead = std::move(*vectors);
  return success();
}

LogicalResult ReadAhead::emit(Elements &values, NestBody &body, Value guard) {
  values.bindUniform(f.body().getArgument(*f.kernel.getGuard()), intConstant(f.b, f.b.getI32Type(), -1));
  if (failed(body.prepare()))
    return failure();
  // Tested where results are stored: ptxas would move what is read in front of a test behind it.
  Value isGood = arith::CmpIOp::create(f.b, arith::CmpIPredicate::slt, guard, intConstant(f.b, f.b.getI32Type(), 0));
  auto whenGood = [&](Value condition, function_ref<LogicalResult()> then) {
    return f.when(arith::AndIOp::create(f.b, condition, isGood), then);
  };
  const Lanes lanes = {body.zero(), 1, first, 1, vector};
  auto emitVector = [&] {
    for (auto [argument, read] : llvm::zip_equal(arguments, vectorsRead))
      values.bindLanes(argument, toRegister(f.b, read, typeOf(argument).getElementType()), lanes);
    return body.emit(lanes);
  };
  if (failed(whenGood(isOurs, emitVector)))
    return failure();
  if (vector == 1)
    return success();
  for (Value argument : arguments)
    values.bindMemory(argument, pointerOf(argument));
  Value rest = f.add(whole, f.thread);
  Value isRest = arith::AndIOp::create(f.b, f.isBelow(rest, elements), isLast);
  return whenGood(isRest, [&] { return body.emit(Lanes{body.zero(), 1, rest, 1, 1}); });
}
