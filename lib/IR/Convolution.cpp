// Convolutions of images and their gradients as contractions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/Convolution.h"

#include "llvm/ADT/STLExtras.h"

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

/// Filters [K, R, S, C / groups]: of the numbers given, one walks filters, one taps, one channels.
static IndexMap mapFilters(const Convolution &of, IndexMap::Digits IndexMap::*filters, IndexMap::Digits IndexMap::*taps,
                           IndexMap::Digits IndexMap::*channels) {
  MapBuilder builder;
  IndexMap::Digits ofFilters;
  builder.addChannels(of.groups, of.filters / of.groups, ofFilters);
  for (const Window &window : of.windows)
    (builder.map.*taps).push_back({window.filter, builder.add({window.filter})});
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
  product.rhsMap = mapFilters(*this, &IndexMap::row, &IndexMap::depth, &IndexMap::depth);
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

Contraction Convolution::dataGradient() const {
  Contraction product;
  MapBuilder gradient;
  gradient.map.row.push_back({images, gradient.add({images})});
  for (const Window &window : windows) {
    const unsigned pixel = gradient.add({window.output, window.low, window.stride});
    gradient.map.row.push_back({window.input, pixel});
    gradient.map.depth.push_back({window.filter, pixel, -window.dilation});
  }
  gradient.addChannels(groups, filters / groups, gradient.map.depth);
  product.lhsMap = gradient.take();
  product.rhsMap = mapFilters(*this, &IndexMap::depth, &IndexMap::depth, &IndexMap::row);
  product.batch = groups;
  product.sharesRows = groups != 1;
  product.m = images;
  product.n = channels / groups;
  product.k = filters / groups;
  for (const Window &window : windows) {
    product.m *= window.input;
    product.k *= window.filter;
  }
  product.depth = product.k;
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
