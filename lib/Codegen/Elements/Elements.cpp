// The elements of a kernel's values, on demand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Elements/Elements.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;
using namespace mp;

static std::optional<Sizes> operandStrides(OpOperand &operand) {
  return cast<ScalarFormInterface>(operand.getOwner()).getOperandStrides(operand);
}

Elements::Elements(LaneBuilder &b, bool alignsLanes)
    : zero(intConstant(b, b.getI64Type(), 0)), b(b), alignsLanes(alignsLanes), scopes(1) {}

void Elements::bindMemory(Value tensor, Value pointer) {
  bindings[tensor] = {Kind::Memory, pointer};
  pointers[tensor] = pointer;
}
void Elements::bindUniform(Value tensor, Value value) { bindings[tensor] = {Kind::Uniform, value}; }
void Elements::bindRow(Value tensor, Value pointer, const Lanes &where) {
  bindings[tensor] = {Kind::Row, pointer, where};
}
void Elements::bindOfRow(Value tensor, Value value, const Lanes &where) {
  bindings[tensor] = {Kind::OfRow, value, where};
}
void Elements::bindLanes(Value tensor, Value value, const Lanes &where) {
  bindings[tensor] = {Kind::Lanes, value, where};
}

int64_t Elements::evenRun(Value value, int64_t stride) {
  Operation *op = value.getDefiningOp();
  if (stride == 0 || bindings.contains(value) || !op || typeOf(value).getNumElements() == 1)
    return 0;
  if (!isa<ScalarFormInterface>(op))
    return 0;
  auto [known, isNew] = runs.try_emplace({value, stride}, 0);
  if (!isNew)
    return known->second;
  int64_t run = cast<ScalarFormInterface>(op).getRun();
  if (run != 0 && stride != 1)
    run = 1;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!readsPerElement(operand))
      continue;
    std::optional<Sizes> strides = operandStrides(operand);
    Walk walk = strides ? follow(shapeOf(op->getResult(0)), *strides, stride) : Walk{stride, 0};
    run = std::gcd(run, std::gcd(walk.run, evenRun(operand.get(), walk.stride)));
  }
  return runs[{value, stride}] = run;
}

// What is built once

/// Whether `tensor` can be had before any loop: bound, or made by maps of what can be had.
bool Elements::isReady(Value tensor) {
  if (auto bound = bindings.find(tensor); bound != bindings.end())
    return bound->second.kind == Kind::Memory || bound->second.kind == Kind::Uniform;
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return false;
  return matchPattern(op, m_Constant()) ||
         (isa<ScalarFormInterface>(op) && llvm::all_of(op->getOperands(), [&](Value v) { return isReady(v); }));
}

LogicalResult Elements::prepare(ValueRange values) {
  for (Value value : values) {
    if (!prepared.insert(value).second)
      continue;
    Operation *op = value.getDefiningOp();
    if (op && !bindings.contains(value)) {
      if (failed(prepare(op->getOperands())))
        return failure();
      if (failed(partsOf(op)))
        return failure();
    }
    if (typeOf(value).getNumElements() != 1 || !isReady(value))
      continue;
    FailureOr<Value> single = only(value);
    if (failed(single))
      return failure();
    bindUniform(value, *single);
  }
  return success();
}

FailureOr<ScalarParts> Elements::partsOf(Operation *op) {
  auto withParts = dyn_cast<ScalarPartsInterface>(op);
  if (!withParts)
    return ScalarParts();
  auto operands =
      llvm::map_to_vector<2>(withParts.getPartOperands(), [](OpOperand *operand) { return operand->get(); });
  PartsKey key(op->getName(), op->getAttrDictionary(), std::move(operands));
  // Few: ops that differ in this differ in what the user asked for.
  for (const auto &[known, own] : parts)
    if (known == key)
      return own;
  auto build = [&]() -> FailureOr<ScalarParts> {
    Scope scope(*this);
    return withParts.buildParts(b, [&](Value operand, int64_t index) {
      return at(operand, {intConstant(b, b.getI64Type(), index), 1, zero, 0, 1});
    });
  };
  FailureOr<ScalarParts> built = sharedParts && withParts.hasCostlyParts() ? sharedParts(build) : build();
  if (succeeded(built))
    parts.emplace_back(std::move(key), *built);
  return built;
}

