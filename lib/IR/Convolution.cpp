// Convolutions of images and their gradients as contractions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/Convolution.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace llvm;
using namespace mp;

namespace {

/// Builds the map of an image or of a filter dimension by dimension: each with what moves it.
class MapBuilder {
public:
  unsigned add(IndexMap::Dimension dimension) {
    map.dimensions.push_back(dimension);
    return map.dimensions.size() - 1;
  }
  /// The last dimension, or the first of a filter: that of the group, then its own.
  void addChannels(int64_t groups, int64_t size, IndexMap::Digits &digits) {
    const unsigned channel = add({groups * size});
    if (groups != 1)
      map.batch.push_back({groups, channel, size});
    digits.push_back({size, channel});
  }
  IndexMap take() {
    map.simplify();
    return std::move(map);
  }

  IndexMap map;
};

} // namespace

/// Taps of one dimension of a filter: `count` of them, from `first` in steps.
struct Taps {
  int64_t count, first = 0, step = 1;
};

/// Filters [K, R, S, C / groups]: of the numbers given, one walks filters, one some taps, one channels.
static IndexMap mapFilters(const Convolution &of, ArrayRef<Taps> taps, IndexMap::Digits IndexMap::*filters,
                           IndexMap::Digits IndexMap::*depth, IndexMap::Digits IndexMap::*channels) {
  MapBuilder builder;
  IndexMap::Digits ofFilters;
  builder.addChannels(of.groups, of.filters / of.groups, ofFilters);
  for (auto [window, own] : zip_equal(of.windows, taps))
    (builder.map.*depth).push_back({own.count, builder.add({window.filter, own.first}), own.step});
  (builder.map.*channels).push_back({of.channels / of.groups, builder.add({of.channels / of.groups})});
  append_range(builder.map.*filters, ofFilters);
  return builder.take();
}

/// Images [N, H, W, C] where `pixels` walks output pixels and images, `taps` the filter's taps; `channels` comes last
/// in its number.
static IndexMap mapImages(const Convolution &of, IndexMap::Digits IndexMap::*pixels, IndexMap::Digits IndexMap::*taps,
                          IndexMap::Digits IndexMap::*channels) {
  MapBuilder builder;
  (builder.map.*pixels).push_back({of.images, builder.add({of.images})});
  for (const Window &window : of.windows) {
    const unsigned pixel = builder.add({window.input, -window.low});
    (builder.map.*pixels).push_back({window.output, pixel, window.stride});
    (builder.map.*taps).push_back({window.filter, pixel, window.dilation});
  }
  builder.addChannels(of.groups, of.channels / of.groups, builder.map.*channels);
  return builder.take();
}

Contraction Convolution::forward() const {
  Contraction product;
  product.lhsMap = mapImages(*this, &IndexMap::row, &IndexMap::depth, &IndexMap::depth);
  const auto taps = map_to_vector(windows, [](const Window &window) { return Taps{window.filter}; });
  product.rhsMap = mapFilters(*this, taps, &IndexMap::row, &IndexMap::depth, &IndexMap::depth);
  product.batch = groups;
  product.sharesRows = groups != 1;
  product.m = images;
  product.n = filters / groups;
  product.k = channels / groups;
  for (const Window &window : windows) {
    product.m *= window.output;
    product.k *= window.filter;
  }
  product.depth = product.k;
  return product;
}

/// Pixels of one dimension of images and the taps that meet an output pixel there: pixel `first + i * stride` and tap j
/// meet output pixel (i + j * reach + shift) / divisor. Taps go from the last to the first, so that output
/// pixels go as they lie in memory.
struct PixelClass {
  int64_t pixels, first, stride;
  Taps taps;
  int64_t reach, shift, divisor;
};

/// All pixels of a dimension; between strides they meet nothing.
static PixelClass allPixels(const Window &window) {
  const int64_t last = window.filter - 1;
  return {window.input, 0, 1, {window.filter, last, -1}, window.dilation, window.low - last * window.dilation,
          window.stride};
}

