//===- Product.cpp - the matrix product of a kernel ----------------------------------------------------------===//

#include "Codegen/Product.h"

using namespace mlir;
using namespace mp;

static RankedTensorType typeOf(Value tensor) { return cast<RankedTensorType>(tensor.getType()); }

FailureOr<Product> mp::findProduct(KernelFunction &f) {
  Product product;
  for (Operation &op : f.body()) {
    if (!isa<MatmulOp, MatmulPartsOp>(op))
      continue;
    if (product.op)
      return op.emitOpError("is the second product of its kernel");
    static_cast<ProductShape &>(product) = ProductShape::of(&op);
    product.op = &op;
    product.lhs = op.getOperand(0);
    product.rhs = op.getOperand(1);
    product.result = op.getResult(0);
    if (auto matmul = dyn_cast<MatmulOp>(op))
      product.bias = matmul.getBias();
  }
  if (!product.op)
    return f.kernel.emitOpError("is scheduled as a contraction and holds none");
  if (!product.acc.isF32() && !product.acc.isF64())
    return product.op->emitOpError("accumulates in ") << product.acc << ", which no code does";
  return product;
}

ProductEpilogue::ProductEpilogue(KernelFunction &f, Elements &values, const Product &product)
    : f(f), values(values), product(product),
      even(llvm::all_of(f.yields(), [&](Value yield) { return values.isEvenAlong(yield, product.n); })) {}

LogicalResult ProductEpilogue::prepare() {
  for (Value yield : f.yields())
    if (typeOf(yield).getNumElements() != typeOf(product.result).getNumElements())
      return product.op->emitOpError("shares a kernel with a result of another size");
  return values.prepare(f.yields());
}

LogicalResult ProductEpilogue::emit(Value row, Value column, Value sums, int64_t lanes) {
  Elements::Scope scope(values);
  const Lanes here = values.inRow(row, product.n, column, lanes, even);
  if (product.bias) {
    FailureOr<Value> bias = values.at(product.bias, {values.zero, 1, column, 1, lanes});
    if (failed(bias))
      return failure();
    sums = arith::AddFOp::create(f.b, sums, *bias);
  }
  Type element = typeOf(product.result).getElementType();
  values.bindLanes(product.result, element == product.acc ? sums : roundTo(f.b, sums, element), here);
  SmallVector<Value> held;
  for (Value yield : f.yields()) {
    FailureOr<Value> value = values.at(yield, here);
    if (failed(value))
      return failure();
    held.push_back(*value);
  }
  for (auto [number, yield, value] : llvm::enumerate(f.yields(), held))
    values.store(value, typeOf(yield).getElementType(), f.result(number), here);
  return success();
}
