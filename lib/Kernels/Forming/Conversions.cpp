// What makes a tensor of one that is given.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Forming/Conversions.h"

#include "Kernels/Forming/Prepare.h"
#include "mp/IR/Views.h"

using namespace mlir;
using namespace mp;

/// Ops in a row: bounds what is computed for each channel that is not the image's.
static constexpr size_t kLongestConversion = 8;

static bool isGiven(Value value) { return isa<BlockArgument>(getBase(value)); }

std::optional<Conversion> mp::findConversion(Value value) {
  Conversion found;
  while (!isGiven(value)) {
    // What is elementwise is so in any shape.
    Operation *op = getBase(value).getDefiningOp();
    value = op && found.ops.size() < kLongestConversion ? getElementwiseSource(op) : Value();
    if (!value)
      return std::nullopt;
    found.ops.push_back(op);
  }
  found.given = value;
  return found;
}

/// Whether `op` makes zeros of zeros in its one tensor operand: it multiplies that, or adds nothing to it.
static bool makesZerosOfZeros(Operation *op) {
  auto scaling = dyn_cast<ScalingOpInterface>(op);
  Value source = getElementwiseSource(op);
  return scaling && llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
           const Scaling own = scaling.getScaling(operand);
           return operand.get() == source ? own == Scaling::Term || own == Scaling::Factor : own != Scaling::Term;
         });
}

bool Conversion::keepsZeros() const { return llvm::all_of(ops, makesZerosOfZeros); }

Value Conversion::convert(OpBuilder &b, Value other) const {
  for (Operation *op : llvm::reverse(ops))
    other = cloneOn(b, op, other);
  return other;
}

Value mp::getCastFloats(Value value) {
  auto cast = value.getDefiningOp<CastOp>();
  return cast && isGiven(cast.getInput()) && isa<FloatType>(elementOf(cast.getInput())) ? cast.getInput() : Value();
}