// Where lanes are

/// `row * times / over % modulo`; 0 is no modulo.
Value Elements::rowOf(Value row, int64_t times, int64_t over, int64_t modulo) {
  if ((modulo != 0 && over == 1 && times % modulo == 0) || row == zero)
    return zero;
  const Key key{row.getAsOpaquePointer(), nullptr, times, nullptr, over, modulo};
  for (Remembered &scope : scopes)
    if (auto known = scope.rows.find(key); known != scope.rows.end())
      return known->second;
  auto constant = [&](int64_t value) { return intConstant(b, b.getI64Type(), value); };
  Value result = row;
  if (times != 1)
    result = b.createOrFold<arith::MulIOp>(result, constant(times));
  if (over != 1)
    result = b.createOrFold<arith::DivUIOp>(result, constant(over));
  if (modulo != 0)
    result = b.createOrFold<arith::RemUIOp>(result, constant(modulo));
  // One value for 0, by which lanes are compared.
  if (matchPattern(result, m_Zero()))
    result = zero;
  return scopes.back().rows[key] = result;
}

Lanes Elements::operandLanes(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides, const Lanes &lanes) {
  const Walk walk = follow(shape, strides, lanes.stride);
  const int64_t elements = ShapedType::getNumElements(shape);
  SmallVector<std::pair<Value, int64_t>> terms;
  for (const DimensionGroup &group : groupDimensions(shape, strides)) {
    const int64_t shared = std::gcd(lanes.unit, group.outer);
    const bool isOutermost = group.outer * group.size == elements;
    Value coordinate = rowOf(lanes.row, lanes.unit / shared, group.outer / shared, isOutermost ? 0 : group.size);
    if (coordinate != zero)
      terms.emplace_back(coordinate, group.operandStride);
  }
  Lanes result{zero, 1, walk.stride == 0 ? zero : lanes.column, walk.stride, lanes.width};
  if (terms.empty())
    return result;
  std::tie(result.row, result.unit) = terms.front();
  if (terms.size() == 1)
    return result;
  // What all strides are multiples of stays apart, for alignment.
  result.unit = 0;
  for (auto [coordinate, stride] : terms)
    result.unit = std::gcd(result.unit, stride);
  result.row = zero;
  for (auto [coordinate, stride] : terms)
    result.row = b.createOrFold<arith::AddIOp>(result.row, rowOf(coordinate, stride / result.unit, 1, 0));
  return result;
}

Lanes Elements::inRow(Value row, int64_t columns, Value column, int64_t width, bool isEven) {
  assert((isEven || width == 1) && "lanes walk evenly");
  // The column of a row of one is found as what has one value for the row, for the two may have one shape.
  if (columns == 1)
    return {row, 1, zero, 0, 1};
  if (isEven)
    return {row, columns, column, 1, width};
  Value element = b.createOrFold<arith::AddIOp>(rowOf(row, columns, 1, 0), column);
  // What the row has one of is found from an element as from the row itself.
  scopes.back().rows[{element.getAsOpaquePointer(), nullptr, 1, nullptr, columns, 0}] = row;
  return {element, 1, zero, 0, 1};
}

Value Elements::position(const Lanes &lanes) {
  Type type = withLanes(b.getI64Type(), lanes.width);
  Value stride = intConstant(b, b.getI64Type(), lanes.stride);
  Value first = b.createOrFold<arith::AddIOp>(rowOf(lanes.row, lanes.unit, 1, 0),
                                              b.createOrFold<arith::MulIOp>(lanes.column, stride));
  if (lanes.width == 1)
    return first;
  Value steps = b.createOrFold<arith::MulIOp>(laneNumbers(b, type), intConstant(b, type, lanes.stride));
  return b.createOrFold<arith::AddIOp>(splat(b, first, lanes.width), steps);
}

// Memory

