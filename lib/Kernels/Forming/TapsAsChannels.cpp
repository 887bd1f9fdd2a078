// Taps of a line as channels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of one channel a pixel is no access of a GPU, and with three channels of zeros it would be mostly zeros. What windows
// read of a line are neighbours, as many as there are taps: a copy in which they are the channels of one pixel has
// whole accesses and few zeros.
//
//   image [N, H, W, 1] * filters [K, 3, 3, 1], a pixel of padding
//     = copy [N, H, W, 3 + 1] * filters [K, 3, 1, 3 + 1], padding above and below alone
//
// Strides, dilations and padding of a line are the copy's. An image that is given as integers is copied as it lies
// there and converted by the same kernel; else a product would convert each element each time that a window reads it.

#include "Kernels/Forming/TapsAsChannels.h"

#include "Kernels/Forming/Conversions.h"
#include "Kernels/Forming/Prepare.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Remarks.h"
#include "mp/IR/MP.h"

using namespace mlir;
using namespace mp;

/// A copy that needs no register on its way.
static constexpr int64_t kAccess = 8;
/// Bytes of elements that are worth it.
static constexpr int64_t kElementBytes = 2;
/// Channels, of more than which a pixel is padded.
static constexpr int64_t kMostChannels = 2;
/// How often windows read each pixel.
static constexpr int64_t kLeastReads = 2;
/// How many times as large as its image a copy may be.
static constexpr int64_t kMostCopies = 16;

namespace {

/// Reads of a line as channels of a pixel.
struct Line {
  Window window;
  int64_t channels;   ///< of a pixel of the image
  int64_t values = 0; ///< what a window reads of a line
  int64_t padded = 0; ///< with zeros behind, whole accesses

  explicit Line(const Convolution &of)
      : window(of.windows.back()), channels(of.channels), values(window.filter * channels),
        padded(llvm::alignTo(values, kAccess / kElementBytes)) {}

  /// What of a line in memory is value `value` of window `number`; -1 where that is padding. Behind the values is the
  /// first once more, as filters have zeros there.
  int32_t source(int64_t number, int64_t value) const {
    const int64_t own = value < values ? value : 0;
    const int64_t pixel = number * window.stride + own / channels * window.dilation - window.low;
    return pixel < 0 || pixel >= window.input ? -1 : static_cast<int32_t>(pixel * channels + own % channels);
  }
  bool hasPadding() const {
    return window.low > 0 ||
           (window.output - 1) * window.stride + (window.filter - 1) * window.dilation - window.low >= window.input;
  }
};

} // namespace

/// How the image of a convolution is made of integers, where copying their lines pays.
static std::optional<Conversion> findLines(const Convolution &of, Value image) {
  if (of.groups != 1 || of.channels > kMostChannels || elementOf(image).getIntOrFloatBitWidth() != 8 * kElementBytes)
    return std::nullopt;
  double pixels = 1, reads = 1;
  for (const Window &window : of.windows) {
    pixels *= static_cast<double>(window.input);
    reads *= static_cast<double>(window.output * window.filter);
  }
  const Line line(of);
  if (reads < kLeastReads * pixels || line.window.filter == 1 ||
      line.window.output * line.padded > kMostCopies * line.window.input * of.channels)
    return std::nullopt;
  std::optional<Conversion> conversion = findConversion(image);
  if (!conversion || conversion->ops.empty() || !isa<IntegerType>(elementOf(conversion->given)) ||
      (line.hasPadding() && !conversion->keepsZeros()))
    return std::nullopt;
  return conversion;
}

