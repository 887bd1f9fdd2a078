// Matrix products whose operands are split into bf16, against loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Parts.h"
#include "AMX/TileUnit.h"
#include "Codegen/KernelRunner.h"
#include "Codegen/Values.h"

#include "mp/Numerics/ErrorBounds.h"
#include "mp/Numerics/Float.h"
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

using namespace mp;
using namespace mp::test;

namespace {

/// One product, its text and its sizes; sums are its result.
struct SplitProduct {
  int64_t m, n, k;
  std::string blocks = "block_m = 32, block_n = 32, block_k = 64, tile_m = 32, tile_n = 32";
  bool transposeLhs = false, transposeRhs = false;
  int64_t batch = 1;

  std::string shape(int64_t rows, int64_t columns, const char *type) const {
    return "tensor<" + std::to_string(batch) + "x" + std::to_string(rows) + "x" + std::to_string(columns) + "x" + type +
           ">";
  }
  std::string text(const char *type, int products) const {
    const std::string lhs = transposeLhs ? shape(k, m, type) : shape(m, k, type),
                      rhs = transposeRhs ? shape(n, k, type) : shape(k, n, type), result = shape(m, n, "f32");
    return "func.func @f(%a: " + lhs + ", %b: " + rhs + ") -> " + result +
           " {\n %z = mp.kernel \"k\" (%x = %a, %y = %b) schedule(#mp.contraction<" + blocks +
           ", vector = 16, instruction = amx, products = " + std::to_string(products) + ">) : (" + lhs + ", " + rhs +
           ") -> " + result + " {\n %0 = mp.matmul %x, %y" + (transposeLhs ? " transpose_lhs" : "") +
           (transposeRhs ? " transpose_rhs" : "") + " acc f32 : " + lhs + ", " + rhs + " -> " + shape(m, n, type) +
           (std::string_view(type) == "f32"
                ? "\n mp.yield %0 : "
                : "\n %1 = mp.cast %0 : " + shape(m, n, type) + " -> " + result + "\n mp.yield %1 : ") +
           result + "\n }\n return %z : " + result + "\n}\n";
  }
  size_t lhsAt(int64_t p, int64_t i, int64_t l) const { return p * m * k + (transposeLhs ? l * m + i : i * k + l); }
  size_t rhsAt(int64_t p, int64_t l, int64_t j) const { return p * k * n + (transposeRhs ? j * k + l : l * n + j); }
};

std::ostream &operator<<(std::ostream &out, const SplitProduct &p) { return out << p.text("f32", 6); }

/// A type and the products that its elements' parts have.
struct Splitting {
  const char *type;
  int products;

  bool isF16() const { return std::string_view(type) == "f16"; }
  int parts() const { return products == 3 ? 2 : 3; }
  float stored(float value) const { return isF16() ? decodeF16(encodeF16(value)) : value; }
  Buffer bufferOf(const std::vector<float> &values) const {
    return isF16() ? Buffer::of(encoded(values, encodeF16)) : Buffer::of(values);
  }
  /// What the products that are left out come to, of the product of two elements, at most.
  double leftOut() const {
    if (isF16())
      return 0x1p-16;
    return products == 3 ? 0x1.02p-15 : products == 6 ? 0x1.02p-24 : 0;
  }
};

constexpr Splitting kSplittings[] = {{"f16", 3}, {"f32", 3}, {"f32", 6}, {"f32", 9}};

std::ostream &operator<<(std::ostream &out, const Splitting &s) { return out << s.type << " x" << s.products; }

/// The numbers of parts that are multiplied, in order.
const std::map<int, std::vector<std::pair<int, int>>> kOrder = {
    {3, {{1, 0}, {0, 1}, {0, 0}}},
    {6, {{2, 0}, {0, 2}, {1, 1}, {1, 0}, {0, 1}, {0, 0}}},
    {9, {{2, 2}, {1, 2}, {2, 1}, {2, 0}, {0, 2}, {1, 1}, {1, 0}, {0, 1}, {0, 0}}}};

class SplitContraction : public testing::TestWithParam<SplitProduct> {};

bool isSlow() { return hostLevel().vectorBits < 256; }
constexpr const char *kOneTile = "block_m = 16, block_n = 32, block_k = 64, tile_m = 16, tile_n = 16";
constexpr const char *kSlow = "tiles in vectors of four lanes take minutes to compile";

} // namespace

