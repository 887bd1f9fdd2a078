// One scalar, or a vector of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Forms/Lanes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mp;

Type mp::withLanes(Type element, int64_t width) { return width == 1 ? element : VectorType::get({width}, element); }

int64_t mp::laneCount(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getDimSize(0) : 1;
}

Type mp::laneType(Type type) { return getElementTypeOrSelf(type); }

Type mp::integerTwin(Type type) {
  return withLanes(IntegerType::get(type.getContext(), laneType(type).getIntOrFloatBitWidth()), laneCount(type));
}

/// `attribute` as a constant in every lane of `type`.
static Value laneConstant(LaneBuilder &b, Type type, TypedAttr attribute) {
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, Attribute(attribute));
  return arith::ConstantOp::create(b, attribute);
}

Value mp::floatConstant(LaneBuilder &b, Type type, double value) {
  return laneConstant(b, type, b.getFloatAttr(laneType(type), value));
}

Value mp::intConstant(LaneBuilder &b, Type type, int64_t value) {
  auto element = cast<IntegerType>(laneType(type));
  APInt bits = APInt(64, static_cast<uint64_t>(value)).zextOrTrunc(element.getWidth());
  return laneConstant(b, type, b.getIntegerAttr(element, bits));
}

Value mp::bitsConstant(LaneBuilder &b, Type type, uint64_t bits) {
  auto element = cast<FloatType>(laneType(type));
  APFloat value(element.getFloatSemantics(), APInt(element.getWidth(), bits));
  return laneConstant(b, type, b.getFloatAttr(element, value));
}

Value mp::splat(LaneBuilder &b, Value scalar, int64_t width) {
  if (width == 1)
    return scalar;
  return vector::BroadcastOp::create(b, withLanes(scalar.getType(), width), scalar);
}

Value mp::laneNumbers(LaneBuilder &b, Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return intConstant(b, type, 0);
  SmallVector<Attribute> numbers;
  for (int64_t lane = 0; lane < vector.getDimSize(0); ++lane)
    numbers.push_back(b.getIntegerAttr(vector.getElementType(), lane));
  return arith::ConstantOp::create(b, DenseElementsAttr::get(vector, numbers));
}

SmallVector<Value> mp::transposeLanes(LaneBuilder &b, ValueRange rows) {
  const int64_t count = static_cast<int64_t>(rows.size());
  assert(count == laneCount(rows.front().getType()) && llvm::isPowerOf2_64(count));
  // Interleaving row i with row i + count/2 is a rotation of the bits of (row, lane); log2(count) of them swap the two.
  SmallVector<int64_t> low, high;
  for (int64_t lane = 0; lane < count / 2; ++lane) {
    low.append({lane, lane + count});
    high.append({lane + count / 2, lane + count / 2 + count});
  }
  SmallVector<Value> current(rows);
  for (int64_t stage = 1; stage < count; stage *= 2) {
    SmallVector<Value> next;
    for (int64_t row = 0; row < count / 2; ++row) {
      next.push_back(vector::ShuffleOp::create(b, current[row], current[row + count / 2], low));
      next.push_back(vector::ShuffleOp::create(b, current[row], current[row + count / 2], high));
    }
    current = std::move(next);
  }
  return current;
}

Value mp::hidden(LaneBuilder &b, Value value, StringRef constraints) {
  return LLVM::InlineAsmOp::create(b, value.getType(), ValueRange{value}, /*asm_string=*/"", constraints,
                                   /*has_side_effects=*/false, /*is_align_stack=*/false,
                                   LLVM::tailcallkind::TailCallKind::None, /*asm_dialect=*/LLVM::AsmDialectAttr(),
                                   /*operand_attrs=*/ArrayAttr())
      .getRes();
}
