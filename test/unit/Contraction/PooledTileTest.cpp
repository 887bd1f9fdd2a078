// Convolutions of a GPU that pool what a warp has made: the bits of a pooling of what lies in memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Contraction/SimulatedKernel.h"

#include "mp/Numerics/Float.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <ostream>
#include <random>

using namespace mp;
using namespace mp::test;

namespace {

/// A convolution with a residual, a relu and a pooling behind it, its sizes with "x" behind each.
struct PooledConv {
  const char *name, *chip, *type;
  const char *image, *filter, *conv, *result;
  const char *windows; ///< of the convolution
  const char *pool;    ///< "mp.max_pool", with its windows as the op has them
  const char *schedule;
  const char *acc = "f32";

  std::string pooling() const { return std::string(pool).substr(0, std::string(pool).find(' ')); }
  bool hasIndices() const { return pooling() == "mp.max_pool_with_indices"; }
  std::string tensor(const char *sizes) const { return std::string("tensor<") + sizes + type + ">"; }
  std::string results() const {
    return tensor(result) + (hasIndices() ? ", tensor<" + std::string(result) + "ui8>" : "");
  }
  /// The pooling of `%y`, and a map behind it.
  std::string poolText() const {
    const std::string text = pool, to = tensor(result), values = hasIndices() ? "%p, %i" : "%p";
    return values + " = " + pooling() + text.substr(text.find(' ')) + " : " + tensor(conv) + " -> " + results() +
           "\n %n = mp.neg %p : " + to + "\n mp.yield %n" + (hasIndices() ? ", %i" : "") + " : " + results() + "\n";
  }
  std::string convText() const {
    const std::string to = tensor(conv);
    return "%c = mp.conv %a, %b acc " + std::string(acc) + " " + windows + " : " + tensor(image) + ", " +
           tensor(filter) + " -> " + to + "\n %s = mp.add %c, %r : " + to + ", " + to + " -> " + to +
           "\n %y = mp.relu %s : " + to + "\n";
  }
  std::string mma() const { return "mma<" + std::string(schedule) + ">"; }
  std::string ofConv(const std::string &results, int64_t count, const std::string &body) const {
    return kernel({tensor(image), tensor(filter), tensor(conv)}, "%a = %x0, %b = %x1, %r = %x2", results, count, mma(),
                  body);
  }
  std::string ofPool() const {
    return kernel({tensor(conv)}, "%y = %x0", results(), hasIndices() ? 2 : 1,
                  "map<block = 1024, vector = 4, threads = 256>", poolText());
  }
  static std::string kernel(const std::vector<std::string> &inputs, const std::string &bindings,
                            const std::string &results, int64_t count, const std::string &schedule,
                            const std::string &body) {
    std::string arguments, types;
    for (size_t i = 0; i < inputs.size(); ++i) {
      arguments += (i ? ", %x" : "%x") + std::to_string(i) + ": " + inputs[i];
      types += (i ? ", " : "") + inputs[i];
    }
    return "func.func @f(" + arguments + ") {\n %z:" + std::to_string(count) + " = mp.kernel \"k\" (" + bindings +
           ") schedule(#mp." + schedule + ") : (" + types + ") -> (" + results + ") {\n" + body + " }\n return\n}\n";
  }
};

std::ostream &operator<<(std::ostream &out, const PooledConv &p) {
  return out << p.name << ", " << p.chip << " " << p.type << " <" << p.schedule << ">";
}

int64_t elementsOf(const std::string &sizes) {
  int64_t count = 1;
  for (size_t at = 0; at < sizes.size(); at = sizes.find('x', at) + 1)
    count *= std::stoll(sizes.substr(at));
  return count;
}

/// A few values, so that many windows have several winners, and one that is no number.
Bytes fill(const PooledConv &p, const char *sizes, unsigned seed, bool hasNaN) {
  const FloatFormat format = p.type == std::string("f16") ? kF16 : p.type == std::string("bf16") ? kBF16 : kF32;
  const size_t size = static_cast<size_t>(1 + format.exponentBits + format.fractionBits) / 8;
  const int64_t count = elementsOf(sizes);
  std::mt19937 engine(seed);
  std::uniform_int_distribution<int> few(-4, 4);
  Bytes bytes(count * size);
  for (int64_t i = 0; i < count; ++i) {
    const double value = hasNaN && i == count / 2 ? std::numeric_limits<double>::quiet_NaN() : few(engine) / 8.0;
    const uint64_t bits = encode(value, format);
    std::memcpy(bytes.data() + i * size, &bits, size);
  }
  return bytes;
}

class PooledTile : public testing::TestWithParam<PooledConv> {};

} // namespace

