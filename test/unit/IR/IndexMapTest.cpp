// Maps of operands against loops over what they stand for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/Contraction.h"
#include "mp/IR/Convolution.h"

#include "gtest/gtest.h"

#include <numeric>

using namespace mp;

namespace {

using Digits = IndexMap::Digits;

/// What `map` finds for each (batch, row, k) of these counts, -1 for none.
std::vector<int64_t> findAll(const IndexMap &map, int64_t batches, int64_t rows, int64_t depth) {
  std::vector<int64_t> found;
  for (int64_t batch = 0; batch < batches; ++batch)
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t k = 0; k < depth; ++k)
        found.push_back(map.find(batch, row, k).value_or(-1));
  return found;
}

} // namespace

TEST(IndexMap, AMatrixLiesRowAfterRow) {
  const IndexMap map = IndexMap::ofMatrix(/*batch=*/2, /*rows=*/3, /*depth=*/4, /*isTransposed=*/false);
  std::vector<int64_t> inOrder(24);
  std::iota(inOrder.begin(), inOrder.end(), 0);
  EXPECT_EQ(findAll(map, 2, 3, 4), inOrder);
  EXPECT_TRUE(map.isMatrix());
  EXPECT_TRUE(map.isAlongDepth());
  EXPECT_EQ(map.getRun(), 4);
}

TEST(IndexMap, ATransposedMatrixLiesColumnAfterColumn) {
  const IndexMap map = IndexMap::ofMatrix(2, 3, 4, /*isTransposed=*/true);
  EXPECT_EQ(map.find(0, 0, 1), 3);
  EXPECT_EQ(map.find(0, 1, 0), 1);
  EXPECT_EQ(map.find(1, 2, 3), 23);
  EXPECT_TRUE(map.isMatrix());
  EXPECT_FALSE(map.isAlongDepth());
  EXPECT_EQ(map.getRun(), 3);
}

TEST(IndexMap, OneMatrixMayServeEveryBatch) {
  const IndexMap map = IndexMap::ofMatrix(5, 3, 4, false, /*isShared=*/true);
  EXPECT_EQ(map.find(0, 2, 1), 9);
  EXPECT_EQ(map.find(4, 2, 1), 9);
  EXPECT_TRUE(map.isMatrix());
}

TEST(IndexMap, AMatrixOfNothingIsNoTrap) {
  for (bool isTransposed : {false, true}) {
    EXPECT_EQ(IndexMap::ofMatrix(1, 0, 4, isTransposed).getRun(), isTransposed ? 0 : 4);
    EXPECT_EQ(IndexMap::ofMatrix(1, 3, 0, isTransposed).getRun(), isTransposed ? 3 : 0);
    EXPECT_TRUE(IndexMap::ofMatrix(0, 3, 4, isTransposed).isCertain(0));
  }
}

TEST(IndexMap, KnowsWhatIsNeverOutside) {
  // [7] by 3 * i + 2 * j - shift, i and j of 2: 0 to 5 before the shift.
  auto sum = [](int64_t size, int64_t shift, int64_t divisor = 1) {
    IndexMap map;
    map.dimensions = {{size, shift, divisor}, {1}};
    map.row = Digits{{2, 0, 3}};
    map.depth = Digits{{2, 0, 2}};
    return map;
  };
  EXPECT_TRUE(sum(6, 0).isCertain(0));
  EXPECT_FALSE(sum(5, 0).isCertain(0));
  EXPECT_FALSE(sum(6, -1).isCertain(0));
  EXPECT_FALSE(sum(6, 1).isCertain(0));
  EXPECT_TRUE(sum(7, 1).isCertain(0));
  EXPECT_FALSE(sum(7, 0, 2).isCertain(0));
}

// A run is as long as nothing else on its dimension disturbs it.
TEST(IndexMap, ARunEndsWhereAnotherDigitMoves) {
  IndexMap map;
  map.dimensions = {{4}, {24}};
  map.batch = Digits{{2, 1, 12}};
  map.row = Digits{{4, 0}};
  map.depth = Digits{{12, 1}};
  EXPECT_EQ(map.getRun(), 12);
  map.batch = Digits{{3, 1, 8}};
  map.depth = Digits{{8, 1}};
  EXPECT_EQ(map.getRun(), 8);
  map.batch = Digits{{3, 1, 6}};
  EXPECT_EQ(map.getRun(), 2);
  map.dimensions[1].shift = 3;
  map.dimensions[1].size = 27;
  EXPECT_EQ(map.getRun(), 1);
  EXPECT_FALSE(map.isMatrix());
}