Value Elements::addressOf(Type inMemory, Value pointer, Lanes lanes, int64_t steps) {
  if (auto placed = placedPixels.find(lanes.row); placed != placedPixels.end()) {
    lanes.row = placed->second.first;
    steps += placed->second.steps;
  }
  Value index = position({lanes.row, lanes.unit, lanes.column, lanes.stride, 1});
  Value address = LLVM::GEPOp::create(b, pointer.getType(), inMemory, pointer, ValueRange{index});
  return steps == 0 ? address : stepFrom(inMemory, address, steps * lanes.unit);
}

/// What lies so many elements behind `address`.
Value Elements::stepFrom(Type inMemory, Value address, int64_t elements) {
  // Constants of the op lose what is beyond their bits, without a word.
  LLVM::GEPArg index = llvm::isInt<LLVM::kGEPConstantBitWidth>(elements)
                           ? LLVM::GEPArg(static_cast<int32_t>(elements))
                           : LLVM::GEPArg(intConstant(b, b.getI64Type(), elements));
  return LLVM::GEPOp::create(b, address.getType(), inMemory, address, ArrayRef<LLVM::GEPArg>{index});
}

unsigned Elements::alignmentOf(Type inMemory, const Lanes &lanes) const {
  const unsigned bytes = memoryBytes(inMemory);
  if (!alignsLanes || lanes.width == 1)
    return bytes;
  // The first lane is at a multiple of both what the row and what the column are multiples of.
  const int64_t multiple = std::gcd(lanes.row == zero ? 0 : lanes.unit, lanes.width);
  return std::min<unsigned>(64, bytes * static_cast<unsigned>(multiple & -multiple));
}

Value Elements::load(Type element, Value pointer, const Lanes &lanes, int64_t steps) {
  Type inMemory = memoryType(element);
  auto loadAt = [&](Value address, int64_t width) -> Value {
    Lanes at = lanes;
    at.width = width;
    return LLVM::LoadOp::create(b, withLanes(inMemory, width), address, alignmentOf(inMemory, at));
  };
  Value address = addressOf(inMemory, pointer, lanes, steps);
  if (lanes.width == 1 || lanes.stride == 1)
    return toRegister(b, loadAt(address, lanes.width), element);
  if (lanes.stride == 0)
    return splat(b, toRegister(b, loadAt(address, 1), element), lanes.width);
  SmallVector<Value> each;
  for (int64_t lane = 0; lane < lanes.width; ++lane) {
    each.push_back(loadAt(stepFrom(inMemory, address, lane * lanes.stride), 1));
  }
  return toRegister(b, vector::FromElementsOp::create(b, VectorType::get({lanes.width}, inMemory), each), element);
}

void Elements::store(Value value, Type element, Value pointer, const Lanes &lanes) {
  assert((lanes.width == 1 || lanes.stride == 1) && "lanes are neighbours in memory");
  Type inMemory = memoryType(element);
  const bool isWhole = lanes.width > 1 && (lanes.row == zero || lanes.unit % lanes.width == 0);
  const bool isPastCaches = isWhole && pastCaches.contains(pointer);
  const int64_t bytes = lanes.width * memoryBytes(inMemory);
  Value stored = toMemory(b, value, element);
  // Of a vector of f16 or bf16, or of its bits as long as it sees what they are of, LLVM 22 makes a common store.
  constexpr int64_t kLeastRegister = 16;
  if (isPastCaches && bytes == 2 * lanes.width && bytes >= kLeastRegister)
    stored = hidden(b, b.createOrFold<arith::BitcastOp>(integerTwin(stored.getType()), stored), "=v,0");
  LLVM::StoreOp::create(b, stored, addressOf(inMemory, pointer, lanes),
                        isPastCaches ? static_cast<unsigned>(bytes) : alignmentOf(inMemory, lanes),
                        /*isVolatile=*/false, isPastCaches);
}

// Values

