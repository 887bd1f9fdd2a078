// Whole accesses of channels that are not whole.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pixel of three channels in 16 bits is 6 bytes, which no access of a GPU begins with: a product would copy such
// images element by element. With a channel of zeros more a pixel is one access of 8 bytes, and cp.async may take it:
//
//   image [N, H, W, 3] * filters [K, R, S, 3] = image [N, H, W, 3 + 0] * filters [K, R, S, 3 + 0]
//
// Where windows advance by an even number of pixels, two neighbours are one pixel of twice the channels, and an access
// of 16 bytes: windows that began with the second of them begin with a tap of zeros.
//
//   image [N, H, W, 4] * filters [K, R, 7, 4] by 2, 3 pixels of padding
//     = image [N, H, W / 2, 8] * filters [K, R, 4, 8] by 1, 2 pixels of padding
//
// A copy costs a walk over the image; what is summed is longer by the zeros. It pays where windows overlap, so that
// each pixel is read several times, and where there are few zeros.
//
// An image that is converted from something in memory, as from bytes, is copied as it is there, and the copy is
// converted: one kernel does both. What a pixel has further is then its first channel once more, which the filters'
// zeros leave out as they do zeros; whatever the conversion does to it, it does to the first channel, too.

#include "mp/Kernels/Passes.h"

#include "Kernels/Forming/Conversions.h"
#include "Kernels/Forming/Machines.h"
#include "Kernels/Forming/Prepare.h"
#include "Kernels/Forming/TapsAsChannels.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "mp/IR/MP.h"

namespace mp {
#define GEN_PASS_DEF_PADCHANNELSPASS
#include "mp/Kernels/Passes.h.inc"
} // namespace mp

using namespace mlir;
using namespace mp;

/// A copy that needs no register on its way, with which a pixel shall end; and the longest.
static constexpr int64_t kShortAccess = 8, kLongAccess = 16;
/// Bytes of elements that are worth it.
static constexpr int64_t kElementBytes = 2;
/// Channels, of fewer than which more than two thirds would be zeros.
static constexpr int64_t kLeastChannels = 3;
/// How often windows read each pixel.
static constexpr int64_t kLeastReads = 2;
/// Of k, what blocks of a product bring at once at least.
static constexpr int64_t kShortestStep = 32;

namespace {

/// The convolution that one becomes.
struct Padded {
  int64_t channels;   ///< of a pixel, those of zeros among them
  int64_t joined = 1; ///< neighbours in a line that become one pixel
  int64_t before = 0; ///< taps of zeros in front of those of a line: windows begin with a joined pixel
  Window line;        ///< of joined pixels

  Padded(const Convolution &of, Type element);
};

} // namespace

Padded::Padded(const Convolution &of, Type element) : channels(of.channels), line(of.windows.back()) {
  if (of.groups != 1 || of.channels < kLeastChannels || element.getIntOrFloatBitWidth() != 8 * kElementBytes)
    return;
  double pixels = 1, reads = 1;
  for (const Window &window : of.windows) {
    pixels *= static_cast<double>(window.input);
    reads *= static_cast<double>(window.output * window.filter);
  }
  if (reads < kLeastReads * pixels)
    return;
  channels = llvm::alignTo(of.channels, kShortAccess / kElementBytes);
  const Window &own = of.windows.back();
  if (channels * kElementBytes % kLongAccess == 0 || own.stride % 2 != 0 || own.input % 2 != 0 || own.dilation != 1)
    return;
  Window pairs = own;
  pairs.input = own.input / 2;
  pairs.stride = own.stride / 2;
  pairs.low = llvm::divideCeil(own.low, 2);
  pairs.filter = llvm::divideCeil(own.filter + own.low % 2, 2);
  // Windows that were no windows would begin behind the last.
  if ((pairs.output - 1) * pairs.stride + pairs.filter < pairs.input + pairs.low)
    return;
  joined = 2;
  before = own.low % 2;
  line = pairs;
}