TEST(IndexMap, FiltersLieAsConvolutionsReadThem) {
  // 2 filters of 3 x 2 taps of 2 channels.
  const IndexMap rows = IndexMap::ofFilters({2, 3, 2, 2}, /*isTransposed=*/false);
  std::vector<int64_t> inOrder(24);
  std::iota(inOrder.begin(), inOrder.end(), 0);
  EXPECT_EQ(findAll(rows, 1, 2, 12), inOrder);
  EXPECT_TRUE(rows.isAlongDepth());
  const IndexMap channels = IndexMap::ofFilters({2, 3, 2, 2}, /*isTransposed=*/true);
  EXPECT_EQ(findAll(channels, 1, 2, 12), (std::vector<int64_t>{10, 22, 8, 20, 6, 18, 4, 16, 2, 14, 0, 12, //
                                                               11, 23, 9, 21, 7, 19, 5, 17, 3, 15, 1, 13}));
  EXPECT_FALSE(channels.isAlongDepth());
}

// Convolutions

namespace {

/// A window that knows the size of its output.
Window window(int64_t input, int64_t filter, int64_t stride, int64_t low, int64_t high, int64_t dilation) {
  const int64_t reach = (filter - 1) * dilation + 1;
  return {input, filter, (input + low + high - reach) / stride + 1, stride, low, dilation};
}

/// Sums of what each side contributes, by the maps alone: values of an operand are its elements' numbers, made uneven.
int64_t valueOf(int64_t element, int64_t seed) { return (element * 7 + seed) % 11 - 5; }

int64_t multiply(const Contraction &product, int64_t batch, int64_t i, int64_t j) {
  int64_t sum = 0;
  for (int64_t k = 0; k < product.k; ++k) {
    const std::optional<int64_t> lhs = product.lhsMap.find(batch, i, k), rhs = product.rhsMap.find(batch, j, k);
    if (lhs && rhs)
      sum += valueOf(*lhs, 1) * valueOf(*rhs, 2);
  }
  return sum;
}

/// The result as it lies in memory.
std::vector<int64_t> multiplyAll(const Contraction &product) {
  std::vector<int64_t> result(product.batch * product.m * product.n);
  for (int64_t batch = 0; batch < product.batch; ++batch)
    for (int64_t i = 0; i < product.m; ++i)
      for (int64_t j = 0; j < product.n; ++j) {
        const int64_t row = product.sharesRows ? i : batch * product.m + i;
        const int64_t columns = product.sharesRows ? product.batch * product.n : product.n;
        result[row * columns + (product.sharesRows ? batch * product.n + j : j)] = multiply(product, batch, i, j);
      }
  return result;
}

/// The loops of a convolution of images in two dimensions: each pair of an input pixel and a tap that meet in an output
/// pixel. `visit` gets the elements of images [N, H, W, C], filters [K, R, S, C / groups] and output [N, P, Q, K].
template <typename Visit> void forEachProduct(const Convolution &of, Visit visit) {
  const Window &y = of.windows[0], &x = of.windows[1];
  const int64_t channels = of.channels / of.groups, filters = of.filters / of.groups;
  for (int64_t n = 0; n < of.images; ++n)
    for (int64_t p = 0; p < y.output; ++p)
      for (int64_t q = 0; q < x.output; ++q)
        for (int64_t r = 0; r < y.filter; ++r)
          for (int64_t s = 0; s < x.filter; ++s) {
            const int64_t h = p * y.stride + r * y.dilation - y.low, w = q * x.stride + s * x.dilation - x.low;
            if (h < 0 || h >= y.input || w < 0 || w >= x.input)
              continue;
            for (int64_t o = 0; o < of.filters; ++o)
              for (int64_t c = 0; c < channels; ++c) {
                const int64_t channel = o / filters * channels + c;
                visit(((n * y.input + h) * x.input + w) * of.channels + channel,
                      ((o * y.filter + r) * x.filter + s) * channels + c,
                      ((n * y.output + p) * x.output + q) * of.filters + o);
              }
          }
}

class ConvolutionMaps : public testing::TestWithParam<Convolution> {
protected:
  int64_t pixels(int64_t Window::*size) const {
    return GetParam().images * GetParam().windows[0].*size * GetParam().windows[1].*size;
  }
};

} // namespace

namespace mp {
static std::ostream &operator<<(std::ostream &out, const Convolution &of) {
  out << of.images << " images, " << of.channels << " channels, " << of.filters << " filters, " << of.groups
      << " groups";
  for (const Window &w : of.windows)
    out << ", " << w.input << " by " << w.filter << " to " << w.output << " stride " << w.stride << " low " << w.low
        << " dilation " << w.dilation;
  return out;
}
} // namespace mp

