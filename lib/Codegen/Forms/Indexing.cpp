// Elements from other places.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each form says how many neighbours of a result are neighbours where they come from (`run`), finds the place of the
// first by the numbers of its row of so many, and moves all lanes at once.

#include "Codegen/Forms/Forms.h"
#include "Codegen/Forms/Indices.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace mp;

static int64_t product(ArrayRef<int64_t> sizes) { return ShapedType::getNumElements(sizes); }

/// Of a tensor [outer, size, inner].
static int64_t innerOf(Value tensor, uint64_t dimension) { return product(shapeOf(tensor).drop_front(dimension + 1)); }

namespace {

/// The trailing dimensions of a result that lie side by side in an operand: all from `first` on, in pieces of
/// `granule` of dimension `first`.
struct Stretch {
  size_t first;
  int64_t granule, inner;

  int64_t run() const { return std::max<int64_t>(granule * inner, 1); }
};

/// The operand of a movement by places that differ by constants: dimension `first` has pieces that are there or not.
Stretch stretchOf(SliceOp op) {
  ArrayRef<int64_t> shape = shapeOf(op.getResult()), own = shapeOf(op.getInput());
  int64_t inner = 1;
  for (size_t i = shape.size(); i-- > 0; inner *= shape[i])
    if (shape[i] != own[i])
      return {i, op.getStrides()[i] == 1 ? std::max<int64_t>(shape[i], 1) : 1, inner};
  return {0, 1, inner};
}
Stretch stretchOf(PadOp op) {
  ArrayRef<int64_t> shape = shapeOf(op.getResult()), own = shapeOf(op.getInput());
  int64_t inner = 1;
  for (size_t i = shape.size(); i-- > 0; inner *= shape[i])
    if (shape[i] != own[i]) {
      const bool hasGaps = op.getBetween(i) != 0 && own[i] > 1;
      return {i, hasGaps ? 1 : std::gcd(std::gcd(op.getLow()[i], own[i]), op.getHigh()[i]), inner};
    }
  return {0, 1, inner};
}
Stretch stretchOf(FlipOp op) {
  ArrayRef<int64_t> shape = shapeOf(op.getResult());
  if (op.getDimensions().empty())
    return {0, 1, product(shape)};
  const auto last = static_cast<size_t>(op.getDimensions().back());
  return {last, 1, product(shape.drop_front(last + 1))};
}
Stretch stretchOf(ConcatOp op) {
  const auto dimension = static_cast<size_t>(op.getDimension());
  int64_t granule = 0;
  for (Value input : op.getInputs())
    granule = std::gcd(granule, shapeOf(input)[dimension]);
  return {dimension, std::max<int64_t>(granule, 1), innerOf(op.getResult(), dimension)};
}

struct IndexingForms : ScalarForms {
  Indices index{b};

  static int64_t run(SliceOp op) { return stretchOf(op).run(); }
  static int64_t run(PadOp op) { return stretchOf(op).run(); }
  static int64_t run(FlipOp op) { return stretchOf(op).run(); }
  static int64_t run(ConcatOp op) { return stretchOf(op).run(); }
  static int64_t run(GatherOp op) { return std::max<int64_t>(innerOf(op.getInput(), op.getDimension()), 1); }
  static int64_t run(ScatterAddOp op) { return std::max<int64_t>(innerOf(op.getInput(), op.getDimension()), 1); }

  // Each element is of a place of its own.
  static int64_t run(GatherElementsOp) { return 1; }
  // Neighbours have indices and updates that are neighbours, unless they are looked up along the last dimension.
  template <typename Op>
    requires(std::is_same_v<Op, ScatterAddElementsOp> || std::is_same_v<Op, ScatterElementsOp>)
  static int64_t run(Op op) {
    ArrayRef<int64_t> own = shapeOf(op.getInput());
    const bool areTogether = op.getDimension() + 1 != own.size() && own.back() == shapeOf(op.getIndices()).back();
    return areTogether ? std::max<int64_t>(own.back(), 1) : 1;
  }

  // Labels repeat along the columns.
  static std::optional<Sizes> strides(OneHotOp op) {
    Sizes own = rowMajorStrides(shapeOf(op.getLabels()));
    own.push_back(0);
    return own;
  }

