// Blocks of queries and keys: what attention and its gradient share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/CPU/Attention/AttentionBlocks.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <limits>

using namespace mlir;
using namespace mp;

// Memory

ScratchMatrix AttentionBlocks::matrix(int64_t rows, int64_t columns) {
  const int64_t stride = whole(columns);
  return {f.allocate(b.getF32Type(), rows * stride), stride};
}

Value AttentionBlocks::operandAt(Value operand, Value index) {
  Value pointer = f.input(cast<BlockArgument>(operand).getArgNumber());
  return f.offset(pointer, memoryType(elementOf(operand)), index);
}

Value AttentionBlocks::loadOperand(Value operand, Value index) {
  return load(elementOf(operand), operandAt(operand, values.zero), index, 1);
}

Value AttentionBlocks::load(Type type, Value pointer, Value index, int64_t width) {
  return values.load(type, pointer, {values.zero, 1, index, 1, width});
}

void AttentionBlocks::store(Value lanes, Type type, Value pointer, Value index, int64_t width) {
  values.store(lanes, type, pointer, {values.zero, 1, index, 1, width});
}

Value AttentionBlocks::loadOne(Value pointer, Value index) { return load(b.getF32Type(), pointer, index, 1); }

void AttentionBlocks::storeOne(Value value, Value pointer, Value index) {
  store(value, b.getF32Type(), pointer, index, 1);
}

Value AttentionBlocks::loadLanes(const ScratchMatrix &from, Value row, Value column) {
  return load(b.getF32Type(), from.pointer, from.indexOf(f, row, column), vector);
}

void AttentionBlocks::storeLanes(Value lanes, const ScratchMatrix &to, Value row, Value column) {
  store(lanes, b.getF32Type(), to.pointer, to.indexOf(f, row, column), vector);
}

void AttentionBlocks::fill(const ScratchMatrix &of, int64_t rows, double with) {
  (void)f.forEach(f.i64(0), f.i64(rows * of.stride), vector, [&](Value index) {
    storeLanes(constant(with), of, values.zero, index);
    return success();
  });
}

LogicalResult AttentionBlocks::copy(const Rows &rows, const ScratchMatrix &to) {
  const Type f32 = b.getF32Type();
  return f.forEach(f.i64(0), rows.count, 1, [&](Value row) {
    Value pointer = operandAt(rows.operand, f.mul(f.add(rows.first, row), rows.columns));
    return f.forLanes(f.i64(0), f.i64(rows.columns), vector, rows.columns % vector != 0,
                      [&](Value column, int64_t width) {
                        Value lanes = load(elementOf(rows.operand), pointer, column, width);
                        store(lanes, f32, to.pointer, to.indexOf(f, row, column), width);
                        return success();
                      });
  });
}

LogicalResult AttentionBlocks::copyTransposed(const Rows &rows, const ScratchMatrix &to) {
  const Type f32 = b.getF32Type();
  const int64_t wholeColumns = rows.columns / vector * vector;
  auto pointerOf = [&](Value row) { return operandAt(rows.operand, f.mul(f.add(rows.first, row), rows.columns)); };
  // Squares are turned in registers; what columns are left, one by one.
  auto turn = [&](Value row) {
    LogicalResult turned = f.forEach(f.i64(0), f.i64(wholeColumns), vector, [&](Value column) {
      SmallVector<Value> square;
      for (int64_t i = 0; i < vector; ++i)
        square.push_back(load(elementOf(rows.operand), pointerOf(f.add(row, f.i64(i))), column, vector));
      for (auto [i, lanes] : llvm::enumerate(transposeLanes(b, square)))
        store(lanes, f32, to.pointer, to.indexOf(f, f.add(column, f.i64(i)), row), vector);
      return success();
    });
    return turned;
  };
  auto copyOne = [&](Value row, Value column) {
    Value one = load(elementOf(rows.operand), pointerOf(row), column, 1);
    store(one, f32, to.pointer, to.indexOf(f, column, row), 1);
    return success();
  };
  auto copySome = [&](Value from, Value end, int64_t fromColumn) {
    return f.forEach(from, end, 1, [&](Value row) {
      return f.forEach(f.i64(fromColumn), f.i64(rows.columns), 1, [&](Value column) { return copyOne(row, column); });
    });
  };
  Value wholeRows = f.mul(f.div(rows.count, vector), vector);
  if (failed(f.forEach(f.i64(0), wholeRows, vector, turn)))
    return failure();
  if (wholeColumns != rows.columns && failed(copySome(f.i64(0), wholeRows, wholeColumns)))
    return failure();
  return copySome(wholeRows, rows.count, 0);
}