/// A product that was compiled, and what it gives.
class SplitRunner {
public:
  SplitRunner(const SplitProduct &p, const Splitting &s, const CPULevel &level = hostLevel())
      : p(p), s(s), kernel(p.text(s.type, s.products), level) {
    EXPECT_TRUE(kernel.ok()) << kernel.errors;
  }
  /// As many values as the result has, or none where it was not compiled.
  std::vector<float> run(const std::vector<float> &a, const std::vector<float> &b) const {
    return kernel.ok() ? kernel.run({s.bufferOf(a), s.bufferOf(b)}, true)[0].as<float>() : std::vector<float>();
  }
  void checkBounds(std::vector<float> a, std::vector<float> b) const;

  const SplitProduct p;
  const Splitting s;

private:
  KernelRunner kernel;
};

/// Over each 32 of k one product of parts after the other is added as a tile adds it: two sums, of even and of odd k,
/// and their sum on top.
static void checkBits(const SplitProduct &p, const Splitting &s, const CPULevel &level) {
  const auto a = randomFloats(p.batch * p.m * p.k, 1), b = randomFloats(p.batch * p.k * p.n, 2);
  const auto z = SplitRunner(p, s, level).run(a, b);
  ASSERT_EQ(z.size(), static_cast<size_t>(p.batch * p.m * p.n));
  auto split = [&](const std::vector<float> &values) {
    std::vector<std::vector<float>> parts;
    for (float value : values)
      parts.push_back(partsOf(s.stored(value), s.parts()));
    return parts;
  };
  const auto lhs = split(a), rhs = split(b);
  for (int64_t q = 0; q < p.batch; ++q)
    for (int64_t i = 0; i < p.m; ++i)
      for (int64_t j = 0; j < p.n; ++j) {
        float sum = 0;
        for (int64_t first = 0; first < p.k; first += 32)
          for (auto [left, right] : kOrder.at(s.products)) {
            float halves[2] = {};
            for (int64_t l = first; l < std::min(first + 32, p.k); ++l)
              halves[l % 2] = std::fma(lhs[p.lhsAt(q, i, l)][left], rhs[p.rhsAt(q, l, j)][right], halves[l % 2]);
            sum += halves[0] + halves[1];
          }
        ASSERT_EQ(z[(q * p.m + i) * p.n + j], s.stored(sum)) << s << " " << q << " " << i << " " << j;
      }
}

TEST_P(SplitContraction, AddsPartsFromTheSmallest) {
  if (isSlow())
    GTEST_SKIP() << kSlow;
  for (const Splitting &s : kSplittings)
    checkBits(GetParam(), s, hostVectorLevel());
}

TEST_P(SplitContraction, AddsOnTheUnit) {
  const CPULevel &level = *findCPULevel("amx-bf16");
  const TileUnit unit(level);
  if (!unit.isThere())
    GTEST_SKIP() << "this processor has other instructions of " << level.name << " not";
  for (const Splitting &s : kSplittings)
    checkBits(GetParam(), s, level);
}

// Tails of all sizes, operands either way round, several batches, k in one chunk and in several: the blocks change no
// bit, since every one of them gives those of the loops.
INSTANTIATE_TEST_SUITE_P(
    Shapes, SplitContraction,
    testing::Values(
        SplitProduct{32, 32, 64}, SplitProduct{1, 1, 1},
        SplitProduct{37, 35, 75, "block_m = 32, block_n = 32, block_k = 32, tile_m = 32, tile_n = 32"},
        SplitProduct{37, 35, 75, "block_m = 16, block_n = 64, block_k = 96, tile_m = 16, tile_n = 16", true},
        SplitProduct{37, 35, 75, "block_m = 32, block_n = 32, block_k = 64, tile_m = 16, tile_n = 32", false, true},
        SplitProduct{41, 33, 99, "block_m = 42, block_n = 32, block_k = 32, tile_m = 21, tile_n = 16", true, true, 2},
        SplitProduct{13, 48, 64, "block_m = 13, block_n = 48, block_k = 64, tile_m = 13, tile_n = 48", false, true,
                     3}));