  /// The first element of a stretch: the number of each dimension up to that of the stretch.
  struct Place {
    SmallVector<Value, 4> numbers;
    Value column;
  };
  Place placeOf(ArrayRef<int64_t> shape, const Stretch &stretch) {
    auto [row, column] = in.inRowsOf(stretch.run());
    Place place{SmallVector<Value, 4>(stretch.first + 1), column};
    const int64_t pieces = std::max<int64_t>(shape[stretch.first] / stretch.granule, 1);
    place.numbers[stretch.first] = index.mul(index.rem(row, pieces), stretch.granule);
    row = index.div(row, pieces);
    for (size_t i = stretch.first; i-- > 0;) {
      place.numbers[i] = i == 0 ? row : index.rem(row, shape[i]);
      row = index.div(row, shape[i]);
    }
    return place;
  }

  /// The lanes of operand `number` at these numbers of its first dimensions, from `column` on.
  Value loadAt(unsigned number, Value tensor, ArrayRef<Value> numbers, Value column) {
    ArrayRef<int64_t> shape = shapeOf(tensor);
    Value row = index.i64(0);
    for (auto [at, size] : llvm::zip(numbers, shape))
      row = index.add(index.mul(row, size), at);
    return in.load(number, row, 0, product(shape.drop_front(numbers.size())), column);
  }

  /// The number nearest to `number` from which on a dimension of `size` has `granule` elements.
  Value clamp(Value number, int64_t size, int64_t granule) { return index.clamp(number, size - granule + 1); }

  /// What `body` yields where a condition holds, else `soFar`.
  ValueRange whereTrue(Value condition, function_ref<void(OpBuilder &, Location)> body, ValueRange soFar) {
    auto keep = [&](OpBuilder &, Location) { scf::YieldOp::create(b, soFar); };
    return scf::IfOp::create(b, condition, body, keep).getResults();
  }

  Value select(Value condition, Value x, Value y) {
    return b.createOrFold<arith::SelectOp>(splat(b, condition, in.width), x, y);
  }
  Value constantLanes(Value tensor, double value) {
    Type type = withLanes(registerType(elementOf(tensor)), in.width);
    if (isa<FloatType>(laneType(type)))
      return floatConstant(b, type, value);
    return intConstant(b, type, 0);
  }
  /// Element `at` of indices, operand `number`, as i64.
  Value indexAt(unsigned number, Value indices, Value at) {
    return castValue(b, in.loadOne(number, at), elementOf(indices), b.getI64Type());
  }

  FormResult form(SliceOp op) {
    if (shapeOf(op.getResult()).empty())
      return exact(in.loadOne(0, index.i64(0)));
    Place place = placeOf(shapeOf(op.getResult()), stretchOf(op));
    for (auto [i, number] : llvm::enumerate(place.numbers))
      number = index.add(index.mul(number, op.getStrides()[i]), index.i64(op.getStarts()[i]));
    return exact(loadAt(0, op.getInput(), place.numbers, place.column));
  }

  FormResult form(PadOp op) {
    // Rounded once, to the element's type.
    APFloat value = op.getValue();
    bool losesInfo;
    value.convert(cast<FloatType>(resultElement(op)).getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
    Value padding = constantLanes(op.getInput(), value.convertToDouble());
    ArrayRef<int64_t> own = shapeOf(op.getInput());
    if (own.empty())
      return exact(in.loadOne(0, index.i64(0)));
    if (product(own) == 0)
      return exact(padding);
    const Stretch stretch = stretchOf(op);
    Place place = placeOf(shapeOf(op.getResult()), stretch);
    Value isThere;
    auto require = [&](Value condition) {
      isThere = isThere ? b.createOrFold<arith::AndIOp>(isThere, condition) : condition;
    };
    for (auto [i, number] : llvm::enumerate(place.numbers)) {
      const int64_t low = op.getLow()[i], step = op.getBetween(i) + 1;
      if (shapeOf(op.getResult())[i] == own[i])
        continue;
      Value from = index.sub(number, index.i64(low));
      // Below 0 is above every bound without a sign, and so is what it is divided to.
      if (step != 1)
        require(b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, index.rem(from, step), index.i64(0)));
      require(b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult, from, index.i64((own[i] - 1) * step + 1)));
      number = clamp(step == 1 ? from : index.div(from, step), own[i], i == stretch.first ? stretch.granule : 1);
    }
    Value loaded = loadAt(0, op.getInput(), place.numbers, place.column);
    return exact(isThere ? select(isThere, loaded, padding) : loaded);
  }