TEST_P(ConvolutionMaps, ForwardIsTheLoops) {
  const Convolution &of = GetParam();
  std::vector<int64_t> expected(pixels(&Window::output) * of.filters);
  forEachProduct(of, [&](int64_t image, int64_t filter, int64_t output) {
    expected[output] += valueOf(image, 1) * valueOf(filter, 2);
  });
  EXPECT_EQ(multiplyAll(of.forward()), expected);
}

TEST_P(ConvolutionMaps, DataGradientIsTheLoops) {
  const Convolution &of = GetParam();
  std::vector<int64_t> expected(pixels(&Window::input) * of.channels);
  forEachProduct(of, [&](int64_t image, int64_t filter, int64_t output) {
    expected[image] += valueOf(output, 1) * valueOf(filter, 2);
  });
  EXPECT_EQ(multiplyAll(of.dataGradient()), expected);
}

// What a kernel of its own may pack: all filters, in one group.
TEST_P(ConvolutionMaps, FiltersAreThose) {
  const Convolution &of = GetParam();
  const std::vector<int64_t> shape = {of.filters, of.windows[0].filter, of.windows[1].filter, of.channels / of.groups};
  EXPECT_EQ(of.forward().rhsMap == IndexMap::ofFilters(shape, /*isTransposed=*/false), of.groups == 1);
  EXPECT_EQ(of.dataGradient().rhsMap == IndexMap::ofFilters(shape, /*isTransposed=*/true), of.groups == 1);
}

// Each pixel is in one class, and a class meets each pair of a tap and an output pixel that its pixels have, and none
// besides: no factor is missing but for those beyond the edges.
TEST_P(ConvolutionMaps, ClassesOfPixelsAreTheLoops) {
  const Convolution &of = GetParam();
  const Contraction whole = of.dataGradient();
  const bool hasStrides = of.windows[0].stride > 1 || of.windows[1].stride > 1;
  EXPECT_EQ(whole.classes.empty(), !hasStrides);
  std::vector<int64_t> found(whole.m * whole.batch * whole.n);
  std::vector<int64_t> times(whole.m);
  for (const Contraction::Class &own : whole.classes) {
    Contraction part = whole;
    part.m = own.m, part.k = own.k;
    part.lhsMap = own.lhsMap, part.rhsMap = own.rhsMap;
    const std::vector<int64_t> sums = multiplyAll(part);
    const int64_t columns = whole.batch * whole.n;
    for (int64_t i = 0; i < own.m; ++i) {
      const std::optional<int64_t> row = own.rows.find(0, i, 0);
      ASSERT_TRUE(row && *row < whole.m);
      ++times[*row];
      for (int64_t j = 0; j < columns; ++j)
        found[*row * columns + j] = sums[i * columns + j];
      for (int64_t k = 0; k < own.k; ++k)
        EXPECT_TRUE(own.rhsMap.find(0, 0, k));
    }
  }
  if (!hasStrides)
    return;
  EXPECT_EQ(times, std::vector<int64_t>(whole.m, 1));
  std::vector<int64_t> expected(found.size());
  forEachProduct(of, [&](int64_t image, int64_t filter, int64_t output) {
    expected[image] += valueOf(output, 1) * valueOf(filter, 2);
  });
  EXPECT_EQ(found, expected);
}

// The gradient under a stride of 2 x 2 multiplies a quarter of what the whole has.
TEST(ConvolutionMaps, ClassesMultiplyNoGaps) {
  const Convolution of = {1, {window(8, 3, 2, 0, 1, 1), window(8, 3, 2, 0, 1, 1)}, 2, 5, 1};
  const Contraction whole = of.dataGradient();
  ASSERT_EQ(whole.classes.size(), 4u);
  int64_t products = 0;
  for (const Contraction::Class &own : whole.classes)
    products += own.m * own.k;
  EXPECT_EQ(4 * products, whole.m * whole.k);
  // One tap of each dimension meets pixels of odd numbers.
  EXPECT_EQ(whole.classes.back().k, 5);
}

TEST_P(ConvolutionMaps, FilterGradientIsTheLoops) {
  const Convolution &of = GetParam();
  std::vector<int64_t> expected(of.filters * of.windows[0].filter * of.windows[1].filter * of.channels / of.groups);
  forEachProduct(of, [&](int64_t image, int64_t filter, int64_t output) {
    expected[filter] += valueOf(output, 1) * valueOf(image, 2);
  });
  EXPECT_EQ(multiplyAll(of.filterGradient()), expected);
}

