// Resizing: its shapes, its coordinates and its gradient.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/DerivativeParts.h"
#include "IR/RowTypes.h"
#include "IR/Sizes.h"
#include "mp/IR/Faults.h"
#include "mp/IR/Resampling.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mp;
using namespace mp::derivatives;

using Shape = SmallVector<int64_t>;

/// Sizes less than that have exact products in f64, and tables that fit in memory.
static constexpr int64_t kTooLarge = int64_t(1) << 24;

// Shapes

/// The shape of `result`, or of `operand` where the batch of that is not stated.
template <typename Op> static LogicalResult inferImages(Op op, ArrayRef<int64_t> operand, Shape &shape) {
  shape = llvm::to_vector(shapeOf(op.getResult()));
  ArrayRef<int64_t> image = operand;
  if (image.size() < 3 || image.size() > 5)
    return violates(op, 2) << "images have rank 3 to 5, [N, spatial..., C], found shape " << describe(image);
  if (shape.size() != image.size())
    return violates(op, 3) << "operand has shape " << describe(image) << " and result " << describe(shape)
                           << ", expected one rank";
  for (ArrayRef<int64_t> sizes : {image, ArrayRef<int64_t>(shape)})
    if (llvm::any_of(sizes.drop_front(), isOpen))
      return violates(op, 2) << "has an open size other than the first of " << describe(sizes);
  for (ArrayRef<int64_t> sizes : {image, ArrayRef<int64_t>(shape)})
    for (int64_t size : sizes.drop_front().drop_back())
      if (size < 1 || size >= kTooLarge)
        return violates(op, 3) << "has " << size << " pixels along a dimension of " << describe(sizes)
                               << ", expected at least 1 and less than 2^24";
  shape.back() = image.back();
  if (isOpen(shape.front()) || !isOpen(image.front()))
    shape.front() = image.front();
  return success();
}
LogicalResult ResizeOp::inferShape(Shape &shape) { return inferImages(*this, shapeOf(getImage()), shape); }
LogicalResult ResizeGradOp::inferShape(Shape &shape) { return inferImages(*this, shapeOf(getGradient()), shape); }

/// The scale of each spatial dimension, 0 where sizes say it.
static SmallVector<double, 3> scalesOf(std::optional<ElementsAttr> given, size_t dimensions) {
  return given ? llvm::to_vector<3>(given->getValues<double>()) : SmallVector<double, 3>(dimensions, 0);
}

template <typename Op> static LogicalResult verifyNumbers(Op op) {
  if (op.getMode() != ResizeMode::nearest) {
    if (!isa<FloatType>(elementOf(op.getResult())))
      return violates(op, 1) << "of " << elementOf(op.getResult()) << " has mode " << stringifyEnum(op.getMode())
                             << ", expected floats or mode nearest";
    if (op.getRounding() != ResizeRounding::floor)
      return violates(op, 4) << "has mode " << stringifyEnum(op.getMode()) << " and rounding "
                             << stringifyEnum(op.getRounding()) << ", which is of mode nearest alone";
  }
  std::optional<ElementsAttr> scales = op.getScales();
  if (!scales)
    return success();
  const size_t dimensions = shapeOf(op.getResult()).size() - 2;
  if (!scales->getElementType().isF64() || scales->getShapedType().getRank() != 1 ||
      scales->getNumElements() != static_cast<int64_t>(dimensions))
    return violates(op, 5) << "has scales of " << scales->getShapedType() << ", expected tensor<" << dimensions
                           << "xf64>: one for each spatial dimension";
  for (double scale : scalesOf(scales, dimensions))
    if (!std::isfinite(scale) || scale <= 0)
      return violates(op, 5) << "has scale " << scale << ", expected a finite number greater than 0";
  return success();
}
LogicalResult ResizeOp::verify() { return verifyNumbers(*this); }
LogicalResult ResizeGradOp::verify() { return verifyNumbers(*this); }

/// The terms of a pixel, of all dimensions.
static int64_t countTerms(ResizeMode mode, size_t dimensions) {
  const int64_t each = mode == ResizeMode::nearest ? 1 : mode == ResizeMode::linear ? 2 : 4;
  return static_cast<int64_t>(std::pow(each, dimensions));
}
int64_t ResizeOp::getOperationsPerElement() { return 2 * countTerms(getMode(), shapeOf(getResult()).size() - 2); }
// Each pixel of the gradient has them; a pixel of the image gets a share.
int64_t ResizeGradOp::getOperationsPerElement() {
  double share = 1;
  for (auto [from, to] : llvm::zip_equal(shapeOf(getGradient()).drop_front(), shapeOf(getResult()).drop_front()))
    share *= to == 0 ? 1 : static_cast<double>(from) / static_cast<double>(to);
  const double count = 2 * share * static_cast<double>(countTerms(getMode(), shapeOf(getResult()).size() - 2));
  return static_cast<int64_t>(std::clamp(count, 1.0, 0x1p31));
}

