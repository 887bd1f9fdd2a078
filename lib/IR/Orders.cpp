// Ops whose dimensions come in another order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What follows for the others from the order of one operand or result.

#include "mp/IR/Orders.h"

#include "IR/Sizes.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mp;

using Order = SmallVector<int64_t>;
using Dimensions = ArrayRef<int64_t>;

bool mp::isSameInOrder(Dimensions shape, Dimensions order) {
  return llvm::is_sorted(llvm::filter_to_vector(order, [&](int64_t dimension) { return shape[dimension] != 1; }));
}

// Attributes

/// Whether the last `count` dimensions stay the last ones, in order.
static bool keepsLast(Dimensions order, int64_t count) {
  const int64_t rank = order.size();
  return llvm::all_of(llvm::seq(std::max<int64_t>(rank - count, 0), rank), [&](int64_t i) { return order[i] == i; });
}

static Attribute reordered(Attribute attribute, OfDimensions dimensions, Dimensions order) {
  const Order places = invertPermutationVector(order);
  MLIRContext *context = attribute.getContext();
  if (dimensions == OfDimensions::One) {
    auto number = cast<IntegerAttr>(attribute);
    return IntegerAttr::get(number.getType(), places[number.getInt()]);
  }
  Dimensions numbers = cast<DenseI64ArrayAttr>(attribute).asArrayRef();
  if (dimensions == OfDimensions::Each)
    return numbers.empty() ? attribute : DenseI64ArrayAttr::get(context, inOrder(numbers, order));
  Order several = inOrder(ArrayRef(places), numbers);
  llvm::sort(several);
  return DenseI64ArrayAttr::get(context, several);
}

void mp::reorderAttributes(Operation *op, const DimensionOrders &orders) {
  const Order &order = op->getNumOperands() > 0 ? orders.operands.front() : orders.results.front();
  for (const AttributeSpec &spec : cast<DefinitionOpInterface>(op).getAttributeSpecs())
    if (Attribute attribute = op->getAttr(spec.name); attribute && spec.dimensions != OfDimensions::None)
      op->setAttr(spec.name, reordered(attribute, spec.dimensions, order));
}

// Most ops

/// The one that is known of those of so many dimensions, or null.
static const Order *findKnown(const DimensionOrders &orders, Operation *op, int64_t rank) {
  for (auto [value, order] : llvm::zip_equal(op->getOperands(), orders.operands))
    if (!order.empty())
      return typeOf(value).getRank() == rank ? &order : nullptr;
  for (auto [value, order] : llvm::zip_equal(op->getResults(), orders.results))
    if (!order.empty())
      return typeOf(value).getRank() == rank ? &order : nullptr;
  return nullptr;
}

/// By default what has no dimension among its attributes and works along some works along the last.
static bool worksAlongLast(Operation *op) {
  return roleOf(op) == KernelRole::Row &&
         llvm::all_of(cast<DefinitionOpInterface>(op).getAttributeSpecs(),
                      [](const AttributeSpec &spec) { return spec.dimensions == OfDimensions::None; });
}

bool mp::detail::inferOrders(Operation *op, DimensionOrders &orders) {
  const int64_t rank = typeOf(op->getResult(0)).getRank();
  const Order *known = findKnown(orders, op, rank);
  if (!known || (worksAlongLast(op) && !keepsLast(*known, 1)))
    return false;
  const Order order = *known;
  for (auto [operand, own] : llvm::zip_equal(op->getOperands(), orders.operands))
    if (!isScalar(operand))
      own = order;
  for (Order &own : orders.results)
    own = order;
  return true;
}

static bool keepingLast(Operation *op, DimensionOrders &orders, int64_t count) {
  return mp::detail::inferOrders(op, orders) && keepsLast(orders.results.front(), count);
}

