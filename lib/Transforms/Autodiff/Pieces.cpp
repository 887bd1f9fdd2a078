// Sums of tensors that are pieces of one, with zeros around them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Along one dimension, of pieces that overlap the longest that do not overlap each other are put side by side, what is
// left is put together in the same way within its own bounds, and both are added. Each piece that is left overlaps one
// that is at least as long: what is written is at most three times the length of all pieces.

#include "Transforms/Autodiff/Pieces.h"

#include "llvm/ADT/MapVector.h"

#include <map>

using namespace mlir;
using namespace mp;

using Sizes = SmallVector<int64_t>;

/// Pieces up to which zeros are not worth a tensor of their own: a map adds up the padded pieces as it reads them.
static constexpr size_t kFewPieces = 4;

bool mp::placesPiece(Operation *op) {
  auto pad = dyn_cast_or_null<PadOp>(op);
  return pad && pad.getValue().isZero();
}

namespace {

/// What lies at `starts` of a larger tensor, or all that lies from there to `ends` where it is the bounds of several.
struct Piece {
  Value value;
  Sizes starts;

  size_t rank() const { return starts.size(); }
  int64_t size(size_t dimension) const { return typeOf(value).getDimSize(dimension); }
  int64_t end(size_t dimension) const { return starts[dimension] + size(dimension); }
  int64_t volume() const { return typeOf(value).getNumElements(); }
};
using Pieces = SmallVector<Piece>;

struct Box {
  Sizes starts, ends;

  explicit Box(ArrayRef<Piece> pieces) : starts(pieces.front().starts), ends(starts) {
    for (const Piece &piece : pieces)
      for (size_t i = 0; i < starts.size(); ++i) {
        starts[i] = std::min(starts[i], piece.starts[i]);
        ends[i] = std::max(ends[i], piece.end(i));
      }
  }
  int64_t volume() const {
    int64_t product = 1;
    for (auto [start, end] : llvm::zip_equal(starts, ends))
      product *= end - start;
    return product;
  }
};

/// Whether pieces of which none overlap leave no room in `box`.
bool areAllOf(ArrayRef<Piece> pieces, const Box &box) {
  int64_t volume = 0;
  for (const Piece &piece : pieces)
    volume += piece.volume();
  return volume == box.volume();
}

class Assembly {
public:
  Assembly(OpBuilder &builder, Location loc) : b(builder), loc(loc) {}

  Value sum(ArrayRef<Value> values) {
    Value result = values.front();
    for (Value value : values.drop_front())
      result = AddOp::create(b, loc, result, value);
    return result;
  }

  /// A piece with zeros around it, as far as `box` goes.
  Value padTo(const Piece &piece, const Box &box) {
    Sizes low, high;
    for (size_t i = 0; i < piece.rank(); ++i) {
      low.push_back(piece.starts[i] - box.starts[i]);
      high.push_back(box.ends[i] - piece.end(i));
    }
    return b.createOrFold<PadOp>(loc, piece.value, low, high, ArrayRef<int64_t>(), APFloat(0.0));
  }

  /// The sum of `pieces`, with zeros around it as far as `box` goes.
  Value assemble(ArrayRef<Piece> pieces, const Box &box);
  /// The same within their bounds.
  Piece assemble(ArrayRef<Piece> pieces) {
    const Box box(pieces);
    return {assemble(pieces, box), box.starts};
  }

private:
  Value zeros(RankedTensorType type);
  Value join(ArrayRef<Piece> pieces, size_t dimension, const Box &box);
  Pieces makeDisjoint(Pieces pieces, size_t dimension);
  Piece addOverlapping(ArrayRef<Piece> pieces, size_t dimension);

