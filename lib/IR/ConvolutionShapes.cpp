// The shapes of convolutions and of their gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/ProductTypes.h"
#include "IR/Windows.h"
#include "mp/IR/Faults.h"
#include "mp/IR/MP.h"

using namespace mlir;
using namespace mp;

using Shape = SmallVector<int64_t>;

/// An error of shapes or windows, which parts of filters have one constraint for.
template <typename Op> static InFlightDiagnostic differs(Op op, unsigned constraint) {
  return violates(op, std::is_same_v<Op, ConvFilterGradPartsOp> ? 2 : constraint);
}

/// Checks the shapes and windows of a convolution but for its result.
template <typename Op> static LogicalResult checkWindows(Op op, ArrayRef<int64_t> image, ArrayRef<int64_t> filter) {
  const size_t rank = image.size(), dimensions = rank - 2;
  const int64_t groups = op.getGroups();
  const StringRef imageName = std::is_same_v<Op, ConvTransposeOp> ? "result" : "image";
  if (rank < 3 || rank > 5 || filter.size() != rank)
    return differs(op, 2) << "image and filter have one rank from 3 to 5, found shapes " << describe(image) << " and "
                          << describe(filter);
  if (llvm::any_of(image.drop_front(), isOpen) || llvm::any_of(filter, isOpen))
    return differs(op, 2) << "has an open size other than the first of the image, which is " << describe(image)
                          << "; the filter is " << describe(filter);
  if (groups < 1 || filter.front() % groups != 0)
    return differs(op, 4) << "groups are at least 1 and divide the number of filters, found " << groups << " groups of "
                          << filter.front() << " filters";
  if (image.back() % groups != 0 || image.back() / groups != filter.back())
    return differs(op, 3) << imageName << " has " << image.back() << " channels, expected " << groups * filter.back()
                          << " (groups " << groups << ", filter " << describe(filter)
                          << "); images are [N, spatial..., C], filters [K, spatial..., C / groups]";
  auto error = [&](unsigned constraint) { return differs(op, constraint); };
  auto check = [&](StringRef name, ArrayRef<int64_t> values, size_t count, int64_t least) {
    return checkNumbers(error, kOfConvolution, name, values, count, dimensions, least);
  };
  return failure(failed(check("strides", op.getStrides(), dimensions, 1)) ||
                 failed(check("padding", op.getPadding(), 2 * dimensions, 0)) ||
                 failed(check("dilations", op.getDilations(), dimensions, 1)));
}

/// image [N, spatial..., C] * filter [K, taps..., C / groups] -> result [N, spatial..., K].
template <typename Op>
static LogicalResult convolve(Op op, ArrayRef<int64_t> image, ArrayRef<int64_t> filter, Shape &result) {
  if (failed(checkWindows(op, image, filter)))
    return failure();
  result.push_back(image.front());
  for (size_t i = 0; i + 2 < image.size(); ++i) {
    const WindowSizes sizes = {
        image[i + 1],        filter[i + 1], op.getStrides()[i], op.getPadding()[2 * i], op.getPadding()[2 * i + 1],
        op.getDilations()[i]};
    FailureOr<int64_t> windows = countWindows([&](unsigned constraint) { return differs(op, constraint); },
                                              kOfConvolution, sizes, i, image, "filter", filter);
    if (failed(windows))
      return failure();
    result.push_back(*windows);
  }
  result.push_back(filter.front());
  return success();
}

LogicalResult ConvOp::inferShape(Shape &result) {
  return failure(failed(convolve(*this, shapeOf(getImage()), shapeOf(getFilter()), result)) ||
                 failed(verifyBias(*this, 7, getBias(), result.back())));
}

/// `found` is the shape of the operand that mp.conv has as its result.
template <typename Op>
static LogicalResult checkConvolved(Op op, StringRef name, ArrayRef<int64_t> found, ArrayRef<int64_t> image,
                                    ArrayRef<int64_t> filter) {
  Shape expected;
  if (failed(convolve(op, image, filter, expected)))
    return failure();
  if (agree(found, expected))
    return success();
  return differs(op, 8) << name << " has shape " << describe(found) << ", but mp.conv of " << describe(image)
                        << " with filters " << describe(filter) << " gives " << describe(expected);
}

LogicalResult ConvTransposeOp::inferShape(Shape &result) {
  ArrayRef<int64_t> input = shapeOf(getInput());
  result = llvm::to_vector(shapeOf(getResult()));
  if (!result.empty() && !input.empty() && isOpen(result.front()))
    result.front() = input.front();
  return checkConvolved(*this, "input", input, result, shapeOf(getFilter()));
}

LogicalResult ConvFilterGradOp::inferShape(Shape &result) {
  result = llvm::to_vector(shapeOf(getResult()));
  return checkConvolved(*this, "gradient", shapeOf(getGradient()), shapeOf(getImage()), result);
}

LogicalResult ConvFilterGradPartsOp::inferShape(Shape &result) {
  result = llvm::to_vector(shapeOf(getResult()));
  if (result.empty())
    return violates(*this, 2) << "result has rank 0, expected parts of filters";
  if (failed(checkConvolved(*this, "gradient", shapeOf(getGradient()), shapeOf(getImage()),
                            ArrayRef(result).drop_front())))
    return failure();
  const int64_t k = getContractionSize();
  if (k >= 0 && getDepth() > 0)
    result.front() = std::max<int64_t>(llvm::divideCeil(k, getDepth()), 1);
  return success();
}

// Of each channel by itself