FailureOr<Value> Elements::atBound(Value tensor, const Binding &binding, const Lanes &lanes) {
  Type element = typeOf(tensor).getElementType();
  const Lanes &where = binding.where;
  const bool isSingle = typeOf(tensor).getNumElements() == 1;
  const bool isSameRow = isSingle || (lanes.row == where.row && lanes.unit == where.unit);
  switch (binding.kind) {
  case Kind::Memory:
    return load(element, binding.value, lanes);
  case Kind::Uniform:
    return splat(b, binding.value, lanes.width);
  case Kind::Row:
    if (isSameRow)
      return load(element, binding.value, {zero, 1, lanes.column, lanes.stride, lanes.width});
    break;
  case Kind::OfRow:
    if (isSingle || (isSameRow && lanes.stride == 0))
      return splat(b, binding.value, lanes.width);
    break;
  case Kind::Lanes:
    if (lanes.width == where.width &&
        (isSingle || (isSameRow && lanes.column == where.column && lanes.stride == where.stride)))
      return binding.value;
    break;
  }
  return emitError(tensor.getLoc(), "is read in another order than its kernel computes it in");
}

FailureOr<Value> Elements::at(Value tensor, const Lanes &asked) {
  Lanes lanes = asked;
  if (typeOf(tensor).getNumElements() == 1)
    lanes = {zero, 1, zero, 0, asked.width};
  if (lanes.stride == 0)
    lanes.column = zero;
  Operation *op = tensor.getDefiningOp();
  auto bound = bindings.find(tensor);
  if (bound == bindings.end() && !op)
    llvm_unreachable("an emitter binds every block argument");
  if (bound != bindings.end() && bound->second.kind == Kind::Lanes)
    return atBound(tensor, bound->second, lanes);

  const Key key{tensor.getAsOpaquePointer(),
                lanes.row.getAsOpaquePointer(),
                lanes.unit,
                lanes.column.getAsOpaquePointer(),
                lanes.stride,
                lanes.width};
  for (Remembered &scope : scopes)
    if (auto known = scope.results.find(key); known != scope.results.end())
      return known->second.front();

  FailureOr<Value> value;
  if (bound != bindings.end())
    value = atBound(tensor, bound->second, lanes);
  else if (ElementsAttr constant; matchPattern(op, m_Constant(&constant)))
    value = [&]() -> FailureOr<Value> {
      auto dense = dyn_cast<DenseElementsAttr>(constant);
      if (!dense || !dense.isSplat())
        return op->emitOpError("has different elements, which a kernel takes as an input");
      return registerConstant(b, dense, lanes.width);
    }();
  else
    value = atMap(cast<OpResult>(tensor), lanes);
  if (succeeded(value))
    scopes.back().results[key] = {*value};
  return value;
}

/// Lanes that are no neighbours, of a form that reads runs of neighbours.
FailureOr<Value> Elements::oneByOne(OpResult result, const Lanes &lanes) {
  SmallVector<Value> each;
  for (int64_t lane = 0; lane < (lanes.stride == 0 ? 1 : lanes.width); ++lane) {
    Value column = b.createOrFold<arith::AddIOp>(lanes.column, intConstant(b, b.getI64Type(), lane));
    FailureOr<Value> value = at(result, {lanes.row, lanes.unit, column, lanes.stride, 1});
    if (failed(value))
      return failure();
    each.push_back(*value);
  }
  if (lanes.stride == 0)
    return splat(b, each.front(), lanes.width);
  return vector::FromElementsOp::create(b, withLanes(each.front().getType(), lanes.width), each).getResult();
}

/// What is known of the windows of `op` at this row, if it is a pixel of the images that the walk is over.
std::optional<WindowsKnown> Elements::windowsAt(Operation *op, Value row) const {
  auto windows = dyn_cast<WindowFormInterface>(op);
  auto placed = placedPixels.find(row);
  if (!windows || windows.getInnerPixels().empty() || placed == placedPixels.end() ||
      placed->second.images != shapeOf(op->getResult(0)))
    return std::nullopt;
  return placed->second.windows;
}

/// How many elements the form of `op` builds at once where it is asked for one of this row.
int64_t Elements::countJoined(Operation *op, Value row) const {
  const auto count = static_cast<int64_t>(joinedRows.size());
  auto windows = dyn_cast<WindowFormInterface>(op);
  return windows && llvm::is_contained(joinedRows, row) && windows.countJoined(count) == count ? count : 1;
}