namespace {

template <typename Op> class ChannelPadder {
public:
  ChannelPadder(PatternRewriter &rewriter, Op op, Value ofElement)
      : b(op.getLoc(), rewriter), rewriter(rewriter), op(op), of(op.getConvolution()),
        padded(of, elementOf(ofElement)) {}

  bool isNeeded() const { return padded.channels != of.channels || padded.joined != 1; }

  void padImage(OpOperand &operand) {
    Value image = operand.get();
    const std::optional<Conversion> conversion = findConversion(image);
    if (padded.channels == of.channels || !conversion || conversion->ops.empty() || getCastFloats(image))
      return read(operand, pad(image, 0, 0), padded.line.input);
    Value wider = conversion->convert(b, widen(image, conversion->given));
    rewriter.modifyOpInPlace(op, [&] { operand.set(wider); });
  }
  void padFilter(OpOperand &operand) {
    const int64_t behind = padded.joined * padded.line.filter - padded.before - of.windows.back().filter;
    const bool isJoined = padded.joined != 1;
    read(operand, pad(operand.get(), isJoined ? padded.before : 0, isJoined ? behind : 0), padded.line.filter);
  }
  void widenImage() { widenResult(padded.line.input, 0, of.windows.back().input); }
  void widenFilter() { widenResult(padded.line.filter, padded.before, of.windows.back().filter); }

  void finish() {
    std::string text = std::to_string(of.channels) + " channels, " + std::to_string(of.channels * kElementBytes) +
                       " bytes of a pixel, became " + std::to_string(padded.channels);
    if (padded.joined != 1)
      text += ", of " + std::to_string(padded.joined) + " pixels together";
    remark::passed(op->getLoc(), remark::RemarkOpts::name("PaddedChannels").category("mp-pad-channels")) << text;
    if (padded.joined == 1)
      return;
    SmallVector<int64_t> strides(op.getStrides()), padding(op.getPadding());
    const Window &line = padded.line;
    strides.back() = line.stride;
    padding.back() = (line.output - 1) * line.stride + line.filter - line.input - line.low;
    padding[padding.size() - 2] = line.low;
    rewriter.modifyOpInPlace(op, [&] {
      op.setStrides(strides);
      op.setPadding(padding);
    });
  }

private:
  /// Zeros before and behind what a line has, and behind the channels. What lies in memory as wider floats is padded as
  /// it is converted: a cast of zeros is zeros.
  Value pad(Value value, int64_t before, int64_t behind) {
    const size_t rank = shapeOf(value).size();
    SmallVector<int64_t> low(rank, 0), high(rank, 0);
    low[rank - 2] = before;
    high[rank - 2] = behind;
    high[rank - 1] = padded.channels - of.channels;
    auto withZeros = [&](Value what) {
      return b.createOrFold<PadOp>(what, low, high, ArrayRef<int64_t>(), APFloat(0.0));
    };
    Value wide = getCastFloats(value);
    return wide ? cloneOn(b, value.getDefiningOp(), withZeros(wide)) : withZeros(value);
  }
  /// A copy of what is given of an image with padded pixels, joined: that is how they lie.
  Value widen(Value image, Value given) {
    Type type = withLine(image, padded.line.input, padded.joined * of.channels).clone(elementOf(given));
    given = b.createOrFold<ReshapeOp>(type, given);
    SmallVector<int32_t> channels;
    for (int64_t channel = 0; channel < padded.joined * padded.channels; ++channel) {
      const int64_t pixel = channel / padded.channels, own = channel % padded.channels;
      channels.push_back(static_cast<int32_t>(pixel * of.channels + (own < of.channels ? own : 0)));
    }
    auto ofNumbers = RankedTensorType::get(static_cast<int64_t>(channels.size()), b.getI32Type());
    Value numbers = ConstantOp::create(b, DenseElementsAttr::get(ofNumbers, ArrayRef(channels)));
    return GatherOp::create(b, given, numbers, typeOf(given).getRank() - 1);
  }
  /// The type of `value` where a line has `size` pixels, of so many channels.
  RankedTensorType withLine(Value value, int64_t size, int64_t channels) {
    SmallVector<int64_t> shape(shapeOf(value));
    shape[shape.size() - 2] = size;
    shape.back() = channels;
    return typeOf(value).clone(shape);
  }
  void read(OpOperand &operand, Value value, int64_t size) {
    if (padded.joined != 1)
      value = ReshapeOp::create(b, withLine(value, size, padded.joined * padded.channels), value);
    rewriter.modifyOpInPlace(op, [&] { operand.set(value); });
  }
  /// Gives the op the sizes of its padded operands; who read its result sees the old ones, of a line from `before` on.
  void widenResult(int64_t size, int64_t before, int64_t old) {
    auto result = cast<OpResult>(op.getResult());
    rewriter.modifyOpInPlace(op, [&] { result.setType(withLine(result, size, padded.joined * padded.channels)); });
    b.setInsertionPointAfter(op);
    Operation *first = nullptr;
    Value apart = result;
    if (padded.joined != 1) {
      apart = ReshapeOp::create(b, withLine(result, padded.joined * size, padded.channels), result);
      first = apart.getDefiningOp();
    }
    const size_t rank = shapeOf(apart).size();
    SmallVector<int64_t> starts(rank, 0), limits(rank, SliceOp::kEnd);
    const SmallVector<int64_t> strides(rank, 1);
    starts[rank - 2] = before;
    if (padded.joined != 1)
      limits[rank - 2] = before + old;
    limits[rank - 1] = of.channels;
    Value kept = b.createOrFold<SliceOp>(apart, starts, limits, strides);
    rewriter.replaceAllUsesExcept(result, kept, first ? first : kept.getDefiningOp());
  }

  ImplicitLocOpBuilder b;
  PatternRewriter &rewriter;
  Op op;
  const Convolution of;
  const Padded padded;
};

struct PadForward : OpRewritePattern<ConvOp> {
  PadForward(MLIRContext *context, const Chip &chip) : OpRewritePattern(context), chip(chip) {}