/// Neighbours of a run lie side by side, from an aligned element, or are all missing.
static void checkRun(const IndexMap &map, const Contraction &product, int64_t rows) {
  const int64_t run = map.getRun(), along = map.isAlongDepth() ? product.k : rows;
  ASSERT_GE(run, 1);
  ASSERT_EQ(along % run, 0);
  for (int64_t batch = 0; batch < product.batch; ++batch)
    for (int64_t across = 0; across < (map.isAlongDepth() ? rows : product.k); ++across)
      for (int64_t first = 0; first < along; first += run) {
        auto find = [&](int64_t i) {
          return map.isAlongDepth() ? map.find(batch, across, first + i) : map.find(batch, first + i, across);
        };
        const std::optional<int64_t> start = find(0);
        ASSERT_TRUE(!start || *start % run == 0) << *start << " " << run;
        for (int64_t i = 1; i < run; ++i)
          ASSERT_EQ(find(i), start ? std::optional(*start + i) : std::nullopt);
      }
}

TEST_P(ConvolutionMaps, RunsLieSideBySide) {
  const Convolution &of = GetParam();
  for (const Contraction &product : {of.forward(), of.dataGradient(), of.filterGradient()}) {
    int64_t rows = 1;
    for (const IndexMap::Digit &digit : product.lhsMap.row)
      rows *= digit.size;
    EXPECT_EQ(rows, product.m);
    checkRun(product.lhsMap, product, product.m);
    checkRun(product.rhsMap, product, product.n);
    IndexMap joined = product.lhsMap;
    joined.joinPixels();
    EXPECT_EQ(findAll(joined, product.batch, product.m, product.k),
              findAll(product.lhsMap, product.batch, product.m, product.k));
    checkRun(joined, product, product.m);
  }
}

TEST_P(ConvolutionMaps, WhatIsCertainIsNeverMissing) {
  const Convolution &of = GetParam();
  for (const Contraction &product : {of.forward(), of.dataGradient(), of.filterGradient()})
    for (const auto &[map, rows] : {std::pair(product.lhsMap, product.m), std::pair(product.rhsMap, product.n)}) {
      bool isCertain = true;
      for (unsigned dimension = 0; dimension < map.dimensions.size(); ++dimension)
        isCertain &= map.isCertain(dimension);
      const std::vector<int64_t> found = findAll(map, product.batch, rows, product.k);
      // Where nothing is missing only gaps of a stride are not seen to be so.
      EXPECT_TRUE(!isCertain || std::find(found.begin(), found.end(), -1) == found.end());
      EXPECT_TRUE(!map.isMatrix() || isCertain);
    }
}

static std::vector<Convolution> convolutions() {
  std::vector<Convolution> all;
  auto add = [&](int64_t images, Window y, Window x, int64_t channels, int64_t filters, int64_t groups) {
    all.push_back({images, {y, x}, channels, filters, groups});
  };
  add(2, window(5, 3, 1, 1, 1, 1), window(6, 3, 1, 1, 1, 1), 4, 3, 1);  // same
  add(1, window(5, 3, 1, 0, 0, 1), window(6, 2, 1, 0, 0, 1), 8, 8, 1);  // valid
  add(2, window(7, 3, 2, 0, 1, 1), window(8, 3, 2, 1, 0, 1), 2, 4, 1);  // strides, padding on one side
  add(2, window(9, 2, 3, 0, 0, 1), window(10, 3, 4, 2, 1, 1), 3, 2, 1); // pixels that no window reads
  add(1, window(9, 3, 1, 2, 2, 2), window(8, 2, 2, 1, 2, 3), 2, 3, 1);  // dilations
  add(2, window(4, 1, 1, 0, 0, 1), window(5, 1, 1, 0, 0, 1), 6, 5, 1);  // a matrix product
  add(2, window(5, 1, 2, 0, 0, 1), window(5, 1, 2, 0, 0, 1), 4, 4, 1);  // and one with gaps
  add(1, window(2, 4, 1, 2, 2, 1), window(3, 5, 1, 2, 3, 1), 1, 2, 1);  // filters larger than the image
  add(2, window(5, 3, 1, 1, 1, 1), window(5, 3, 2, 1, 1, 1), 6, 4, 2);  // groups
  add(1, window(5, 3, 1, 1, 1, 1), window(4, 3, 1, 1, 1, 1), 3, 6, 3);  // depthwise, two filters a channel
  add(3, window(1, 1, 1, 0, 0, 1), window(6, 3, 1, 1, 1, 1), 4, 1, 1);  // one row, one filter
  add(2, window(1, 1, 1, 0, 0, 1), window(1, 1, 1, 0, 0, 1), 1, 1, 1);  // one of everything
  add(1, window(5, 2, 1, 3, 3, 1), window(5, 2, 1, 3, 3, 1), 2, 2, 1);  // windows of padding alone
  add(1, window(9, 3, 2, 1, 2, 2), window(11, 3, 4, 3, 1, 2), 2, 3, 1); // pixels between strides that no tap meets
  add(2, window(8, 4, 3, 2, 0, 2), window(7, 3, 3, 1, 1, 1), 4, 2, 2);  // strides of 3, groups
  add(1, window(2, 5, 3, 4, 4, 1), window(1, 3, 4, 1, 1, 1), 1, 2, 1);  // images smaller than a stride
  return all;
}