  FormResult form(FlipOp op) {
    if (shapeOf(op.getResult()).empty())
      return exact(in.loadOne(0, index.i64(0)));
    Place place = placeOf(shapeOf(op.getResult()), stretchOf(op));
    for (int64_t dimension : op.getDimensions())
      place.numbers[dimension] = index.sub(index.i64(shapeOf(op.getInput())[dimension] - 1), place.numbers[dimension]);
    return exact(loadAt(0, op.getInput(), place.numbers, place.column));
  }

  FormResult form(ConcatOp op) {
    const Stretch stretch = stretchOf(op);
    const Place place = placeOf(shapeOf(op.getResult()), stretch);
    SmallVector<Part> parts;
    int64_t before = 0;
    for (auto [i, input] : llvm::enumerate(op.getInputs()))
      if (product(shapeOf(input)) != 0) {
        parts.push_back({static_cast<unsigned>(i), input, before});
        before += shapeOf(input)[stretch.first];
      }
    return exact(parts.empty() ? constantLanes(op.getResult(), 0) : loadFrom(parts, place, stretch));
  }

  /// An operand of a concat that has elements, and how many are in front of it.
  struct Part {
    unsigned number;
    Value tensor;
    int64_t before;
  };

  /// The lanes at `place` of the one of `parts` that has them. Of many half is left after each question, so that an
  /// element costs no more than the logarithm of their number; few are all read, which takes no branch.
  Value loadFrom(ArrayRef<Part> parts, const Place &place, const Stretch &stretch) {
    constexpr size_t kFewParts = 4;
    Value number = place.numbers.back();
    if (parts.size() > kFewParts) {
      ArrayRef<Part> first = parts.take_front(parts.size() / 2), second = parts.drop_front(first.size());
      Value isFirst =
          b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, number, index.i64(second.front().before));
      auto from = [&](ArrayRef<Part> half) {
        return [&, half](OpBuilder &, Location) { scf::YieldOp::create(b, loadFrom(half, place, stretch)); };
      };
      return scf::IfOp::create(b, isFirst, from(first), from(second)).getResult(0);
    }
    Value value;
    for (const Part &part : parts) {
      Place own = place;
      Value from = index.sub(number, index.i64(part.before));
      own.numbers.back() = clamp(from, shapeOf(part.tensor)[stretch.first], stretch.granule);
      Value loaded = loadAt(part.number, part.tensor, own.numbers, own.column);
      // What is in front of it has been chosen already.
      Value isBehind = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sge, from, index.i64(0));
      value = value ? select(isBehind, loaded, value) : loaded;
    }
    return value;
  }

  FormResult form(GatherOp op) {
    const auto dimension = static_cast<size_t>(op.getDimension());
    const int64_t size = shapeOf(op.getInput())[dimension], count = product(shapeOf(op.getIndices()));
    Value none = constantLanes(op.getInput(), std::numeric_limits<double>::quiet_NaN());
    if (product(shapeOf(op.getInput())) == 0 || count == 0)
      return exact(none);
    auto [row, column] = in.inRowsOf(run(op));
    Value at = indexAt(1, op.getIndices(), index.rem(row, count));
    Value slice = index.add(index.mul(index.div(row, count), size), index.clamp(at, size));
    return exact(select(index.isBelow(at, size), in.load(0, slice, 0, run(op), column), none));
  }

  FormResult form(ScatterAddOp op) {
    const auto dimension = static_cast<size_t>(op.getDimension());
    const int64_t size = shapeOf(op.getInput())[dimension], count = product(shapeOf(op.getIndices()));
    if (count == 0)
      return exact(operand(0));
    auto [row, column] = in.inRowsOf(run(op));
    Value own = index.rem(row, std::max<int64_t>(size, 1)), outer = index.div(row, std::max<int64_t>(size, 1));
    Value first = index.mul(outer, count), slice = column;
    // Builders of bodies are `b`, where it is then.
    auto addOwn = [&](OpBuilder &, Location, Value number, ValueRange soFar) {
      Value isOwn = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, indexAt(1, op.getIndices(), number), own);
      auto add = [&](OpBuilder &, Location) {
        Value update = in.load(2, index.add(first, number), 0, run(op), slice);
        scf::YieldOp::create(b, ValueRange{arith::AddFOp::create(b, soFar[0], update)});
      };
      scf::YieldOp::create(b, whereTrue(isOwn, add, soFar));
    };
    auto addOwnFrom = [&](Value from, Value to, Value sum) {
      return scf::ForOp::create(b, from, to, index.i64(1), ValueRange{sum}, addOwn).getResult(0);
    };
    // As many indices as there are lanes are compared at once: few of them are of this slice.
    auto addBlock = [&](OpBuilder &, Location, Value from, ValueRange soFar) {
      Value at = castValue(b, in.load(1, from, 0, 1, index.i64(0)), elementOf(op.getIndices()), b.getI64Type());
      Value areOwn = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, at, splat(b, own, in.width));
      Value isAny = vector::ReductionOp::create(b, vector::CombiningKind::OR, areOwn);
      auto add = [&](OpBuilder &, Location) {
        scf::YieldOp::create(b, ValueRange{addOwnFrom(from, index.add(from, index.i64(in.width)), soFar[0])});
      };
      scf::YieldOp::create(b, whereTrue(isAny, add, soFar));
    };
    Value sum = operand(0);
    const int64_t inBlocks = in.width == 1 ? 0 : count / in.width * in.width;
    if (inBlocks != 0)
      sum = scf::ForOp::create(b, index.i64(0), index.i64(inBlocks), index.i64(in.width), ValueRange{sum}, addBlock)
                .getResult(0);
    return rounded(op, inBlocks == count ? sum : addOwnFrom(index.i64(inBlocks), index.i64(count), sum));
  }

  FormResult form(GatherElementsOp op) {
    ArrayRef<int64_t> own = shapeOf(op.getInput()), shape = shapeOf(op.getResult());
    Value none = constantLanes(op.getInput(), std::numeric_limits<double>::quiet_NaN());
    if (product(own) == 0 || product(shape) == 0)
      return exact(none);
    Place place = placeOf(shape, {shape.size() - 1, 1, 1});
    const int64_t size = own[op.getDimension()];
    Value at = castValue(b, operand(1), elementOf(op.getIndices()), b.getI64Type());
    place.numbers[op.getDimension()] = index.clamp(at, size);
    return exact(select(index.isBelow(at, size), loadAt(0, op.getInput(), place.numbers, place.column), none));
  }

  /// The operand's lanes after all updates of their places, in order: `apply` is what one makes of them.
  template <typename Op> Value updated(Op op, function_ref<Value(Value soFar, Value update)> apply) {
    ArrayRef<int64_t> own = shapeOf(op.getInput()), of = shapeOf(op.getIndices());
    const auto dimension = static_cast<size_t>(op.getDimension());
    if (product(of) == 0 || product(own) == 0)
      return operand(0);
    Place place = placeOf(own, {own.size() - 1, run(op), 1});
    // Beside the indices there is nothing to do.
    Value count = index.i64(of[dimension]);
    for (auto [i, number] : llvm::enumerate(place.numbers))
      if (i != dimension && of[i] != own[i])
        count = arith::SelectOp::create(b, index.isBelow(number, of[i]), count, index.i64(0));
    // Builders of bodies are `b`, where it is then.
    auto step = [&](OpBuilder &, Location, Value number, ValueRange soFar) {
      SmallVector<Value, 4> numbers = place.numbers;
      numbers[dimension] = number;
      Value at =
          castValue(b, loadAt(1, op.getIndices(), numbers, place.column), elementOf(op.getIndices()), b.getI64Type());
      Value isOwn =
          arith::CmpIOp::create(b, arith::CmpIPredicate::eq, at, splat(b, place.numbers[dimension], in.width));
      Value next = apply(soFar[0], loadAt(2, op.getUpdates(), numbers, place.column));
      scf::YieldOp::create(b, ValueRange{arith::SelectOp::create(b, isOwn, next, soFar[0])});
    };
    return scf::ForOp::create(b, index.i64(0), count, index.i64(1), ValueRange{operand(0)}, step).getResult(0);
  }

  FormResult form(ScatterAddElementsOp op) {
    return rounded(
        op, updated(op, [&](Value sum, Value update) -> Value { return arith::AddFOp::create(b, sum, update); }));
  }
  FormResult form(ScatterElementsOp op) {
    return exact(updated(op, [](Value, Value update) { return update; }));
  }

  FormResult form(OneHotOp op) {
    Value position = in.position();
    Value columns = intConstant(b, position.getType(), shapeOf(op.getResult()).back());
    Value column = arith::RemUIOp::create(b, position, columns);
    Value label = castValue(b, operand(0), elementOf(op.getLabels()), b.getI64Type());
    Value isHit = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, column, label);
    return exact(castValue(b, isHit, b.getI1Type(), resultElement(op)));
  }
};

} // namespace

void mp::attachIndexingForms(MLIRContext *context) { attachForms<IndexingForms>(context); }