TEST_P(PooledTile, hasTheBitsOfAPoolingInMemory) {
  const PooledConv &p = GetParam();
  const int64_t count = p.hasIndices() ? 2 : 1;
  const KernelOnSimulator whole(
      p.ofConv(p.tensor(p.conv), 1, p.convText() + " mp.yield %y : " + p.tensor(p.conv) + "\n"), p.chip);
  const KernelOnSimulator pooled(p.ofPool(), p.chip);
  const KernelOnSimulator both(p.ofConv(p.results(), count, p.convText() + p.poolText()), p.chip,
                               /*reportAccesses=*/true);
  ASSERT_TRUE(whole.ok() && pooled.ok() && both.ok()) << whole.errors << pooled.errors << both.errors;
  const std::vector<Bytes> inputs = {fill(p, p.image, 1, false), fill(p, p.filter, 2, false), fill(p, p.conv, 3, true)};
  const ErrorOr<std::vector<Bytes>> image = whole.run(inputs);
  ASSERT_TRUE(image) << image.status().message();
  const ErrorOr<std::vector<Bytes>> expected = pooled.run(*image);
  ASSERT_TRUE(expected) << expected.status().message();
  SIMTOptions options;
  options.races = options.uninitialized = options.bounds = true;
  for (uint64_t seed : {0, 9}) {
    options.seed = seed;
    const ErrorOr<std::vector<Bytes>> found = both.run(inputs, options);
    ASSERT_TRUE(found) << found.status().message();
    EXPECT_EQ(*expected, *found);
  }
}

static const char *const kMma = "block_m = 64, block_n = 32, block_k = 32, warps_m = 2, warps_n = 1, stages = 3, "
                                "instruction = mma.m16n8k16";
static const char *const kTall = "block_m = 128, block_n = 64, block_k = 32, warps_m = 2, warps_n = 2, stages = 3, "
                                 "instruction = mma.m16n8k16";
static const char *const kIndices = "mp.max_pool_with_indices %y window [2, 2]";

// Rows of whole blocks and not; lines and columns that no window has; columns of two blocks, an odd number of them,
// one; strides; windows of 2 to 16 pixels in one, two and three dimensions; each instruction; sums in f16.
INSTANTIATE_TEST_SUITE_P(
    Contraction, PooledTile,
    testing::Values(
        PooledConv{"whole blocks", "sm_80", "f16", "2x10x18x16x", "32x3x3x16x", "2x8x16x32x", "2x4x8x32x", "", kIndices,
                   kMma},
        PooledConv{"no window", "sm_80", "bf16", "3x15x15x32x", "64x3x3x32x", "3x13x13x64x", "3x6x6x64x", "", kIndices,
                   kTall},
        PooledConv{"two blocks of columns", "sm_80", "bf16", "2x8x9x8x", "40x3x3x8x", "2x6x7x40x", "2x3x3x40x", "",
                   kIndices, kMma},
        PooledConv{"odd columns", "sm_80", "f16", "2x7x7x8x", "7x3x3x8x", "2x5x5x7x", "2x2x2x7x", "", kIndices, kMma},
        PooledConv{"one channel", "sm_80", "f16", "2x8x8x3x", "1x3x3x3x", "2x6x6x1x", "2x3x3x1x", "", kIndices, kMma},
        PooledConv{"strides and padding", "sm_80", "bf16", "2x16x16x16x", "24x3x3x16x", "2x8x8x24x", "2x4x4x24x",
                   "{strides = [2, 2], padding = same}", "mp.max_pool %y {window = [2, 2]}", kMma},
        PooledConv{"one dimension", "sm_80", "f16", "3x18x16x", "16x3x16x", "3x16x16x", "3x8x16x", "",
                   "mp.max_pool_with_indices %y window [2]", kMma},
        PooledConv{"three dimensions", "sm_80", "bf16", "2x6x7x6x8x", "16x3x3x3x8x", "2x4x5x4x16x", "2x2x2x2x16x", "",
                   "mp.max_pool_with_indices %y window [2, 2, 2]", kMma},
        PooledConv{"sixteen pixels", "sm_80", "f16", "2x10x10x8x", "32x3x3x8x", "2x8x8x32x", "2x2x2x32x", "",
                   "mp.max_pool_with_indices %y window [4, 4]", kMma},
        PooledConv{"sums in f16", "sm_80", "f16", "2x10x10x16x", "32x3x3x16x", "2x8x8x32x", "2x4x4x32x", "", kIndices,
                   kTall, "f16"},
        PooledConv{"tf32", "sm_80", "f32", "2x10x10x16x", "32x3x3x16x", "2x8x8x32x", "2x4x4x32x", "", kIndices,
                   "block_m = 64, block_n = 32, block_k = 16, warps_m = 2, warps_n = 1, stages = 3, "
                   "instruction = mma.m16n8k8.tf32"},
        PooledConv{"sm_75", "sm_75", "f16", "2x9x9x16x", "24x3x3x16x", "2x7x7x24x", "2x3x3x24x", "", kIndices,
                   "block_m = 64, block_n = 32, block_k = 32, warps_m = 2, warps_n = 1, stages = 2, "
                   "instruction = mma.m16n8k8"},
        PooledConv{"sm_70", "sm_70", "f16", "2x9x9x16x", "24x3x3x16x", "2x7x7x24x", "2x3x3x24x", "", kIndices,
                   "block_m = 64, block_n = 32, block_k = 32, warps_m = 2, warps_n = 1, stages = 2, "
                   "instruction = wmma.m16n16k16"},
        PooledConv{"plain arithmetic", "sm_70", "f32", "2x9x9x5x", "12x3x3x5x", "2x7x7x12x", "2x3x3x12x", "", kIndices,
                   "block_m = 32, block_n = 32, block_k = 16, warps_m = 2, warps_n = 1, stages = 2, "
                   "instruction = fma"}));