LogicalResult ResampleOp::verify() {
  ArrayRef<int64_t> image = shapeOf(getImage()), result = shapeOf(getResult());
  if (elementOf(getImage()) != elementOf(getResult()) || image.size() < 3 || image.size() > 5 ||
      result.size() != image.size() || result.front() != image.front() || result.back() != image.back() ||
      llvm::is_contained(image.drop_front().drop_back(), 0))
    return violates(*this, 1) << "image has type " << getImage().getType() << " and result " << getType()
                              << ", expected images of rank 3 to 5, of which the first has pixels, that "
                                 "differ in spatial sizes alone";
  const size_t dimensions = image.size() - 2;
  if (getIndices().size() != dimensions)
    return violates(*this, 2) << "has " << getIndices().size() << " tables of indices, expected one for each of "
                              << dimensions << " spatial dimensions";
  for (auto [name, tables] : {std::pair("starts", getStarts()), std::pair("weights", getWeights())})
    if (!tables.empty() && tables.size() != dimensions)
      return violates(*this, 2) << "has " << tables.size() << " tables of " << name
                                << ", expected none or one for each of " << dimensions << " spatial dimensions";
  if (!getStarts().empty() && getWeights().empty())
    return violates(*this, 2) << "has starts and no weights, expected weights of what is summed";
  Type wide = getWideElement(getImage());
  for (size_t i = 0; i < dimensions; ++i) {
    const int64_t pixels = result[i + 1];
    ArrayRef<int64_t> indices = shapeOf(getIndices()[i]);
    const bool isWhole = indices.size() == 1 && (!getStarts().empty() || pixels == 0 || indices[0] % pixels == 0) &&
                         (indices[0] != 0 || !getStarts().empty() || pixels == 0) &&
                         (!getWeights().empty() || indices[0] == pixels);
    if (!isWhole)
      return violates(*this, 3) << "has " << describe(indices) << " indices for " << pixels
                                << " pixels, expected as many for each of them";
    if (!getStarts().empty() && shapeOf(getStarts()[i]) != ArrayRef(pixels + 1))
      return violates(*this, 3) << "has " << describe(shapeOf(getStarts()[i])) << " starts for " << pixels
                                << " pixels, expected one more";
    if (getWeights().empty())
      continue;
    if (shapeOf(getWeights()[i]) != indices)
      return violates(*this, 3) << "has " << describe(shapeOf(getWeights()[i])) << " weights for " << describe(indices)
                                << " indices, expected as many";
    if (elementOf(getWeights()[i]) != wide)
      return violates(*this, 4) << "has weights of " << elementOf(getWeights()[i]) << ", expected " << wide;
  }
  return success();
}

int64_t ResampleOp::countTerms(size_t i) {
  return shapeOf(getIndices()[i]).front() / std::max<int64_t>(shapeOf(getResult())[i + 1], 1);
}
int64_t ResampleOp::getOperationsPerElement() {
  int64_t count = 2;
  for (size_t i = 0; i < getIndices().size(); ++i)
    count = std::min<int64_t>(count * std::max<int64_t>(countTerms(i), 1), int64_t(1) << 31);
  return count;
}

// Coordinates

bool Taps::areAsMany() const {
  const int64_t each = static_cast<int64_t>(indices.size()) / size();
  for (int64_t o = 0; o <= size(); ++o)
    if (starts[o] != o * each)
      return false;
  return each != 0;
}

bool Taps::areOwn() const {
  for (int64_t o = 0; o < size(); ++o)
    if (starts[o] != o || indices[o] != o || weights[o] != 1)
      return false;
  return static_cast<int64_t>(indices.size()) == size();
}

namespace {
/// One spatial dimension of a resizing.
struct Dimension {
  ResizeMode mode;
  ResizeCoordinates coordinates;
  ResizeRounding rounding;
  double scale; ///< 0 where it is that of the sizes
  int64_t input, output;

  double coordinateOf(int64_t pixel) const;
  int64_t nearestTo(double x) const;
  Taps taps() const;
};
} // namespace

/// Quotients of sizes are rounded once: no coordinate that is whole becomes the one before.
double Dimension::coordinateOf(int64_t pixel) const {
  const auto o = static_cast<double>(pixel), in = static_cast<double>(input), out = static_cast<double>(output);
  switch (coordinates) {
  case ResizeCoordinates::pytorch_half_pixel:
    if (output == 1)
      return 0;
    [[fallthrough]];
  case ResizeCoordinates::half_pixel:
    return scale != 0 ? (o + 0.5) / scale - 0.5 : ((2 * o + 1) * in - out) / (2 * out);
  case ResizeCoordinates::align_corners:
    return output == 1 ? 0 : o * (in - 1) / (out - 1);
  case ResizeCoordinates::asymmetric:
    return scale != 0 ? o / scale : o * in / out;
  }
  llvm_unreachable("unknown coordinates");
}

int64_t Dimension::nearestTo(double x) const {
  switch (rounding) {
  case ResizeRounding::floor:
    x = std::floor(x);
    break;
  case ResizeRounding::ceil:
    x = std::ceil(x);
    break;
  case ResizeRounding::round_prefer_floor:
    x = std::ceil(x - 0.5);
    break;
  case ResizeRounding::round_prefer_ceil:
    x = std::floor(x + 0.5);
    break;
  }
  return static_cast<int64_t>(std::clamp(x, 0.0, static_cast<double>(input - 1)));
}