bool TopKOp::inferOrders(DimensionOrders &orders) { return keepingLast(*this, orders, 1); }
bool TrilOp::inferOrders(DimensionOrders &orders) { return keepingLast(*this, orders, 2); }
bool TriuOp::inferOrders(DimensionOrders &orders) { return keepingLast(*this, orders, 2); }

bool MatmulOp::inferOrders(DimensionOrders &orders) {
  // Rows may come in any order: a matrix that serves all of them, and the bias, stay as they are.
  const bool isShared = typeOf(getRhs()).getRank() == 2;
  const Order *known = findKnown(orders, *this, typeOf(getResult()).getRank());
  if (!known || !orders.operands[1].empty() || !keepsLast(*known, isShared && !getTransposeLhs() ? 1 : 2))
    return false;
  const Order order = *known;
  orders.operands[0] = orders.results[0] = order;
  if (!isShared)
    orders.operands[1] = order;
  return true;
}

// Reductions

/// The order of the dimensions that are left without `dropped`.
static Order without(Dimensions order, Dimensions dropped) {
  Order left;
  for (int64_t dimension : order)
    if (!llvm::is_contained(dropped, dimension))
      left.push_back(dimension - llvm::count_if(dropped, [&](int64_t other) { return other < dimension; }));
  return left;
}

/// Elements that are combined stay in their order, and rows, which may have weights, in the first dimension.
static bool inferReduction(Operation *op, Value input, Dimensions reduced, bool keepsDimensions,
                           DimensionOrders &orders) {
  const Order *known = findKnown(orders, op, typeOf(input).getRank());
  if (!known || (!keepsDimensions && orders.operands.front().empty()))
    return false;
  const Order order = *known, places = invertPermutationVector(order);
  if (!llvm::is_sorted(inOrder(ArrayRef(places), reduced)) || (llvm::is_contained(reduced, 0) && places.front() != 0))
    return false;
  orders.operands.front() = order;
  orders.results.front() = keepsDimensions ? order : without(order, reduced);
  return true;
}

template <typename Op> static bool inferReduction(Op op, DimensionOrders &orders) {
  return inferReduction(op, op.getInput(), op.getDimensions(), op.getKeepDims(), orders);
}
bool ReduceSumOp::inferOrders(DimensionOrders &orders) { return inferReduction(*this, orders); }
bool ReduceMeanOp::inferOrders(DimensionOrders &orders) { return inferReduction(*this, orders); }
bool ReduceMaxOp::inferOrders(DimensionOrders &orders) { return inferReduction(*this, orders); }
bool ReduceMinOp::inferOrders(DimensionOrders &orders) { return inferReduction(*this, orders); }
bool ReduceProdOp::inferOrders(DimensionOrders &orders) { return inferReduction(*this, orders); }
bool L2NormOp::inferOrders(DimensionOrders &orders) { return inferReduction(*this, orders); }
bool ArgmaxOp::inferOrders(DimensionOrders &orders) {
  return inferReduction(*this, getInput(), getReducedDimensions(), /*keepsDimensions=*/false, orders);
}
bool ArgminOp::inferOrders(DimensionOrders &orders) {
  return inferReduction(*this, getInput(), getReducedDimensions(), /*keepsDimensions=*/false, orders);
}

// Movements

/// The order of a tensor that has, in the place of the dimension `along` of another, the dimensions of `count` indices.
static Order gatheredOrder(Dimensions order, int64_t along, int64_t count) {
  Order gathered;
  for (int64_t dimension : order)
    if (dimension == along)
      llvm::append_range(gathered, llvm::seq(along, along + count));
    else
      gathered.push_back(dimension < along ? dimension : dimension + count - 1);
  return gathered;
}

bool GatherOp::inferOrders(DimensionOrders &orders) {
  const Order &order = orders.operands.front();
  if (order.empty())
    return false;
  orders.results.front() = gatheredOrder(order, getDimension(), typeOf(getIndices()).getRank());
  return true;
}