/// Checks each result against exact sums within what numerics.md says.
void SplitRunner::checkBounds(std::vector<float> a, std::vector<float> b) const {
  for (std::vector<float> *values : {&a, &b})
    for (float &value : *values)
      value = s.stored(value);
  const auto z = run(a, b);
  ASSERT_EQ(z.size(), static_cast<size_t>(p.m * p.n));
  const double u = 0x1p-24;
  for (int64_t i = 0; i < p.m; ++i)
    for (int64_t j = 0; j < p.n; ++j) {
      long double sum = 0;
      double magnitudes = 0, operands = 0;
      for (int64_t l = 0; l < p.k; ++l) {
        const double x = a[p.lhsAt(0, i, l)], y = b[p.rhsAt(0, l, j)];
        sum += x * y;
        magnitudes += std::fabs(x * y);
        operands += std::fabs(x) + std::fabs(y);
      }
      // Of one product each part is exact, and all but the last addition are of small numbers.
      const double roundings = p.k == 1 ? 1 : 18 + s.products * std::ceil(static_cast<double>(p.k) / 32);
      double bound = (roundings * u * (1 + 0x1p-6) + s.leftOut()) * magnitudes + 0x1p-125 * operands;
      const auto exact = static_cast<double>(sum);
      if (s.isF16())
        bound += 0.5 * ulp(std::fabs(exact) + bound, kF16);
      const double error = std::fabs(z[i * p.n + j] - exact);
      ASSERT_LE(error, bound) << s << " " << i << " " << j << " " << exact;
      // With so many products a sum of f32 by f32 may err more.
      if (!s.isF16() && s.products >= 6 && p.k >= 32) {
        ASSERT_LE(error, contractionBound(p.k, magnitudes, exact, kF32, kF32)) << s << " " << i << " " << j;
      }
    }
}

/// Numbers that splitting could lose: all bits set, alternating bits, ties of either rounding, and the ends of types.
static std::vector<float> nastyFloats(size_t count, uint32_t seed, bool isF16) {
  const auto signs = randomFloats(count, seed), scales = randomFloats(count, seed + 1, isF16 ? 1 : 4);
  constexpr uint32_t kFractions[] = {0x7fffff, 0x2aaaaa, 0x555555, 0x008000, 0x018000, 0x007fff, 0x008001,
                                     0x7f8000, 0x7f7f80, 0x00807f, 0x008080, 0x7e8080, 0x000001, 0x404040};
  std::vector<float> values;
  for (size_t i = 0; i < count; ++i) {
    uint32_t fraction = kFractions[i % std::size(kFractions)];
    if (isF16) // the same in the bits that it has
      fraction = ((fraction >> 13) ^ fraction) << 13 & 0x7fffff;
    const float significand = std::bit_cast<float>(0x3f800000 | fraction);
    values.push_back(std::copysign(std::ldexp(significand, static_cast<int>(scales[i])), signs[i]));
  }
  return values;
}

