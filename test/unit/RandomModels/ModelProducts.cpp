// Products, convolutions and poolings of a model at random.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RandomModels/ModelBuilder.h"

#include <algorithm>

using namespace mp;

/// Multiplications of a product, at most: simulated devices run every thread of every launch.
static constexpr int64_t kMostMultiplications = 30000;

unsigned ModelBuilder::product(unsigned lhs) {
  lhs = bounded(lhs, 8);
  const size_t rank = typeOf(lhs).shape.size();
  const std::string element = typeOf(lhs).element;
  const bool transposesLhs = !(isBatched(lhs) && rank == 2) && pick(3) == 0, transposesRhs = pick(3) == 0;
  const bool isShared = rank == 2 || isBatched(lhs) || pick(2); // a factor for all of the batch, or one for each
  const std::vector<Size> shape = typeOf(lhs).shape;
  const Size &m = shape[rank - (transposesLhs ? 1 : 2)], &k = shape[rank - (transposesLhs ? 2 : 1)];
  const Size n = pick(5) == 0 ? Size() : Size{1 + pick(4)};
  const std::vector<Size> batch(shape.begin(), shape.end() - 2);
  std::vector<Size> factor = isShared ? std::vector<Size>() : batch, result = batch;
  factor.insert(factor.end(), {transposesRhs ? n : k, transposesRhs ? k : n});
  result.insert(result.end(), {m, n});
  if (countOf(result) * model.sizeOf(k) > std::max(kMostMultiplications, 40 * model.sizeOf(k)))
    return lhs;
  std::vector<unsigned> operands = {lhs, factorOf({factor, element})};
  const bool hasBias = pick(2);
  if (hasBias)
    operands.push_back(castTo(addArgument(Role::Parameter, {{n}, "f32"}), element));
  return add(std::string("mp.matmul $0, $1") + (transposesLhs ? " transpose_lhs" : "") +
                 (transposesRhs ? " transpose_rhs" : "") + (hasBias ? " bias $2 : {2}" : "") +
                 " acc f32 : {0}, {1} -> {r}",
             operands, {std::move(result), element},
             boundOf(lhs) * boundOf(operands[1]) * static_cast<double>(model.sizeOf(k)) + 1);
}

unsigned ModelBuilder::convolution(unsigned images, Convolves how) {
  const bool isTransposed = how == Convolves::Transposed;
  if (how == Convolves::Depthwise && !depends[images]) // so that images have a gradient
    images = product(images);
  images = bounded(images, 8);
  const ValueType type = typeOf(images);
  const std::vector<Size> pixels(type.shape.begin() + 1, type.shape.end() - 1);
  if (pixels.size() > 3 || countOf(pixels) == 0)
    return images;
  const Size channels = type.shape.back();
  const bool isDepthwise = how == Convolves::Depthwise;
  if (isDepthwise && model.sizeOf(channels) == 0) // no groups
    return images;
  const Size filters = isDepthwise ? channels : pick(5) == 0 ? Size() : Size{1 + pick(4)};
  // As many pixels come out, whatever the sizes: with padding = same a window may be larger than the image.
  std::vector<Size> taps;
  std::string dilations;
  for (size_t i = 0; i < pixels.size(); ++i) {
    const Size size = pick(3) == 0 ? Size() : Size{1 + pick(4)};
    const int64_t count = model.sizeOf(size);
    taps.push_back(count >= 1 && count <= 5 ? size : Size());
    dilations += (dilations.empty() ? "" : ", ") + std::to_string(1 + pick(2));
  }
  std::vector<Size> filter = {isTransposed ? channels : filters}, result = type.shape;
  filter.insert(filter.end(), taps.begin(), taps.end());
  filter.push_back(isTransposed ? filters : isDepthwise ? Size() : channels);
  result.back() = filters;
  const int64_t terms = countOf(taps) * (isDepthwise ? 1 : model.sizeOf(channels));
  if (countOf(result) > kMostElements || countOf(result) * terms > kMostMultiplications)
    return images;
  std::vector<unsigned> operands = {images, factorOf({filter, type.element})};
  const bool hasBias = !isTransposed && pick(2);
  if (hasBias)
    operands.push_back(castTo(addArgument(Role::Parameter, {{filters}, "f32"}), type.element));
  return add(std::string(isTransposed ? "mp.conv_transpose" : "mp.conv") + " $0, $1" +
                 (hasBias ? " bias $2 : {2}" : "") + " acc f32 {dilations = [" + dilations + "], padding = same" +
                 (isDepthwise ? ", groups = {channels}" : "") + "} : {0}, {1} -> {r}",
             operands, {std::move(result), type.element},
             boundOf(images) * boundOf(operands[1]) * static_cast<double>(terms) + 1);
}

unsigned ModelBuilder::pool(unsigned images, const std::string &op) {
  const ValueType type = typeOf(images);
  const std::vector<Size> pixels(type.shape.begin() + 1, type.shape.end() - 1);
  if (pixels.size() > 3 || countOf(pixels) == 0)
    return images;
  std::string window, ones;
  for (size_t i = 0; i < pixels.size(); ++i) {
    window += (i == 0 ? "" : ", ") + std::to_string(1 + pick(3));
    ones += i == 0 ? "1" : ", 1";
  }
  const std::string counts = op == "mp.max_pool" ? "" : pick(2) ? ", count_padding = true" : ", count_padding = false";
  return add(op + " $0 {window = [" + window + "], strides = [" + ones + "], padding = same" + counts +
                 "} : {0} -> {r}",
             {images}, type, boundOf(images));
}

unsigned ModelBuilder::longProduct() {
  const Size m = pick(2) ? Size() : Size{1 + pick(4)};
  if (model.sizeOf(m) > 4)
    return product(pickFloat(2));
  return product(addArgument(Role::Parameter, {{m, Size{5}}, "f32"}));
}