  LogicalResult matchAndRewrite(ConvOp op, PatternRewriter &rewriter) const override {
    // The zeros may ask for a second step, which costs as much as single elements do through registers.
    if (!chip.has(ChipFeature::CpAsync) && op.getContractionSize() <= kShortestStep)
      return rewriter.notifyMatchFailure(op, "is of one short step");
    ChannelPadder padder(rewriter, op, op.getImage());
    if (!padder.isNeeded())
      return rewriter.notifyMatchFailure(op, "is best as it is");
    padder.padImage(op.getImageMutable());
    padder.padFilter(op.getFilterMutable());
    padder.finish();
    return success();
  }

private:
  const Chip &chip;
};

struct PadImageGradient : OpRewritePattern<ConvTransposeOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(ConvTransposeOp op, PatternRewriter &rewriter) const override {
    ChannelPadder padder(rewriter, op, op.getFilter());
    if (!padder.isNeeded())
      return rewriter.notifyMatchFailure(op, "is best as it is");
    padder.padFilter(op.getFilterMutable());
    padder.widenImage();
    padder.finish();
    return success();
  }
};

struct PadFilterGradient : OpRewritePattern<ConvFilterGradOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(ConvFilterGradOp op, PatternRewriter &rewriter) const override {
    ChannelPadder padder(rewriter, op, op.getImage());
    if (!padder.isNeeded())
      return rewriter.notifyMatchFailure(op, "is best as it is");
    padder.padImage(op.getImageMutable());
    padder.widenFilter();
    padder.finish();
    return success();
  }
};

struct PadChannelsPass : mp::impl::PadChannelsPassBase<PadChannelsPass> {
  using Base::Base;

  void runOnOperation() override {
    const Machine machine(getOperation(), features);
    if (!machine.level && !machine.chip)
      return signalPassFailure();
    if (!machine.chip)
      return markAllAnalysesPreserved();
    RewritePatternSet patterns(&getContext());
    patterns.add<PadForward>(&getContext(), *machine.chip);
    patterns.add<PadImageGradient, PadFilterGradient>(&getContext());
    populateTapsAsChannelsPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