TEST(SplitContraction, StaysWithinItsBound) {
  if (isSlow())
    GTEST_SKIP() << kSlow;
  for (const Splitting &s : kSplittings) {
    const bool isF16 = s.isF16();
    // A sum of one product shows each of its parts.
    const SplitRunner one({16, 42, 1, kOneTile}, s);
    one.checkBounds(randomFloats(16, 1), randomFloats(42, 2));
    one.checkBounds(nastyFloats(16, 3, isF16), nastyFloats(42, 4, isF16));
    for (int64_t k : {32, 70}) {
      const SplitProduct p{32, 32, k, kOneTile};
      const SplitRunner runner(p, s);
      runner.checkBounds(randomFloats(32 * k, 5), randomFloats(32 * k, 6));
      runner.checkBounds(nastyFloats(32 * k, 7, isF16), nastyFloats(32 * k, 8, isF16));
      // Every two products cancel, but for the last place.
      auto a = nastyFloats(32 * k, 9, isF16), b = nastyFloats(32 * k, 10, isF16);
      for (int64_t i = 0; i < 32; ++i)
        for (int64_t l = 0; l < k; l += 2) {
          const float value = a[p.lhsAt(0, i, l)];
          a[p.lhsAt(0, i, l + 1)] = isF16 ? value * (1 + 0x1p-10f) : std::nextafter(value, 1e9f);
          b[p.rhsAt(0, l + 1, i)] = -b[p.rhsAt(0, l, i)];
        }
      runner.checkBounds(a, b);
      // What is subnormal, or the largest, in the type, beside what keeps products in range.
      for (size_t at = 0; at + 1 < a.size(); at += 3) {
        a[at] = std::ldexp(a[at], isF16 ? -20 : -130);
        a[at + 1] = isF16 ? 65504.0f : 0x1.fffffep100f;
      }
      if (isF16)
        std::ranges::for_each(b, [](float &value) { value = std::ldexp(value, -12); });
      runner.checkBounds(a, b);
    }
  }
}

// Infinities and NaN are those of a sum of products, whatever the parts of what they are multiplied with; in a first
// chunk of k, in a later one, and in two.
TEST(SplitContraction, HasTheInfinitiesOfTheProduct) {
  if (isSlow())
    GTEST_SKIP() << kSlow;
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (const char *blocks : {"block_m = 32, block_n = 16, block_k = 32, tile_m = 16, tile_n = 16",
                             "block_m = 16, block_n = 16, block_k = 96, tile_m = 16, tile_n = 16"}) {
    const SplitProduct p{20, 20, 80, blocks};
    for (const Splitting &s : kSplittings) {
      auto a = nastyFloats(20 * 80, 1, s.isF16()), b = nastyFloats(20 * 80, 2, s.isF16());
      auto setLhs = [&](int64_t i, int64_t l, float value) { a[p.lhsAt(0, i, l)] = value; };
      auto setRhs = [&](int64_t l, int64_t j, float value) { b[p.rhsAt(0, l, j)] = value; };
      setLhs(1, 0, inf), setLhs(2, 40, -inf), setLhs(3, 79, inf), setLhs(4, 5, nan);
      setLhs(5, 3, inf), setLhs(5, 77, inf), setLhs(6, 3, inf), setLhs(6, 77, -inf);
      setRhs(9, 1, inf), setRhs(41, 2, -inf), setRhs(70, 3, nan), setRhs(0, 4, 1), setRhs(40, 4, 0);
      setLhs(7, 9, 0), setLhs(8, 9, 1), setLhs(9, 41, inf);
      // A NaN whose upper bits alone are an infinity's.
      setLhs(10, 2, std::bit_cast<float>(0x7f800001));
      for (std::vector<float> *values : {&a, &b})
        std::ranges::transform(*values, values->begin(), [&](float value) { return s.stored(value); });
      const auto z = SplitRunner(p, s).run(a, b);
      ASSERT_EQ(z.size(), 400u);
      for (int64_t i = 0; i < 20; ++i)
        for (int64_t j = 0; j < 20; ++j) {
          float sum = 0;
          for (int64_t l = 0; l < 80; ++l)
            sum += a[p.lhsAt(0, i, l)] * b[p.rhsAt(0, l, j)];
          const float found = z[i * 20 + j];
          EXPECT_EQ(std::isnan(found), std::isnan(sum)) << s << " " << i << " " << j;
          EXPECT_EQ(std::isfinite(found), std::isfinite(sum)) << s << " " << i << " " << j;
          if (std::isinf(sum)) {
            EXPECT_EQ(found, sum) << s << " " << i << " " << j;
          }
        }
    }
  }
}