/// The weights of four neighbours where the second is `t` before the place that is asked for.
static std::array<double, 4> cubicWeights(double t) {
  constexpr double a = -0.75;
  auto near = [](double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
  auto far = [](double d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
  return {far(t + 1), near(t), near(1 - t), far(2 - t)};
}

Taps Dimension::taps() const {
  const auto last = static_cast<double>(input - 1);
  std::vector<std::pair<int64_t, double>> terms; // of each pixel as many
  for (int64_t o = 0; o < output; ++o) {
    double x = coordinateOf(o);
    if (mode == ResizeMode::nearest) {
      terms.emplace_back(nearestTo(x), 1);
      continue;
    }
    // Beyond the image every pixel is its last.
    const double beyond = mode == ResizeMode::linear ? 0 : 4;
    x = std::clamp(x, -beyond, last + beyond);
    const double first = std::floor(x), t = x - first;
    auto pixel = [&](int64_t step) {
      return static_cast<int64_t>(std::clamp(first + static_cast<double>(step), 0.0, last));
    };
    if (mode == ResizeMode::linear) {
      terms.emplace_back(pixel(0), 1 - t);
      terms.emplace_back(pixel(1), t);
      continue;
    }
    for (auto [step, weight] : llvm::enumerate(cubicWeights(t)))
      terms.emplace_back(pixel(static_cast<int64_t>(step) - 1), weight);
  }
  // What no pixel has a weight for is no term, as of a dimension that stays as it is.
  const size_t each = terms.size() / static_cast<size_t>(output);
  std::vector<bool> isTerm(each, false);
  for (auto [i, term] : llvm::enumerate(terms))
    if (term.second != 0)
      isTerm[i % each] = true;
  Taps taps;
  for (auto [i, term] : llvm::enumerate(terms)) {
    if (i % each == 0)
      taps.starts.push_back(static_cast<int32_t>(taps.indices.size()));
    if (!isTerm[i % each])
      continue;
    taps.indices.push_back(static_cast<int32_t>(term.first));
    taps.weights.push_back(term.second);
  }
  taps.starts.push_back(static_cast<int32_t>(taps.indices.size()));
  return taps;
}

/// The terms of each of so many pixels in the pixels that have it for a term.
static Taps transpose(const Taps &taps, int64_t pixels) {
  std::vector<std::vector<std::pair<int32_t, double>>> readers(pixels);
  for (int64_t o = 0; o < taps.size(); ++o)
    for (int32_t j = taps.starts[o]; j < taps.starts[o + 1]; ++j) {
      if (taps.weights[j] == 0)
        continue;
      auto &own = readers[taps.indices[j]];
      if (!own.empty() && own.back().first == o) // at the image's end it is there twice
        own.back().second += taps.weights[j];
      else
        own.emplace_back(static_cast<int32_t>(o), taps.weights[j]);
    }
  // Code for as many terms of each pixel has no loops. A last one more weighs nothing.
  size_t all = 0, most = 0;
  for (const auto &own : readers) {
    all += own.size();
    most = std::max(most, own.size());
  }
  const bool haveTerms = llvm::all_of(readers, [](const auto &own) { return !own.empty(); });
  if (haveTerms && most * readers.size() <= 2 * all)
    for (auto &own : readers)
      own.resize(most, {own.back().first, 0});
  Taps result;
  for (const auto &own : readers) {
    result.starts.push_back(static_cast<int32_t>(result.indices.size()));
    for (auto [reader, weight] : own) {
      result.indices.push_back(reader);
      result.weights.push_back(weight);
    }
  }
  result.starts.push_back(static_cast<int32_t>(result.indices.size()));
  return result;
}

template <typename Op>
static SmallVector<Taps, 3> tapsBetween(Op op, ArrayRef<int64_t> image, ArrayRef<int64_t> result) {
  SmallVector<Taps, 3> taps;
  const size_t dimensions = image.size() - 2;
  for (auto [i, scale] : llvm::enumerate(scalesOf(op.getScales(), dimensions)))
    taps.push_back(
        Dimension{op.getMode(), op.getCoordinates(), op.getRounding(), scale, image[i + 1], result[i + 1]}.taps());
  return taps;
}
SmallVector<Taps, 3> mp::tapsOf(ResizeOp op) {
  return tapsBetween(op, shapeOf(op.getImage()), shapeOf(op.getResult()));
}
SmallVector<Taps, 3> mp::tapsOf(ResizeGradOp op) {
  ArrayRef<int64_t> image = shapeOf(op.getResult());
  SmallVector<Taps, 3> taps = tapsBetween(op, image, shapeOf(op.getGradient()));
  for (auto [i, own] : llvm::enumerate(taps))
    own = transpose(own, image[i + 1]);
  return taps;
}

// Its gradient

LogicalResult ResizeOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  operands[0] = ResizeGradOp::create(b, getImage().getType(), results[0], getModeAttr(), getCoordinatesAttr(),
                                     getRoundingAttr(), getScalesAttr());
  return success();
}