static const std::string kLieApart = "pools a product whose rows do not lie by its windows in a warp";

// Windows that overlap or have pixels that no 16 rows are multiples of, sums of windows, rows that do not say which
// pixels they are, values that no sum holds.
TEST(PooledTileOf, othersIsAnError) {
  const PooledConv cases[] = {
      {"overlapping", "sm_80", "f16", "2x9x9x8x", "32x3x3x8x", "2x7x7x32x", "2x6x6x32x", "",
       "mp.max_pool %y {window = [2, 2], strides = [1, 1]}", kMma},
      {"nine pixels", "sm_80", "f16", "2x8x8x8x", "32x3x3x8x", "2x6x6x32x", "2x2x2x32x", "",
       "mp.max_pool_with_indices %y window [3, 3]", kMma},
      {"means", "sm_80", "f16", "2x8x8x8x", "32x3x3x8x", "2x6x6x32x", "2x3x3x32x", "",
       "mp.avg_pool %y {window = [2, 2]}", kMma},
      {"a matrix", "sm_80", "f16", "2x8x8x16x", "32x1x1x16x", "2x8x8x32x", "2x4x4x32x", "", kIndices, kMma},
  };
  for (const PooledConv &p : cases) {
    const KernelOnSimulator kernel(p.ofConv(p.results(), p.hasIndices() ? 2 : 1, p.convText() + p.poolText()), p.chip);
    EXPECT_FALSE(kernel.ok()) << p.name;
    EXPECT_NE(kernel.errors.find(kLieApart), std::string::npos) << p.name << kernel.errors;
  }
}

// Of f32 sums in f64, of f16 sums in f32.
TEST(PooledTileOf, valuesThatNoSumHoldsIsAnError) {
  for (auto [acc, type] : {std::pair("f32", "f64"), std::pair("f16", "f32")}) {
    PooledConv p = {"",          "sm_80", "f16",         "2x8x8x8x", "32x3x3x8x", "2x6x6x32x",
                    "2x3x3x32x", "",      "mp.max_pool", kMma,       acc};
    const std::string made = p.tensor(p.conv);
    p.type = type;
    const std::string image = p.tensor(p.conv), pooled = p.tensor(p.result);
    p.type = "f16";
    const KernelOnSimulator kernel(p.ofConv(pooled, 1,
                                            p.convText() + "%d = mp.cast %y : " + made + " -> " + image +
                                                "\n %p = mp.max_pool %d {window = [2, 2]} : " + image + " -> " +
                                                pooled + "\n mp.yield %p : " + pooled + "\n"),
                                   p.chip);
    EXPECT_FALSE(kernel.ok()) << type;
    EXPECT_NE(kernel.errors.find(kLieApart), std::string::npos) << kernel.errors;
  }
}