FailureOr<Value> Elements::atMap(OpResult result, const Lanes &lanes) {
  Operation *op = result.getOwner();
  // All results of an op are built at once.
  const Key key{op,         lanes.row.getAsOpaquePointer(), lanes.unit, lanes.column.getAsOpaquePointer(), lanes.stride,
                lanes.width};
  for (Remembered &scope : scopes)
    if (auto known = scope.results.find(key); known != scope.results.end())
      return known->second[result.getResultNumber()];

  // An op that is no map may have come this far, such as the flags of tiles without their product.
  auto form = dyn_cast<ScalarFormInterface>(op);
  if (!form)
    return op->emitOpError("has no native code as a map of elements");
  if (lanes.width != 1 && lanes.stride != 1 && form.getRun() != 0)
    return oneByOne(result, lanes);
  const int64_t joined = countJoined(op, lanes.row);
  if (joined != 1 && lanes.row != joinedRows.front()) {
    Lanes first = lanes;
    first.row = joinedRows.front();
    if (failed(atMap(result, first)))
      return failure();
    return atMap(result, lanes);
  }
  ScalarOperands operands;
  operands.width = lanes.width;
  operands.areNeighbours = lanes.stride == 1;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!readsPerElement(operand)) {
      Value pointer = readsWhole(operand) ? pointers.lookup(operand.get()) : Value();
      if (readsWhole(operand) && !pointer)
        return op->emitOpError("reads an operand whole that its kernel computes");
      operands.values.push_back(pointer);
      continue;
    }
    std::optional<Sizes> strides = operandStrides(operand);
    FailureOr<Value> value = at(operand.get(), strides ? operandLanes(shapeOf(result), *strides, lanes) : lanes);
    if (failed(value))
      return failure();
    operands.values.push_back(*value);
  }
  FailureOr<ScalarParts> scalarParts = partsOf(op);
  if (failed(scalarParts))
    return failure();
  operands.parts = *scalarParts;
  auto whereLanesAre = [&] { return position(lanes); };
  operands.position = whereLanesAre;
  auto firstInRowsOf = [&](int64_t unit) -> std::pair<Value, Value> {
    if (lanes.unit == unit && lanes.stride == 1)
      return {lanes.row, lanes.column};
    Value first = position({lanes.row, lanes.unit, lanes.column, lanes.stride, 1});
    return {rowOf(first, 1, unit, 0), rowOf(first, 1, 1, unit)};
  };
  operands.inRowsOf = firstInRowsOf;
  auto inMatricesOf = [&](Value row, int64_t rows) -> std::pair<Value, Value> {
    if (auto known = splitRows.find(row); known != splitRows.end() && std::get<2>(known->second) == rows)
      return {std::get<0>(known->second), std::get<1>(known->second)};
    return {rowOf(row, 1, rows, 0), rowOf(row, 1, 1, rows)};
  };
  operands.inMatricesOf = inMatricesOf;
  auto loadWhole = [&](unsigned number, Value row, int64_t steps, int64_t unit, Value column) {
    Type element = typeOf(op->getOperand(number)).getElementType();
    return load(element, operands.values[number], {row, unit, column, 1, lanes.width}, steps);
  };
  operands.load = loadWhole;
  auto loadOne = [&](unsigned number, Value index) {
    return load(typeOf(op->getOperand(number)).getElementType(), operands.values[number], {index, 1, zero, 0, 1});
  };
  operands.loadOne = loadOne;
  operands.windows = windowsAt(op, lanes.row);
  operands.joined = joined;
  FailureOr<SmallVector<Value>> values = form.buildElement(b, operands);
  if (failed(values))
    return failure();
  for (int64_t i = 1; i < joined; ++i) {
    Key other = key;
    std::get<1>(other) = joinedRows[i].getAsOpaquePointer();
    scopes.back().results[other] = {(*values)[i]};
  }
  scopes.back().results[key] = *values;
  return (*values)[result.getResultNumber()];
}
