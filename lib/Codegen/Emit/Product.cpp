// The matrix product of a kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Emit/Product.h"

#include "mp/Analysis/ProductRows.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mp;

Product Product::of(const Class &rows) const {
  Product part = *this;
  static_cast<Contraction &>(part) = productOf(*this, rows);
  return part;
}

Product Product::transposed() const {
  Product turned = *this;
  std::swap(turned.m, turned.n);
  std::swap(turned.lhs, turned.rhs);
  std::swap(turned.lhsMap, turned.rhsMap);
  return turned;
}

FailureOr<Product> mp::findProduct(KernelFunction &f) {
  Product product;
  for (Operation &op : f.body()) {
    auto contraction = dyn_cast<ContractionOpInterface>(op);
    if (!contraction)
      continue;
    if (product.op)
      return op.emitOpError("is the second product of its kernel");
    static_cast<Contraction &>(product) = contraction.getContraction();
    product.op = &op;
    product.lhs = contraction.getLhs();
    product.rhs = contraction.getRhs();
    product.result = op.getResult(0);
    product.bias = contraction.getBias();
  }
  if (!product.op)
    return f.kernel.emitOpError("is scheduled as a contraction and holds none");
  return product;
}

static bool isTileOp(Operation *op) { return op && roleOf(op) == KernelRole::Tile; }

ProductEpilogue::ProductEpilogue(KernelFunction &f, Elements &values, const Product &product)
    : f(f), values(values), product(product), columns(product.sharesRows ? product.batch * product.n : product.n) {
  for (auto [number, yield] : llvm::enumerate(f.yields())) {
    Operation *op = yield.getDefiningOp();
    if (isTileOp(op) && !tiles.empty() && tiles.back().op == op)
      tiles.back().results.push_back(number);
    else if (isTileOp(op))
      tiles.push_back({op, {static_cast<unsigned>(number)}});
    else
      stored.push_back(number);
  }
  even = isEvenNow();
}

SmallVector<Value> ProductEpilogue::wanted() const {
  SmallVector<Value> all;
  for (unsigned number : stored)
    all.push_back(f.yields()[number]);
  for (const ReducedTile &tile : tiles)
    all.push_back(tile.op->getOperand(0));
  if (kept)
    all.push_back(kept);
  return all;
}

bool ProductEpilogue::isEvenNow() {
  return llvm::all_of(wanted(), [&](Value value) { return values.isEvenAlong(value, columns); });
}

void ProductEpilogue::keep(Value value, Value pointer, ArrayRef<unsigned> ofOthers) {
  kept = value;
  keptAt = pointer;
  llvm::erase_if(stored, [&](unsigned number) { return llvm::is_contained(ofOthers, number); });
  even = isEvenNow();
}

unsigned ProductEpilogue::leastBits() const {
  unsigned bits = product.acc.getIntOrFloatBitWidth();
  for (unsigned number : stored)
    bits = std::min(bits, typeOf(f.yields()[number]).getElementTypeBitWidth());
  return bits;
}

LogicalResult ProductEpilogue::prepare() {
  for (const ReducedTile &tile : tiles)
    for (auto [number, result] : llvm::zip_longest(tile.results, tile.op->getResults()))
      if (!number || !result || f.yields()[*number] != *result)
        return tile.op->emitOpError("has results that are not yielded one after the other");
  const SmallVector<Value> all = wanted();
  for (Value value : all)
    if (typeOf(value).getNumElements() != typeOf(product.result).getNumElements())
      return product.op->emitOpError("shares a kernel with a result of another size");
  return values.prepare(all);
}

bool ProductEpilogue::isPlain() const {
  return product.acc.isF32() && !areSumsFinished && !product.bias && !kept && tiles.empty() && stored.size() == 1 &&
         f.yields()[stored.front()] == product.result;
}

Value ProductEpilogue::rounded(Value sums) {
  Type element = typeOf(product.result).getElementType();
  if (element == product.acc)
    return sums;
  return roundSums ? roundSums(sums) : roundTo(f.b, sums, element);
}

void ProductEpilogue::storeFirst(Value row, Value column, Value sums, int64_t count) {
  Type element = typeOf(product.result).getElementType(), inMemory = memoryType(element);
  const int64_t lanes = laneCount(sums.getType());
  SmallVector<bool> isStored(lanes);
  std::fill_n(isStored.begin(), count, true);
  auto mask = DenseElementsAttr::get(VectorType::get(lanes, f.b.getI1Type()), isStored);
  Value at = f.offset(f.result(stored.front()), inMemory, f.add(f.mul(row, columns), column));
  LLVM::MaskedStoreOp::create(f.b, toMemory(f.b, rounded(sums), element), at, arith::ConstantOp::create(f.b, mask),
                              inMemory.getIntOrFloatBitWidth() / 8);
}

SmallVector<std::pair<Value, Type>> ProductEpilogue::addends() const {
  SmallVector<std::pair<Value, Type>> found;
  for (BlockArgument argument : f.body().getArguments())
    if (argument != product.lhs && argument != product.rhs && argument != product.bias &&
        typeOf(argument).getShape() == typeOf(product.result).getShape())
      found.emplace_back(f.input(argument.getArgNumber()), memoryType(elementOf(argument)));
  return found;
}

FailureOr<Value> ProductEpilogue::finishSums(Value column, Value sums, int64_t lanes) {
  // Sums in f16 are f32 in registers, and are of f16 at the end and after the bias.
  auto roundToAcc = [&](Value value) { return product.acc.isF16() ? roundTo(f.b, value, product.acc) : value; };
  sums = roundToAcc(sums);
  if (product.bias) {
    FailureOr<Value> bias = values.at(product.bias, {values.zero, 1, column, 1, lanes});
    if (failed(bias))
      return failure();
    sums = roundToAcc(arith::AddFOp::create(f.b, sums, *bias));
  }
  return rounded(sums);
}

FailureOr<ProductEpilogue::Computed> ProductEpilogue::compute(Value row, Value column, Value sums, int64_t lanes,
                                                              OnTile onTile) {
  Elements::Scope scope(values);
  const Lanes here = values.inRow(row, columns, column, lanes, even);
  if (!areSumsFinished) {
    FailureOr<Value> finished = finishSums(column, sums, lanes);
    if (failed(finished))
      return failure();
    sums = *finished;
  }
  values.bindLanes(product.result, sums, here);
  FailureOr<Computed> computed = f.computeResults(values, stored, here);
  if (failed(computed))
    return failure();
  if (kept) {
    FailureOr<Value> value = values.at(kept, here);
    if (failed(value))
      return failure();
    if (keptAt)
      values.store(*value, elementOf(kept), keptAt, here);
    else
      onTile(tiles.size(), *value);
  }
  for (auto [number, tile] : llvm::enumerate(tiles)) {
    FailureOr<Value> value = values.at(tile.op->getOperand(0), here);
    if (failed(value))
      return failure();
    onTile(number, *value);
  }
  return computed;
}

LogicalResult ProductEpilogue::emit(Value row, Value column, Value sums, int64_t lanes, OnTile onTile) {
  FailureOr<Computed> computed = compute(row, column, sums, lanes, onTile);
  if (failed(computed))
    return failure();
  store(*computed);
  return success();
}