LogicalResult AttentionBlocks::writeRows(const ScratchMatrix &from, Value result, const Rows &like) {
  if (!result)
    return success();
  return f.forEach(f.i64(0), like.count, 1, [&](Value row) {
    Value pointer = f.offset(result, memoryType(element), f.mul(f.add(like.first, row), like.columns));
    return f.forLanes(f.i64(0), f.i64(like.columns), vector, like.columns % vector != 0,
                      [&](Value column, int64_t width) {
                        Value lanes = load(b.getF32Type(), from.pointer, from.indexOf(f, row, column), width);
                        store(roundTo(b, lanes, element), element, pointer, column, width);
                        return success();
                      });
  });
}

Value AttentionBlocks::resultOf(Value value) {
  for (auto [index, yielded] : llvm::enumerate(f.yields()))
    if (yielded == value)
      return f.result(index);
  return {};
}

// Masks

LogicalResult AttentionBlocks::readMask(const Meeting &at) {
  if (!mask)
    return success();
  // In a mask that broadcasts a step along a dimension of size 1 goes nowhere.
  SmallVector<int64_t> shape(4 - shapeOf(mask).size(), 1);
  llvm::append_range(shape, shapeOf(mask));
  SmallVector<Value> places = {f.div(at.head, sizes.heads), f.rem(at.head, sizes.heads), at.query};
  Value index = f.i64(0);
  int64_t stride = shape[3];
  for (int64_t dimension : {2, 1, 0}) {
    if (shape[dimension] != 1)
      index = f.add(index, f.mul(places[dimension], stride));
    stride *= shape[dimension];
  }
  const Type f32 = b.getF32Type();
  const bool isSame = shape[3] == 1;
  Value pointer = operandAt(mask, isSame ? index : f.add(index, at.keys.from));
  return f.forLanes(f.i64(0), at.keys.count, vector, /*hasRest=*/true, [&](Value column, int64_t width) {
    Value lanes = load(elementOf(mask), pointer, isSame ? values.zero : column, isSame ? 1 : width);
    if (elementOf(mask).isInteger(1))
      lanes = arith::UIToFPOp::create(b, withLanes(f32, laneCount(lanes.getType())), lanes);
    if (isSame)
      lanes = splat(b, lanes, width);
    store(lanes, f32, maskRow, column, width);
    return success();
  });
}

AttentionBlocks::MaskedScores AttentionBlocks::maskedScores(Value row, Value column, const Meeting &at) {
  const Type i64 = withLanes(b.getI64Type(), vector);
  Value last = f.sub(at.keys.count, f.i64(1));
  if (isCausal)
    last = f.min(last, f.sub(at.query, at.keys.from));
  Value places = arith::AddIOp::create(b, splat(b, column, vector), laneNumbers(b, i64));
  Value isKey = arith::CmpIOp::create(b, arith::CmpIPredicate::sle, places, splat(b, last, vector));
  Value lanes = scaled(loadLanes(scores, row, column));
  if (mask) {
    Value given = load(b.getF32Type(), maskRow, column, vector);
    if (elementOf(mask).isInteger(1)) {
      Value isKept = arith::CmpFOp::create(b, arith::CmpFPredicate::ONE, given, constant(0));
      isKey = arith::AndIOp::create(b, isKey, isKept);
    } else {
      lanes = arith::AddFOp::create(b, lanes, given);
    }
  }
  return {lanes, isKey};
}

Value AttentionBlocks::scaled(Value lanes) { return arith::MulFOp::create(b, lanes, constant(factor)); }

Value AttentionBlocks::replace(Value value, double of, double instead) {
  Value isIt = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, value, scalar(of));
  return arith::SelectOp::create(b, isIt, scalar(instead), value);
}

// Loops

Value AttentionBlocks::endOfKeys(const Span &queries) {
  return isCausal ? f.min(f.i64(sizes.keys), f.add(queries.from, queries.count)) : f.i64(sizes.keys);
}

Value AttentionBlocks::firstQueryOf(const Span &keys) {
  return isCausal ? f.mul(f.div(keys.from, blockQueries), blockQueries) : f.i64(0);
}

LogicalResult AttentionBlocks::forBlocks(Value from, Value to, int64_t size,
                                         function_ref<LogicalResult(const Span &)> body) {
  return f.forEach(from, to, size, [&](Value first) { return body({first, f.min(f.sub(to, first), f.i64(size))}); });
}