bool ScatterAddOp::inferOrders(DimensionOrders &orders) {
  const Order order = orders.operands.front().empty() ? orders.results.front() : orders.operands.front();
  if (order.empty())
    return false;
  orders.operands[0] = orders.results[0] = order;
  orders.operands[2] = gatheredOrder(order, getDimension(), typeOf(getIndices()).getRank());
  return true;
}

namespace {
/// Neighbouring dimensions of an operand that a reshape makes neighbouring ones of its result of: [from, to) of each.
struct Piece {
  int64_t from[2], to[2];
};
} // namespace

/// The smallest ones: [4, 8, 6, 6] and [4, 2, 4, 36] have {4} {4}, {8} {2, 4} and {6, 6} {36}. Sizes that follow an
/// open one are compared from the last.
static SmallVector<Piece> piecesOf(Dimensions first, Dimensions second) {
  SmallVector<Piece> front, back;
  int64_t begin[2] = {0, 0}, end[2] = {static_cast<int64_t>(first.size()), static_cast<int64_t>(second.size())};
  const Dimensions shapes[2] = {first, second};
  // From one end, as long as sizes are known and their products meet.
  auto take = [&](bool fromFront, SmallVector<Piece> &pieces) {
    while (true) {
      int64_t count[2] = {0, 0}, product[2] = {1, 1};
      auto next = [&](int side) {
        if (count[side] == end[side] - begin[side])
          return false;
        const int64_t size = shapes[side][fromFront ? begin[side] + count[side] : end[side] - 1 - count[side]];
        if (isOpen(size) || size == 0)
          return false;
        product[side] *= size;
        ++count[side];
        return true;
      };
      if (!next(0) || !next(1))
        return;
      while (product[0] != product[1])
        if (!next(product[0] < product[1] ? 0 : 1))
          return;
      Piece piece;
      for (int side : {0, 1}) {
        piece.from[side] = fromFront ? begin[side] : end[side] - count[side];
        piece.to[side] = piece.from[side] + count[side];
        (fromFront ? begin[side] : end[side]) += fromFront ? count[side] : -count[side];
      }
      pieces.push_back(piece);
    }
  };
  take(/*fromFront=*/true, front);
  take(/*fromFront=*/false, back);
  if (begin[0] != end[0] || begin[1] != end[1])
    front.push_back({{begin[0], begin[1]}, {end[0], end[1]}});
  front.append(back.rbegin(), back.rend());
  return front;
}

bool ReshapeOp::inferOrders(DimensionOrders &orders) {
  const bool isOfInput = !orders.operands.front().empty();
  const Order &order = isOfInput ? orders.operands.front() : orders.results.front();
  Dimensions shape = shapeOf(isOfInput ? getInput() : getResult());
  const int own = isOfInput ? 0 : 1, other = 1 - own;
  const SmallVector<Piece> pieces = piecesOf(shapeOf(getInput()), shapeOf(getResult()));
  // Sizes of 1 are in no piece alone: they go where the piece goes in which they are, and wherever they are the
  // elements are the same.
  SmallVector<int64_t> pieceOf(shape.size());
  for (auto [number, piece] : llvm::enumerate(pieces))
    for (int64_t i = piece.from[own]; i < piece.to[own]; ++i)
      pieceOf[i] = number;
  Order found;
  llvm::SmallBitVector taken(pieces.size());
  auto put = [&](int64_t number) {
    taken.set(number);
    llvm::append_range(found, llvm::seq(pieces[number].from[other], pieces[number].to[other]));
  };
  int64_t current = -1, last = -1;
  for (int64_t dimension : order) {
    if (shape[dimension] == 1)
      continue;
    const int64_t number = pieceOf[dimension];
    if (number == current ? dimension < last : taken.test(number))
      return false; // a piece is torn, or turned
    if (number != current)
      put(number);
    current = number;
    last = dimension;
  }
  for (size_t number = 0; number < pieces.size(); ++number)
    if (!taken.test(number))
      put(number);
  (isOfInput ? orders.results : orders.operands).front() = found;
  return true;
}