  OpBuilder &b;
  Location loc;
  DenseMap<Type, Value> zerosOfType;
};

Value Assembly::zeros(RankedTensorType type) {
  Value &known = zerosOfType[type];
  if (!known) {
    auto scalar = RankedTensorType::get({}, type.getElementType());
    Value zero = ConstantOp::create(b, loc, scalar, cast<DenseElementsAttr>(b.getZeroAttr(scalar)));
    known = BroadcastOp::create(b, loc, type, zero, Value());
  }
  return known;
}

/// Pieces that do not overlap along `dimension`, in their order.
Value Assembly::join(ArrayRef<Piece> pieces, size_t dimension, const Box &box) {
  if (pieces.size() == 1 || (pieces.size() <= kFewPieces && !areAllOf(pieces, box)))
    return sum(llvm::map_to_vector(pieces, [&](const Piece &piece) { return padTo(piece, box); }));
  SmallVector<Value> parts;
  int64_t at = box.starts[dimension];
  auto fillTo = [&](int64_t start) {
    Sizes shape;
    for (auto [first, last] : llvm::zip_equal(box.starts, box.ends))
      shape.push_back(last - first);
    shape[dimension] = start - at;
    if (start != at)
      parts.push_back(zeros(typeOf(pieces.front().value).clone(shape)));
  };
  for (const Piece &piece : pieces) {
    fillTo(piece.starts[dimension]);
    Box own = box;
    own.starts[dimension] = piece.starts[dimension];
    own.ends[dimension] = at = piece.end(dimension);
    parts.push_back(padTo(piece, own));
  }
  fillTo(box.ends[dimension]);
  return ConcatOp::create(b, loc, parts, static_cast<int64_t>(dimension));
}

/// The sum of pieces each of which overlaps another, so that together they leave no room along `dimension`.
Piece Assembly::addOverlapping(ArrayRef<Piece> pieces, size_t dimension) {
  Pieces byLength(pieces), rest;
  llvm::sort(byLength, [&](const Piece &a, const Piece &b) {
    return std::pair(-a.size(dimension), a.starts[dimension]) < std::pair(-b.size(dimension), b.starts[dimension]);
  });
  std::map<int64_t, Piece> chosen;
  for (const Piece &piece : byLength) {
    auto behind = chosen.lower_bound(piece.starts[dimension]);
    const bool isFree =
        (behind == chosen.end() || behind->first >= piece.end(dimension)) &&
        (behind == chosen.begin() || std::prev(behind)->second.end(dimension) <= piece.starts[dimension]);
    if (isFree)
      chosen.emplace(piece.starts[dimension], piece);
    else
      rest.push_back(piece);
  }
  const Box box(pieces);
  Pieces longest = llvm::to_vector(llvm::make_second_range(chosen));
  Value first = join(longest, dimension, box), second = join(makeDisjoint(rest, dimension), dimension, box);
  return {sum({first, second}), box.starts};
}

/// The same sum, of pieces that do not overlap along `dimension`, in their order; no two have one range there.
Pieces Assembly::makeDisjoint(Pieces pieces, size_t dimension) {
  llvm::sort(pieces, [&](const Piece &a, const Piece &b) {
    return std::pair(a.starts[dimension], a.end(dimension)) < std::pair(b.starts[dimension], b.end(dimension));
  });
  Pieces result;
  for (ArrayRef<Piece> left = pieces; !left.empty();) {
    size_t count = 1;
    for (int64_t end = left.front().end(dimension); count < left.size() && left[count].starts[dimension] < end; ++count)
      end = std::max(end, left[count].end(dimension));
    result.push_back(count == 1 ? left.front() : addOverlapping(left.take_front(count), dimension));
    left = left.drop_front(count);
  }
  return result;
}

/// Pieces by their range of a dimension.
llvm::MapVector<std::pair<int64_t, int64_t>, Pieces> byRange(ArrayRef<Piece> pieces, size_t dimension) {
  llvm::MapVector<std::pair<int64_t, int64_t>, Pieces> ranges;
  for (const Piece &piece : pieces)
    ranges[{piece.starts[dimension], piece.end(dimension)}].push_back(piece);
  return ranges;
}

/// How often an element along `dimension` is in a range of a piece, in the mean; 0 where all have one range.
double overlapAlong(ArrayRef<Piece> pieces, size_t dimension) {
  auto ranges = byRange(pieces, dimension).takeVector();
  if (ranges.size() == 1)
    return 0;
  llvm::sort(ranges, [](const auto &a, const auto &b) { return a.first < b.first; });
  int64_t all = 0, covered = 0, end = ranges.front().first.first;
  for (const auto &[range, own] : ranges) {
    all += range.second - range.first;
    covered += std::max<int64_t>(range.second - std::max(end, range.first), 0);
    end = std::max(end, range.second);
  }
  return static_cast<double>(all) / static_cast<double>(covered);
}

Value Assembly::assemble(ArrayRef<Piece> pieces, const Box &box) {
  // First where they overlap least; the pieces of one range then differ along the others.
  std::optional<size_t> dimension;
  double least = 0;
  for (size_t i = 0; i < pieces.front().rank(); ++i)
    if (double own = overlapAlong(pieces, i); own != 0 && (!dimension || own < least)) {
      dimension = i;
      least = own;
    }
  if (!dimension) {
    Value value = sum(llvm::map_to_vector(pieces, [](const Piece &piece) { return piece.value; }));
    return padTo({value, pieces.front().starts}, box);
  }
  Pieces ranges;
  for (const auto &[range, own] : byRange(pieces, *dimension))
    ranges.push_back(assemble(own));
  return join(makeDisjoint(std::move(ranges), *dimension), *dimension, box);
}

/// Elements in steps: [n] as [n / step, step] of each dimension whose step is not 1, where they are neighbours.
class Steps {
public:
  Steps(Assembly &assembly, OpBuilder &builder, Location loc, Sizes steps)
      : assembly(assembly), b(builder), loc(loc), steps(std::move(steps)) {}

