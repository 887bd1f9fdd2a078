// The shapes of poolings and of their gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/Windows.h"
#include "mp/IR/Faults.h"
#include "mp/IR/MP.h"

using namespace mlir;
using namespace mp;

using Shape = SmallVector<int64_t>;

namespace {

/// The numbers of a pooling, by which its result's shape follows from its image's.
struct Pooling {
  ArrayRef<int64_t> window, strides;
  Shape padding, dilations;

  template <typename Op> static Pooling of(Op op) {
    Pooling pooling{op.getWindow(), op.getWindow(), {}, {}};
    if constexpr (requires { op.getStrides(); }) {
      pooling.strides = op.getStrides();
      pooling.padding = llvm::to_vector(ArrayRef<int64_t>(op.getPadding()));
    } else {
      pooling.padding.assign(2 * pooling.window.size(), 0);
    }
    if constexpr (requires { op.getDilations(); })
      pooling.dilations = llvm::to_vector(ArrayRef<int64_t>(op.getDilations()));
    else
      pooling.dilations.assign(pooling.window.size(), 1);
    return pooling;
  }

  FailureOr<Shape> pool(EmitError error, ArrayRef<int64_t> image) const;

private:
  LogicalResult checkEdges(EmitError error, const WindowSizes &sizes, size_t dimension) const;
};

} // namespace

/// A window that has padding alone would have no largest pixel, and no mean.
LogicalResult Pooling::checkEdges(EmitError error, const WindowSizes &sizes, size_t dimension) const {
  const int64_t span = *spanOfTaps(sizes.taps, sizes.dilation), most = std::max(sizes.low, sizes.high);
  if (most >= span)
    return error(5) << "padding of " << most << " in spatial dimension " << dimension << " leaves windows, which span "
                    << span << ", without a pixel of the image; expected less than that";
  if (most > 0 && sizes.taps > 1 && sizes.dilation > sizes.image)
    return error(5) << "dilation of " << sizes.dilation << " in spatial dimension " << dimension
                    << ", where the image has " << sizes.image
                    << " pixels, leaves windows in the padding without one of them; expected no more than that";
  return success();
}

FailureOr<Shape> Pooling::pool(EmitError error, ArrayRef<int64_t> image) const {
  const size_t rank = image.size();
  if (rank < 3 || rank > 5)
    return error(2) << "image has rank 3 to 5, [N, spatial..., C], found shape " << describe(image);
  if (llvm::any_of(image.drop_front(), isOpen))
    return error(2) << "has an open size other than the first of the image, which is " << describe(image);
  const size_t dimensions = rank - 2;
  if (failed(checkNumbers(error, kOfPooling, "window", window, dimensions, dimensions, 1)) ||
      failed(checkNumbers(error, kOfPooling, "strides", strides, dimensions, dimensions, 1)) ||
      failed(checkNumbers(error, kOfPooling, "padding", padding, 2 * dimensions, dimensions, 0)) ||
      failed(checkNumbers(error, kOfPooling, "dilations", dilations, dimensions, dimensions, 1)))
    return failure();
  Shape result = {image.front()};
  int64_t pixels = 1;
  for (size_t i = 0; i < dimensions; ++i) {
    const WindowSizes sizes = {image[i + 1], window[i], strides[i], padding[2 * i], padding[2 * i + 1], dilations[i]};
    FailureOr<int64_t> windows = countWindows(error, kOfPooling, sizes, i, image, "window", window);
    if (failed(windows) || failed(checkEdges(error, sizes, i)))
      return failure();
    if (llvm::MulOverflow(pixels, sizes.taps, pixels))
      return error(7) << "has windows of 2^63 pixels or more, " << describe(window);
    result.push_back(*windows);
  }
  result.push_back(image.back());
  return result;
}

/// Says what is wrong where there is somewhere to say it.
template <typename Op> static auto errorAt(std::optional<Location> location) {
  return
      [location](unsigned constraint) { return location ? violates<Op>(*location, constraint) : InFlightDiagnostic(); };
}

template <typename Op>
static LogicalResult inferPool(std::optional<Location> location, typename Op::Adaptor op,
                               SmallVectorImpl<Type> &types) {
  auto image = cast<RankedTensorType>(op.getImage().getType());
  FailureOr<Shape> shape = Pooling::of(op).pool(errorAt<Op>(location), image.getShape());
  if (failed(shape))
    return failure();
  types.push_back(image.clone(*shape));
  return success();
}

LogicalResult MaxPoolOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor op,
                                          SmallVectorImpl<Type> &types) {
  return inferPool<MaxPoolOp>(location, op, types);
}
LogicalResult AvgPoolOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor op,
                                          SmallVectorImpl<Type> &types) {
  return inferPool<AvgPoolOp>(location, op, types);
}

/// Whether a byte holds the number of each pixel of a window.
static LogicalResult checkIndices(EmitError error, ArrayRef<int64_t> window) {
  if (ShapedType::getNumElements(window) > MaxPoolWithIndicesOp::kMostPixels)
    return error(8) << "has windows of " << describe(window) << " pixels, which indices of a byte do not tell apart";
  return success();
}

LogicalResult MaxPoolWithIndicesOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor op,
                                                     SmallVectorImpl<Type> &types) {
  if (failed(inferPool<MaxPoolWithIndicesOp>(location, op, types)) ||
      failed(checkIndices(errorAt<MaxPoolWithIndicesOp>(location), op.getWindow())))
    return failure();
  types.push_back(cast<RankedTensorType>(types.front()).clone(IntegerType::get(context, 8, IntegerType::Unsigned)));
  return success();
}

