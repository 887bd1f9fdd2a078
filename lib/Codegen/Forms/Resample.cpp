// Pixels as sums of others, channel by channel: lanes are neighbouring channels of one pixel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Forms/Forms.h"
#include "Codegen/Forms/Indices.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mp;

namespace {

/// Terms of one pixel along one dimension, by their numbers in its tables.
struct TermRange {
  Value first, limit;
  int64_t count = 0; ///< where it is known
};

struct ResampleForms : ScalarForms {
  Indices index{b};

  static int64_t run(ResampleOp op) { return std::max<int64_t>(shapeOf(op.getResult()).back(), 1); }

  FormResult form(ResampleOp op) {
    ArrayRef<int64_t> shape = shapeOf(op.getResult());
    auto [number, channel] = in.inRowsOf(run(op));
    SmallVector<TermRange, 3> ranges(op.getIndices().size());
    for (size_t i = ranges.size(); i-- > 0;) {
      Value at;
      std::tie(number, at) = in.inMatricesOf(number, shape[i + 1]);
      ranges[i] = rangeOf(op, i, at);
    }
    Value result = sumFrom(op, ranges, 0, number, channel);
    return op.getWeights().empty() ? exact(result) : rounded(op, result);
  }

private:
  /// Loops of no more steps than that are unrolled.
  static constexpr int64_t kMostUnrolled = 16;

  enum class Table : unsigned { Starts = 1, Indices, Weights };
  static unsigned operandOf(ResampleOp op, Table table, size_t i) {
    return op.getODSOperandIndexAndLength(static_cast<unsigned>(table)).first + static_cast<unsigned>(i);
  }
  /// A number in a table, between 0 and `most`.
  Value numberAt(ResampleOp op, Table table, size_t i, Value at, int64_t most) {
    Value number = castValue(b, in.loadOne(operandOf(op, table, i), at), b.getI32Type(), b.getI64Type());
    return index.clamp(number, most + 1);
  }

  TermRange rangeOf(ResampleOp op, size_t i, Value at) {
    if (op.getStarts().empty()) {
      const int64_t count = op.countTerms(i);
      return {index.mul(at, count), {}, count};
    }
    const int64_t all = shapeOf(op.getIndices()[i]).front();
    return {numberAt(op, Table::Starts, i, at, all), numberAt(op, Table::Starts, i, index.add(at, index.i64(1)), all)};
  }

  /// The sum of the terms along dimension `i` and those behind it, of the pixel `number` of those in front of it.
  Value sumFrom(ResampleOp op, ArrayRef<TermRange> ranges, size_t i, Value number, Value channel) {
    if (i == ranges.size())
      return in.load(0, number, 0, run(op), channel);
    const int64_t size = shapeOf(op.getImage())[i + 1];
    auto termAt = [&](Value j) {
      Value pixel = index.add(index.mul(number, size), numberAt(op, Table::Indices, i, j, size - 1));
      return sumFrom(op, ranges, i + 1, pixel, channel);
    };
    const TermRange &range = ranges[i];
    if (op.getWeights().empty())
      return termAt(range.first);
    auto add = [&](Value j, Value sum) -> Value {
      Value weight = splat(b, in.loadOne(operandOf(op, Table::Weights, i), j), in.width);
      return math::FmaOp::create(b, termAt(j), weight, sum);
    };
    Value sum = floatConstant(b, withLanes(registerType(resultElement(op)), in.width), 0);
    int64_t together = 1; // as many terms are unrolled with those behind
    for (const TermRange &own : ranges.drop_front(i))
      together = own.limit ? kMostUnrolled + 1 : std::min(together * own.count, kMostUnrolled + 1);
    if (together <= kMostUnrolled) {
      for (int64_t j = 0; j < range.count; ++j)
        sum = add(index.add(range.first, index.i64(j)), sum);
      return sum;
    }
    Value limit = range.limit ? range.limit : index.add(range.first, index.i64(range.count));
    // The builder of the loop's body is `b`, where it is then.
    return scf::ForOp::create(b, range.first, limit, index.i64(1), ValueRange{sum},
                              [&](OpBuilder &, Location, Value j, ValueRange soFar) {
                                scf::YieldOp::create(b, ValueRange{add(j, soFar[0])});
                              })
        .getResult(0);
  }
};

} // namespace

void mp::attachResampleForms(MLIRContext *context) { attachForms<ResampleForms>(context); }