// The largest f32 are nearer to infinity than to a bf16; their parts are not infinite. x3 has 16 bits, which round
// them to infinity.
TEST(SplitContraction, KeepsTheLargestNumbers) {
  if (isSlow())
    GTEST_SKIP() << kSlow;
  const float largest = std::numeric_limits<float>::max();
  std::vector<float> a = {largest, -largest, 0x1.fffp127f, 0x1.ffp127f, 0x1.fep127f};
  for (int products : {6, 9}) {
    const auto z = SplitRunner({5, 1, 1, kOneTile}, {"f32", products}).run(a, {1.0f});
    EXPECT_EQ(z, a) << products;
  }
  const auto rounded = SplitRunner({1, 1, 1, kOneTile}, {"f32", 3}).run({largest}, {1.0f});
  EXPECT_EQ(rounded, (std::vector<float>{std::numeric_limits<float>::infinity()}));
}

static size_t countOf(std::string_view text, std::string_view what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1))
    ++count;
  return count;
}

// All products of 32 of k are one loop without stores; a part of lhs that two of them have is loaded once.
TEST(SplitContraction, MultipliesPartsInRegisters) {
  for (const Splitting &s : kSplittings)
    for (auto [rows, columns] : {std::pair(32, 32), std::pair(16, 64), std::pair(64, 16)}) {
      const std::string tileM = std::to_string(rows), tileN = std::to_string(columns);
      const SplitProduct p{74, 192, 96,
                           "block_m = " + tileM + ", block_n = " + tileN + ", block_k = 64, tile_m = " + tileM +
                               ", tile_n = " + tileN,
                           true};
      KernelRunner kernel(p.text(s.type, s.products), *findCPULevel("amx-bf16"), /*keepText=*/true);
      ASSERT_TRUE(kernel.ok()) << kernel.errors;
      const std::string &assembly = kernel.code->assembly;
      EXPECT_EQ(countOf(assembly, "\tldtilecfg"), 1u);
      const size_t rowTiles = rows / 16, columnTiles = columns / 16, tiles = rowTiles * columnTiles;
      // A part of lhs that the product before has had stays where registers have room.
      const size_t keptLoads = s.products == 3 ? 2 : s.products == 6 ? 4 : 6;
      const size_t lhsLoads = rows == 64 ? s.products : keptLoads;
      size_t loops = 0;
      for (size_t from = 0, to = 0; to != assembly.npos; from = to + 1) {
        to = assembly.find("\n.LBB", from);
        std::string_view block = std::string_view(assembly).substr(from, to - from);
        block = block.substr(0, block.find("\n\tj")); // up to the branch back
        const size_t found = countOf(block, "tdpbf16ps");
        EXPECT_EQ(countOf(block, "tdpfp16ps"), 0u);
        if (found == 0)
          continue;
        EXPECT_EQ(countOf(block, "tilestored") + countOf(block, "tilezero"), 0u) << block;
        if (found == tiles) { // the largest parts alone, where a sum is NaN
          EXPECT_EQ(countOf(block, "tileloadd"), rowTiles + columnTiles) << block;
          continue;
        }
        ++loops;
        EXPECT_EQ(found, s.products * tiles) << s;
        EXPECT_EQ(countOf(block, "tileloadd"), lhsLoads * rowTiles + s.products * columnTiles) << s;
      }
      EXPECT_GE(loops, 1u) << s;
    }
}

TEST(SplitContraction, RefusesWhatHasNoSuchParts) {
  for (auto [type, products, found] :
       {std::tuple("bf16", 3, "'bf16'"), std::tuple("f16", 6, "'f16'"), std::tuple("f16", 9, "'f16'")}) {
    KernelRunner kernel(SplitProduct{32, 32, 32}.text(type, products));
    EXPECT_FALSE(kernel.ok());
    const std::string expected = std::string("multiplies ") + found + " with sums in 'f32', which amx does not in " +
                                 std::to_string(products) + " products of parts";
    EXPECT_NE(kernel.errors.find(expected), std::string::npos) << kernel.errors;
  }
}