/// `gradient` has the shape that pooling `image` gives.
static LogicalResult checkGradient(EmitError error, const Pooling &pooling, ArrayRef<int64_t> image,
                                   ArrayRef<int64_t> gradient) {
  FailureOr<Shape> pooled = pooling.pool(error, image);
  if (failed(pooled))
    return failure();
  if (!agree(gradient, *pooled))
    return error(6) << "gradient has shape " << describe(gradient) << ", but pooling " << describe(image) << " gives "
                    << describe(*pooled);
  return success();
}

LogicalResult MaxPoolGradOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor op,
                                              SmallVectorImpl<Type> &types) {
  auto image = cast<RankedTensorType>(op.getImage().getType());
  types.push_back(image);
  return checkGradient(errorAt<MaxPoolGradOp>(location), Pooling::of(op), image.getShape(),
                       cast<RankedTensorType>(op.getGradient().getType()).getShape());
}

/// The shape of the image that `result` is, where only its first size may be left open.
template <typename Op> static LogicalResult inferImage(Op op, ArrayRef<int64_t> gradient, Shape &result) {
  result = llvm::to_vector(shapeOf(op.getResult()));
  if (!result.empty() && !gradient.empty() && isOpen(result.front()))
    result.front() = gradient.front();
  return checkGradient([&](unsigned constraint) { return violates(op, constraint); }, Pooling::of(op), result,
                       gradient);
}

LogicalResult AvgPoolGradOp::inferShape(Shape &result) { return inferImage(*this, shapeOf(getGradient()), result); }

LogicalResult MaxUnpoolOp::inferShape(Shape &result) {
  if (failed(inferImage(*this, shapeOf(getValues()), result)) ||
      failed(checkIndices([&](unsigned constraint) { return violates(*this, constraint); }, getWindow())))
    return failure();
  if (!agree(shapeOf(getIndices()), shapeOf(getValues())))
    return violates(*this, 9) << "indices have shape " << describe(shapeOf(getIndices())) << " and values "
                              << describe(shapeOf(getValues())) << ", expected one";
  return success();
}

/// Without the pixels at its ends that are padding wherever it is: of 2^32 over an image of 2 a few are left to walk.
static Window cutToImage(Window window) {
  const int64_t lastPlace = (window.output - 1) * window.stride;
  const int64_t first = std::max<int64_t>(0, window.low - lastPlace) / window.dilation;
  const int64_t last = std::min(window.filter - 1, (window.input - 1 + window.low) / window.dilation);
  window.filter = last - first + 1;
  window.low -= first * window.dilation;
  return window;
}

/// Of the two shapes that a pooling has.
template <typename Op>
static SmallVector<Window, 3> windowsOf(Op op, ArrayRef<int64_t> image, ArrayRef<int64_t> result) {
  const Pooling pooling = Pooling::of(op);
  SmallVector<Window, 3> windows;
  for (auto [i, size] : llvm::enumerate(pooling.window))
    windows.push_back(cutToImage(
        {image[i + 1], size, result[i + 1], pooling.strides[i], pooling.padding[2 * i], pooling.dilations[i]}));
  return windows;
}
SmallVector<Window, 3> MaxPoolOp::getWindows() { return windowsOf(*this, shapeOf(getImage()), shapeOf(getResult())); }
SmallVector<Window, 3> MaxPoolGradOp::getWindows() {
  return windowsOf(*this, shapeOf(getImage()), shapeOf(getGradient()));
}
SmallVector<Window, 3> MaxPoolWithIndicesOp::getWindows() {
  return windowsOf(*this, shapeOf(getImage()), shapeOf(getValues()));
}
SmallVector<Window, 3> MaxUnpoolOp::getWindows() {
  return windowsOf(*this, shapeOf(getResult()), shapeOf(getValues()));
}
SmallVector<Window, 3> AvgPoolOp::getWindows() { return windowsOf(*this, shapeOf(getImage()), shapeOf(getResult())); }
SmallVector<Window, 3> AvgPoolGradOp::getWindows() {
  return windowsOf(*this, shapeOf(getResult()), shapeOf(getGradient()));
}

/// How many windows a pixel of the image is in, on average and at least one, times `each`.
static int64_t countReaders(ArrayRef<Window> windows, int64_t each) {
  uint64_t count = static_cast<uint64_t>(each);
  for (const Window &window : windows)
    count = llvm::SaturatingMultiply<uint64_t>(count, std::max<int64_t>(1, window.filter / window.stride));
  return static_cast<int64_t>(std::min<uint64_t>(count, std::numeric_limits<int32_t>::max()));
}

/// So many pixels of a window are walked.
static int64_t countTaps(ArrayRef<Window> windows) {
  int64_t count = 1;
  for (const Window &window : windows)
    count *= window.filter;
  return count;
}

int64_t MaxPoolOp::getOperationsPerElement() { return countTaps(getWindows()); }
int64_t MaxPoolWithIndicesOp::getOperationsPerElement() { return countTaps(getWindows()); }
int64_t AvgPoolOp::getOperationsPerElement() { return countTaps(getWindows()); }
// The winner of each window that has a pixel is found again.
int64_t MaxPoolGradOp::getOperationsPerElement() { return countReaders(getWindows(), countTaps(getWindows())); }
int64_t MaxUnpoolOp::getOperationsPerElement() { return 2; }
int64_t AvgPoolGradOp::getOperationsPerElement() { return countReaders(getWindows(), 1); }