static int64_t channelsOf(Value images) { return shapeOf(images).empty() ? 0 : shapeOf(images).back(); }
int64_t DepthwiseConvOp::getGroups() { return channelsOf(getImage()); }
int64_t DepthwiseConvTransposeOp::getGroups() { return channelsOf(getResult()); }
int64_t DepthwiseConvRowSumsOp::getGroups() { return channelsOf(getImage()); }

/// The filters of a depthwise convolution, [C, window..., 1].
template <typename Op> static Shape filterOf(Op op) {
  Shape filter = {op.getGroups()};
  llvm::append_range(filter, op.getWindow());
  filter.push_back(1);
  return filter;
}

/// `op` has a float of each tap for each channel of `image`, whose windows are known to be some.
template <typename Op> static LogicalResult checkTaps(Op op, ArrayRef<int64_t> image) {
  const Shape expected = {ShapedType::getNumElements(op.getWindow()), image.back()};
  if (shapeOf(op.getTaps()) == ArrayRef(expected))
    return success();
  return differs(op, 11) << "taps have shape " << describe(shapeOf(op.getTaps())) << ", expected " << describe(expected)
                         << ": the pixels of a window, and channels";
}

LogicalResult DepthwiseConvOp::inferShape(Shape &result) {
  ArrayRef<int64_t> image = shapeOf(getImage());
  return failure(failed(convolve(*this, image, filterOf(*this), result)) || failed(checkTaps(*this, image)) ||
                 failed(verifyBias(*this, 7, getBias(), image.back())));
}

LogicalResult DepthwiseConvTransposeOp::inferShape(Shape &result) {
  result = llvm::to_vector(shapeOf(getResult()));
  return failure(failed(checkConvolved(*this, "input", shapeOf(getInput()), result, filterOf(*this))) ||
                 failed(checkTaps(*this, result)));
}

LogicalResult DepthwiseConvRowSumsOp::inferShape(Shape &result) {
  ArrayRef<int64_t> image = shapeOf(getImage()), gradient = shapeOf(getGradient());
  if (failed(checkConvolved(*this, "gradient", gradient, image, filterOf(*this))))
    return failure();
  result = {image.front(), ShapedType::getNumElements(getWindow()),
            ShapedType::getNumElements(gradient.drop_front().drop_back(2)), image.back()};
  return success();
}

/// Of the three shapes that mp.conv has.
template <typename Op>
static Convolution convolutionOf(Op op, ArrayRef<int64_t> image, ArrayRef<int64_t> filter, ArrayRef<int64_t> result) {
  Convolution convolution{image.front(), {}, image.back(), filter.front(), static_cast<int64_t>(op.getGroups())};
  for (size_t i = 0; i + 2 < image.size(); ++i)
    convolution.windows.push_back(
        {image[i + 1], filter[i + 1], result[i + 1], op.getStrides()[i], op.getPadding()[2 * i], op.getDilations()[i]});
  return convolution;
}
Convolution ConvOp::getConvolution() {
  return convolutionOf(*this, shapeOf(getImage()), shapeOf(getFilter()), shapeOf(getResult()));
}
Convolution ConvTransposeOp::getConvolution() {
  return convolutionOf(*this, shapeOf(getResult()), shapeOf(getFilter()), shapeOf(getInput()));
}
Convolution ConvFilterGradOp::getConvolution() {
  return convolutionOf(*this, shapeOf(getImage()), shapeOf(getResult()), shapeOf(getGradient()));
}

Convolution ConvFilterGradPartsOp::getConvolution() {
  return convolutionOf(*this, shapeOf(getImage()), shapeOf(getResult()).drop_front(), shapeOf(getGradient()));
}

/// Of the shapes of image and result of a depthwise convolution.
template <typename Op>
static SmallVector<Window, 3> windowsOf(Op op, ArrayRef<int64_t> image, ArrayRef<int64_t> result) {
  return convolutionOf(op, image, filterOf(op), result).windows;
}
SmallVector<Window, 3> DepthwiseConvOp::getWindows() {
  return windowsOf(*this, shapeOf(getImage()), shapeOf(getResult()));
}
SmallVector<Window, 3> DepthwiseConvTransposeOp::getWindows() {
  return windowsOf(*this, shapeOf(getResult()), shapeOf(getInput()));
}
SmallVector<Window, 3> DepthwiseConvRowSumsOp::getWindows() {
  return windowsOf(*this, shapeOf(getImage()), shapeOf(getGradient()));
}

int64_t DepthwiseConvOp::getOperationsPerElement() { return 2 * ShapedType::getNumElements(getWindow()); }
int64_t DepthwiseConvTransposeOp::getOperationsPerElement() {
  int64_t terms = 1;
  for (const Window &window : getWindows())
    terms *= llvm::divideCeil(window.filter, window.stride);
  return 2 * terms;
}
int64_t DepthwiseConvRowSumsOp::getOperationsPerElement() { return 2 * getWindows().back().output; }

/// Of one image: how many there are may be open.
static Convolution ofOneImage(Convolution convolution) {
  convolution.images = 1;
  return convolution;
}
int64_t ConvOp::getContractionSize() { return ofOneImage(getConvolution()).forward().k; }
int64_t ConvTransposeOp::getContractionSize() { return ofOneImage(getConvolution()).dataGradient().k; }
/// Over the pixels of all images.
static int64_t countPixels(const Convolution &convolution) {
  return isOpen(convolution.images) ? -1 : convolution.filterGradient().k;
}
int64_t ConvFilterGradOp::getContractionSize() { return countPixels(getConvolution()); }
int64_t ConvFilterGradPartsOp::getContractionSize() { return countPixels(getConvolution()); }
