// Sums that a GPU finishes: rounded once, behind the bias, and what follows is made of that.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Contraction/SimulatedKernel.h"

#include "mp/Numerics/Float.h"

#include <gtest/gtest.h>

#include <cstring>
#include <ostream>

using namespace mp;
using namespace mp::test;

namespace {

struct FinishedSums {
  const char *chip, *type;
  int64_t m, n;
  const char *tile; ///< block and warps

  bool isF16() const { return type == std::string("f16"); }
  FloatFormat format() const { return isF16() ? kF16 : kBF16; }
  /// The next number is two more.
  int64_t large() const { return isF16() ? 2048 : 256; }
  std::string tensor(const std::vector<int64_t> &sizes) const {
    std::string text = "tensor<";
    for (int64_t size : sizes)
      text += std::to_string(size) + "x";
    return text + type + ">";
  }
  std::string text() const {
    const std::string a = tensor({m, kDepth}), b = tensor({kDepth, n}), w = tensor({n}), to = tensor({m, n});
    const std::string inputs = a + ", " + b + ", " + w + ", " + to;
    const std::string instruction = chip == std::string("sm_75") ? "mma.m16n8k8" : "mma.m16n8k16";
    return "func.func @f(%x0: " + a + ", %x1: " + b + ", %x2: " + w + ", %x3: " + to +
           ") {\n %z = mp.kernel \"k\" (%a = %x0, %b = %x1, %w = %x2, %r = %x3) schedule(#mp.mma<" + tile +
           ", block_k = 32, stages = 2, instruction = " + instruction + ">) : (" + inputs + ") -> (" + to +
           ") {\n %c = mp.matmul %a, %b bias %w : " + w + " acc f32 : " + a + ", " + b + " -> " + to +
           "\n %s = mp.add %c, %r : " + to + ", " + to + " -> " + to + "\n mp.yield %s : " + to + "\n }\n return\n}\n";
  }
  Bytes fill(int64_t count, llvm::function_ref<int64_t(int64_t)> value) const {
    Bytes bytes(count * 2);
    for (int64_t i = 0; i < count; ++i) {
      const uint64_t bits = encode(static_cast<double>(value(i)), format());
      std::memcpy(bytes.data() + i * 2, &bits, 2);
    }
    return bytes;
  }

  static constexpr int64_t kDepth = 40;
};

std::ostream &operator<<(std::ostream &out, const FinishedSums &p) {
  return out << p.chip << " " << p.type << " " << p.m << "x" << p.n << " <" << p.tile << ">";
}

class FinishedSumsTest : public testing::TestWithParam<FinishedSums> {};

} // namespace

// large + 1 or large + 3, which are no numbers of the type, less a bias that leaves little.
TEST_P(FinishedSumsTest, areRoundedOnce) {
  const FinishedSums &p = GetParam();
  const KernelOnSimulator kernel(p.text(), p.chip, /*reportAccesses=*/true);
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  const std::vector<Bytes> inputs = {p.fill(p.m * p.kDepth,
                                            [&](int64_t i) {
                                              const int64_t row = i / p.kDepth, k = i % p.kDepth;
                                              return k == 7 ? p.large() : k == 33 ? 1 + 2 * (row % 2) : 0;
                                            }),
                                     p.fill(p.kDepth * p.n, [](int64_t) { return 1; }),
                                     p.fill(p.n, [&](int64_t j) { return j % 13 - p.large(); }),
                                     p.fill(p.m * p.n, [&](int64_t i) { return 16 * (i / p.n % 5); })};
  const Bytes expected =
      p.fill(p.m * p.n, [&](int64_t i) { return 1 + 2 * (i / p.n % 2) + i % p.n % 13 + 16 * (i / p.n % 5); });
  SIMTOptions options;
  options.races = options.uninitialized = options.bounds = true;
  for (uint64_t seed : {0, 9}) {
    options.seed = seed;
    const ErrorOr<std::vector<Bytes>> found = kernel.run(inputs, options);
    ASSERT_TRUE(found) << found.status().message();
    EXPECT_EQ(expected, found->front());
  }
}

static const char *const kSquare = "block_m = 64, block_n = 64, warps_m = 2, warps_n = 2";
static const char *const kWide = "block_m = 32, block_n = 128, warps_m = 2, warps_n = 1";
static const char *const kSmall = "block_m = 64, block_n = 32, warps_m = 4, warps_n = 2";
static const char *const kTall = "block_m = 128, block_n = 32, warps_m = 2, warps_n = 2";

// Whole blocks; rows beyond the last, and columns, where the bias has none; rows of an odd length; one warp of all
// columns, warps of 16, and those with one vector for each lane.
INSTANTIATE_TEST_SUITE_P(
    Contraction, FinishedSumsTest,
    testing::Values(FinishedSums{"sm_80", "f16", 128, 128, kSquare}, FinishedSums{"sm_80", "bf16", 128, 128, kSquare},
                    FinishedSums{"sm_75", "f16", 64, 128, kWide}, FinishedSums{"sm_80", "bf16", 96, 256, kWide},
                    FinishedSums{"sm_90", "f16", 256, 64, kTall}, FinishedSums{"sm_80", "f16", 100, 64, kSquare},
                    FinishedSums{"sm_80", "bf16", 64, 72, kSquare}, FinishedSums{"sm_80", "f16", 64, 64, kSmall},
                    FinishedSums{"sm_75", "f16", 70, 67, kTall}));
