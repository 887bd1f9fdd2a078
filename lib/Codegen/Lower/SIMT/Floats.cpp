// Conversions of f16 and bf16 for the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Lower/SIMT/Caller.h"

using namespace mlir;
using namespace mp;

namespace {

/// Ops on the lanes of `shape`, a scalar or a vector.
struct Lanes {
  ImplicitLocOpBuilder b;
  Type shape;

  Type of(Type element) const {
    auto vector = dyn_cast<VectorType>(shape);
    return vector ? Type(vector.clone(element)) : element;
  }
  Value constant(int64_t value) {
    Type type = of(b.getI32Type());
    TypedAttr attr = b.getI32IntegerAttr(value);
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, cast<Attribute>(attr));
    return LLVM::ConstantOp::create(b, type, attr);
  }
  Value bitcast(Type element, Value value) { return LLVM::BitcastOp::create(b, of(element), value); }
};

} // namespace

/// bf16 is the upper half of an f32.
static Value widen(Lanes lanes, Value value) {
  ImplicitLocOpBuilder &b = lanes.b;
  Value bits = lanes.bitcast(b.getI16Type(), value);
  Value wide = LLVM::ZExtOp::create(b, lanes.of(b.getI32Type()), bits);
  return lanes.bitcast(b.getF32Type(), LLVM::ShlOp::create(b, wide, lanes.constant(16)));
}

/// To nearest even: half of the last place is added, less one where that leaves a tie to an even number below.
static Value narrow(Lanes lanes, Value value) {
  ImplicitLocOpBuilder &b = lanes.b;
  Value bits = lanes.bitcast(b.getI32Type(), value), upper = LLVM::LShrOp::create(b, bits, lanes.constant(16));
  Value last = LLVM::AndOp::create(b, upper, lanes.constant(1));
  Value half = LLVM::AddOp::create(b, last, lanes.constant(0x7fff));
  Value rounded = LLVM::LShrOp::create(b, LLVM::AddOp::create(b, bits, half), lanes.constant(16));
  Value quiet = LLVM::OrOp::create(b, upper, lanes.constant(0x40));
  Value isNaN = LLVM::FCmpOp::create(b, LLVM::FCmpPredicate::uno, value, value);
  Value chosen = LLVM::SelectOp::create(b, isNaN, quiet, rounded);
  return lanes.bitcast(b.getBF16Type(), LLVM::TruncOp::create(b, lanes.of(b.getI16Type()), chosen));
}

/// f64 to 16 bits is one rounding, which no instruction of the host does: lane by lane on the device.
static Value narrowDoubles(SimulatorCaller &caller, LLVM::FPTruncOp op, SimulatorElement element) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Type scalar = getElementTypeOrSelf(op.getType());
  auto one = [&](Value value) {
    return caller.call(op, SimulatorEntry::Narrow, value, static_cast<uint32_t>(element), scalar);
  };
  auto vector = dyn_cast<VectorType>(op.getType());
  if (!vector)
    return one(op.getArg());
  Value result = LLVM::PoisonOp::create(b, vector);
  for (int64_t lane = 0; lane < vector.getNumElements(); ++lane) {
    Value index = LLVM::ConstantOp::create(b, b.getI32Type(), b.getI32IntegerAttr(lane));
    Value rounded = one(LLVM::ExtractElementOp::create(b, op.getArg(), index));
    result = LLVM::InsertElementOp::create(b, result, rounded, index);
  }
  return result;
}

void mp::lowerNarrowFloats(LLVM::LLVMFuncOp function, SimulatorCaller &caller) {
  SmallVector<Operation *> casts;
  function.walk([&](Operation *op) {
    if (isa<LLVM::FPTruncOp, LLVM::FPExtOp>(op))
      casts.push_back(op);
  });
  for (Operation *op : casts) {
    Type from = getElementTypeOrSelf(op->getOperand(0).getType()),
         to = getElementTypeOrSelf(op->getResult(0).getType());
    Lanes lanes{ImplicitLocOpBuilder(op->getLoc(), op), op->getResult(0).getType()};
    Value result;
    if (from.isBF16()) {
      result = widen(lanes, op->getOperand(0));
      if (!to.isF32())
        result = LLVM::FPExtOp::create(lanes.b, op->getResult(0).getType(), result);
    } else if (from.isF64() && (to.isF16() || to.isBF16())) {
      auto trunc = cast<LLVM::FPTruncOp>(op);
      result = narrowDoubles(caller, trunc, to.isF16() ? SimulatorElement::F16 : SimulatorElement::BF16);
    } else if (to.isBF16()) {
      result = narrow(lanes, op->getOperand(0));
    } else {
      continue;
    }
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  }
}