/// The pixels of a dimension that differ by strides, for each remainder that some have, with the taps that they meet.
static SmallVector<PixelClass, 4> classesOf(const Window &window) {
  SmallVector<PixelClass, 4> classes;
  const int64_t common = std::gcd(window.stride, window.dilation), step = window.stride / common;
  for (int64_t first = 0; first < std::min(window.stride, window.input); ++first) {
    // The first tap that meets an output pixel there, of which every `step`-th does; there may be none.
    int64_t tap = 0;
    auto offset = [&] { return first + window.low - tap * window.dilation; };
    while (tap < step && offset() % window.stride != 0)
      ++tap;
    const bool hasTaps = tap < std::min(step, window.filter);
    const int64_t taps = hasTaps ? divideCeilSigned(window.filter - tap, step) : 0;
    const int64_t reach = window.dilation / common, last = taps - 1;
    const int64_t output = hasTaps ? offset() / window.stride : 0;
    classes.push_back({divideCeilSigned(window.input - first, window.stride), first, window.stride,
                       hasTaps ? Taps{taps, tap + last * step, -step} : Taps{0}, reach,
                       hasTaps ? output - last * reach : 0, 1});
  }
  return classes;
}

/// The gradient of some pixels: one class in each dimension.
static Contraction::Class gradientOf(const Convolution &of, ArrayRef<PixelClass> pixels) {
  Contraction::Class gradient;
  MapBuilder builder;
  builder.map.row.push_back({of.images, builder.add({of.images})});
  gradient.m = of.images;
  gradient.k = of.filters / of.groups;
  int64_t count = of.images, shift = 0;
  for (auto [window, own] : zip_equal(of.windows, pixels)) {
    const unsigned pixel = builder.add({window.output, own.shift, own.divisor});
    builder.map.row.push_back({own.pixels, pixel});
    builder.map.depth.push_back({own.taps.count, pixel, own.reach});
    gradient.m *= own.pixels;
    gradient.k *= own.taps.count;
    count *= window.input;
    shift = shift * window.input + own.first;
  }
  builder.addChannels(of.groups, of.filters / of.groups, builder.map.depth);
  gradient.lhsMap = builder.take();
  const auto taps = map_to_vector(pixels, [](const PixelClass &own) { return own.taps; });
  gradient.rhsMap = mapFilters(of, taps, &IndexMap::depth, &IndexMap::depth, &IndexMap::row);

  gradient.rows.dimensions.push_back({count, shift});
  int64_t apart = 1;
  for (auto [window, own] : zip_equal(reverse(of.windows), reverse(pixels))) {
    gradient.rows.row.insert(gradient.rows.row.begin(), {own.pixels, 0, apart * own.stride});
    apart *= window.input;
  }
  gradient.rows.row.insert(gradient.rows.row.begin(), {of.images, 0, apart});
  return gradient;
}

Contraction Convolution::dataGradient() const {
  Contraction product;
  product.batch = groups;
  product.sharesRows = groups != 1;
  product.n = channels / groups;
  Contraction::Class whole = gradientOf(*this, map_to_vector<3>(windows, allPixels));
  product.m = whole.m;
  product.k = product.depth = whole.k;
  product.lhsMap = std::move(whole.lhsMap);
  product.rhsMap = std::move(whole.rhsMap);
  if (all_of(windows, [](const Window &window) { return window.stride == 1; }))
    return product;
  // Every choice of one class in each dimension, the last dimension's first.
  const auto choices = map_to_vector<3>(windows, classesOf);
  SmallVector<size_t, 3> chosen(windows.size(), 0);
  auto next = [&] {
    for (size_t dimension = windows.size(); dimension-- > 0; chosen[dimension] = 0)
      if (++chosen[dimension] < choices[dimension].size())
        return true;
    return false;
  };
  do {
    SmallVector<PixelClass, 3> pixels;
    for (auto [own, number] : zip_equal(choices, chosen))
      pixels.push_back(own[number]);
    product.classes.push_back(gradientOf(*this, pixels));
  } while (next());
  return product;
}

Contraction Convolution::filterGradient() const {
  Contraction product;
  MapBuilder gradient;
  gradient.map.depth.push_back({images, gradient.add({images})});
  for (const Window &window : windows)
    gradient.map.depth.push_back({window.output, gradient.add({window.output})});
  gradient.addChannels(groups, filters / groups, gradient.map.row);
  product.lhsMap = gradient.take();
  product.rhsMap = mapImages(*this, &IndexMap::depth, &IndexMap::row, &IndexMap::row);
  product.batch = groups;
  product.m = filters / groups;
  product.n = channels / groups;
  product.k = images;
  for (const Window &window : windows) {
    product.n *= window.filter;
    product.k *= window.output;
  }
  product.depth = product.k;
  return product;
}