INSTANTIATE_TEST_SUITE_P(Grid, ConvolutionMaps, testing::ValuesIn(convolutions()));

TEST(ConvolutionMaps, AFilterOfOnePixelIsAMatrixProduct) {
  const Convolution of = {2, {window(4, 1, 1, 0, 0, 1), window(5, 1, 1, 0, 0, 1)}, 6, 5, 1};
  for (const Contraction &product : {of.forward(), of.dataGradient(), of.filterGradient()}) {
    EXPECT_TRUE(product.lhsMap.isMatrix());
    EXPECT_TRUE(product.rhsMap.isMatrix());
  }
  EXPECT_TRUE(of.forward().lhsMap.isAlongDepth());
  EXPECT_EQ(of.forward().lhsMap.getRun(), 6);
  EXPECT_EQ(of.filterGradient().lhsMap.getRun(), 5);
}

TEST(ConvolutionMaps, FiltersOfAForwardConvolutionAreAMatrix) {
  const Convolution of = {2, {window(4, 3, 2, 1, 1, 1), window(5, 3, 1, 1, 1, 1)}, 8, 5, 1};
  EXPECT_TRUE(of.forward().rhsMap.isMatrix());
  EXPECT_TRUE(of.forward().rhsMap.isAlongDepth());
  EXPECT_EQ(of.forward().rhsMap.getRun(), 72);
  EXPECT_EQ(of.forward().lhsMap.getRun(), 8);
  EXPECT_FALSE(of.forward().lhsMap.isMatrix());
  EXPECT_TRUE(of.filterGradient().lhsMap.isMatrix());
  EXPECT_FALSE(of.dataGradient().rhsMap.isMatrix());
  EXPECT_EQ(of.dataGradient().rhsMap.getRun(), 8);
}

// Without padding a row of pixels under the filter is one run.
TEST(ConvolutionMaps, ARowOfTheFilterIsARunWhereNothingIsMissing) {
  const Convolution of = {1, {window(5, 3, 1, 1, 1, 1), window(6, 3, 2, 0, 0, 1)}, 8, 4, 1};
  EXPECT_TRUE(of.forward().lhsMap.isAlongDepth());
  EXPECT_EQ(of.forward().lhsMap.getRun(), 8);
  EXPECT_EQ(of.forward().lhsMap.depth.size(), 2u);
}

TEST(ConvolutionMaps, ARowOfTheFilterIsOneDigitOfJoinedPixels) {
  const Convolution of = {1, {window(5, 3, 1, 1, 1, 1), window(6, 3, 1, 1, 1, 1)}, 8, 4, 1};
  for (const auto &[map, size] : {std::pair(of.forward().lhsMap, 24), std::pair(of.dataGradient().lhsMap, 12)}) {
    IndexMap joined = map;
    joined.joinPixels();
    EXPECT_EQ(joined.depth.back().size, size);
    EXPECT_EQ(joined.getRun(), map.getRun());
  }
  Convolution dilated = of;
  dilated.windows[1] = window(6, 3, 1, 2, 2, 2);
  IndexMap apart = dilated.forward().lhsMap;
  apart.joinPixels();
  EXPECT_EQ(apart.depth.back().size, 8);
}

TEST(ConvolutionMaps, AGroupIsABatchBesideTheOthers) {
  const Convolution of = {2, {window(5, 3, 1, 1, 1, 1), window(5, 3, 1, 1, 1, 1)}, 6, 4, 2};
  EXPECT_EQ(of.forward().batch, 2);
  EXPECT_TRUE(of.forward().sharesRows);
  EXPECT_EQ(of.forward().n, 2);
  EXPECT_EQ(of.forward().lhsMap.getRun(), 3);
  EXPECT_EQ(of.forward().lhsMap.find(1, 0, 4 * 3), 3); // the middle tap of the second group
  EXPECT_FALSE(of.filterGradient().sharesRows);
}