namespace {

template <typename Op> class LineReader {
public:
  LineReader(PatternRewriter &rewriter, Op op)
      : b(op.getLoc(), rewriter), rewriter(rewriter), op(op), of(op.getConvolution()), line(of) {}

  void readImage(const Conversion &conversion) {
    OpOperand &operand = op.getImageMutable();
    Value copies = conversion.convert(b, copyLines(operand.get(), conversion.given));
    rewriter.modifyOpInPlace(op, [&] { operand.set(copies); });
  }
  void readFilter(OpOperand &operand) {
    Value filter = operand.get(), wide = getCastFloats(filter);
    Value padded = padLines(wide ? wide : filter);
    if (wide)
      padded = cloneOn(b, filter.getDefiningOp(), padded);
    rewriter.modifyOpInPlace(op, [&] { operand.set(padded); });
  }
  /// Gives a filter's gradient lines as channels; who reads it sees taps.
  void giveFilter() {
    auto result = cast<OpResult>(op.getResult());
    RankedTensorType old = typeOf(result);
    rewriter.modifyOpInPlace(op, [&] { result.setType(ofLines(old, line.padded)); });
    b.setInsertionPointAfter(op);
    const size_t rank = old.getRank();
    const SmallVector<int64_t> starts(rank, 0), strides(rank, 1);
    SmallVector<int64_t> limits(rank, SliceOp::kEnd);
    limits[rank - 1] = line.values;
    Value kept = b.createOrFold<SliceOp>(Value(result), starts, limits, strides);
    Value taps = ReshapeOp::create(b, old, kept);
    rewriter.replaceAllUsesExcept(result, taps, kept == result ? taps.getDefiningOp() : kept.getDefiningOp());
  }
  void finish() {
    remark::passed(op->getLoc(), remark::RemarkOpts::name("TapsAsChannels").category("mp-pad-channels"))
        << std::to_string(line.values) + " values that a window reads of a line became " + std::to_string(line.padded) +
               " channels of a copy";
    SmallVector<int64_t> strides(op.getStrides()), padding(op.getPadding()), dilations(op.getDilations());
    strides.back() = dilations.back() = 1;
    padding.back() = padding[padding.size() - 2] = 0;
    rewriter.modifyOpInPlace(op, [&] {
      op.setStrides(strides);
      op.setPadding(padding);
      op.setDilations(dilations);
    });
  }

private:
  /// What windows read of each line of a given image: [N, H, W, C] becomes [N, H, Q, padded].
  Value copyLines(Value image, Value given) {
    SmallVector<int64_t> shape(shapeOf(image).drop_back(2));
    shape.push_back(line.window.input * line.channels);
    Value lines = ReshapeOp::create(b, typeOf(given).clone(shape), given);
    SmallVector<int32_t> sources;
    for (int64_t number = 0; number < line.window.output; ++number)
      for (int64_t value = 0; value < line.padded; ++value)
        sources.push_back(line.source(number, value));
    auto type = RankedTensorType::get({line.window.output, line.padded}, b.getI32Type());
    Value numbers = ConstantOp::create(b, DenseElementsAttr::get(type, ArrayRef(sources)));
    return GatherOp::create(b, lines, numbers, static_cast<int64_t>(shape.size()) - 1);
  }
  /// A type of filters whose lines of taps are `channels` channels of one tap.
  static RankedTensorType ofLines(RankedTensorType type, int64_t channels) {
    SmallVector<int64_t> shape(type.getShape());
    shape[shape.size() - 2] = 1;
    shape.back() = channels;
    return type.clone(shape);
  }
  Value padLines(Value filter) {
    Value lines = ReshapeOp::create(b, ofLines(typeOf(filter), line.values), filter);
    const SmallVector<int64_t> low(typeOf(filter).getRank(), 0);
    SmallVector<int64_t> high = low;
    high.back() = line.padded - line.values;
    return b.createOrFold<PadOp>(lines, low, high, ArrayRef<int64_t>(), APFloat(0.0));
  }

  ImplicitLocOpBuilder b;
  PatternRewriter &rewriter;
  Op op;
  const Convolution of;
  const Line line;
};

template <typename Op> struct ReadLines : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    std::optional<Conversion> conversion = findLines(op.getConvolution(), op.getImage());
    if (!conversion)
      return rewriter.notifyMatchFailure(op, "reads no lines of integers");
    LineReader<Op> reader(rewriter, op);
    reader.readImage(*conversion);
    if constexpr (std::is_same_v<Op, ConvFilterGradOp>)
      reader.giveFilter();
    else
      reader.readFilter(op.getFilterMutable());
    reader.finish();
    return success();
  }
};

} // namespace

void mp::populateTapsAsChannelsPatterns(RewritePatternSet &patterns) {
  patterns.add<ReadLines<ConvOp>, ReadLines<ConvFilterGradOp>>(patterns.getContext());
}