  /// A piece that has every `step`th element from `starts` on, as one of neighbours.
  Piece apart(const Piece &piece) {
    Sizes shape, starts;
    for (size_t i = 0; i < steps.size(); ++i) {
      shape.push_back(piece.size(i));
      starts.push_back(piece.starts[i] / steps[i]);
      if (steps[i] == 1)
        continue;
      shape.push_back(1);
      starts.push_back(piece.starts[i] % steps[i]);
    }
    return {reshape(piece.value, shape), starts};
  }

  /// The way back, of what is inside of a tensor of this shape.
  Piece together(const Piece &piece, ArrayRef<int64_t> whole) {
    Box box(piece);
    Sizes shape, starts, ends, ones(steps.size(), 1), none(steps.size(), 0);
    for (size_t i = 0, own = 0; i < steps.size(); ++i, ++own) {
      shape.push_back((box.ends[own] - box.starts[own]) * steps[i]);
      starts.push_back(box.starts[own] * steps[i]);
      ends.push_back(std::min(shape.back(), whole[i] - starts.back()));
      if (steps[i] == 1)
        continue;
      ++own;
      box.starts[own] = 0;
      box.ends[own] = steps[i];
    }
    Value inOne = reshape(assembly.padTo(piece, box), shape);
    return {b.createOrFold<SliceOp>(loc, inOne, none, ends, ones), starts};
  }

private:
  Value reshape(Value value, ArrayRef<int64_t> shape) {
    return b.createOrFold<ReshapeOp>(loc, typeOf(value).clone(shape), value);
  }

  Assembly &assembly;
  OpBuilder &b;
  Location loc;
  Sizes steps;
};

} // namespace

static Sizes stepsOf(PadOp pad) {
  Sizes steps;
  for (auto [i, size] : llvm::enumerate(typeOf(pad.getInput()).getShape()))
    steps.push_back(size <= 1 ? 1 : pad.getBetween(i) + 1);
  return steps;
}

Value mp::sumPieces(OpBuilder &builder, Location loc, ArrayRef<PadOp> pads) {
  Assembly assembly(builder, loc);
  PadOp any = pads.front();
  ArrayRef<int64_t> whole = any.getType().getShape();
  std::map<Sizes, Pieces> bySteps;
  int64_t volume = 0;
  for (PadOp pad : pads) {
    if (typeOf(pad.getInput()).getNumElements() != 0)
      bySteps[stepsOf(pad)].push_back({pad.getInput(), Sizes(pad.getLow())});
    volume += typeOf(pad.getInput()).getNumElements();
  }
  if (bySteps.empty() || (pads.size() <= kFewPieces && volume != ShapedType::getNumElements(whole)))
    return assembly.sum(llvm::map_to_vector(pads, [](PadOp pad) -> Value { return pad; }));
  Pieces dense;
  for (auto &[steps, pieces] : bySteps) {
    if (llvm::all_of(steps, [](int64_t step) { return step == 1; })) {
      llvm::append_range(dense, pieces);
      continue;
    }
    Steps own(assembly, builder, loc, steps);
    Pieces apart = llvm::map_to_vector(pieces, [&](const Piece &piece) { return own.apart(piece); });
    dense.push_back(own.together(assembly.assemble(apart), whole));
  }
  Box box(dense);
  box.starts.assign(whole.size(), 0);
  box.ends.assign(whole.begin(), whole.end());
  return assembly.assemble(dense, box);
}
