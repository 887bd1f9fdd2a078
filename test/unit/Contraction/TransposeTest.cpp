// Maps that transpose matrices, on the simulated device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Contraction/SimulatedKernel.h"

#include "mp/Numerics/Float.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

using namespace mp;
using namespace mp::test;

namespace {

/// One transpose, and nothing else.
struct Transpose {
  std::vector<int64_t> shape, permutation;
  std::string type;
  size_t bytes; ///< of an element
  int64_t vector, threads = 256;
  std::string chip = "sm_80";

  std::vector<int64_t> resultShape() const {
    std::vector<int64_t> result;
    for (int64_t from : permutation)
      result.push_back(shape[from]);
    return result;
  }
};

std::string tensor(const std::vector<int64_t> &shape, const std::string &type) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + type + ">";
}

std::string textOf(const Transpose &t) {
  const std::string from = tensor(t.shape, t.type), to = tensor(t.resultShape(), t.type);
  std::string permutation;
  for (int64_t each : t.permutation)
    permutation += (permutation.empty() ? "" : ", ") + std::to_string(each);
  const int64_t tile = 32 * t.vector;
  return "func.func @f(%a: " + from +
         ") {\n%z = mp.kernel \"transpose\" (%x = %a) schedule(#mp.map<block = " + std::to_string(tile * tile) +
         ", vector = " + std::to_string(t.vector) + ", threads = " + std::to_string(t.threads) +
         ", tile = " + std::to_string(tile) + ">) : (" + from + ") -> " + to +
         " {\n%0 = mp.transpose %x permutation [" + permutation + "] : " + from + " -> " + to +
         "\nmp.yield %0 : " + to + "\n}\nreturn\n}\n";
}

int64_t countOf(const std::vector<int64_t> &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
}

Bytes randomBytes(size_t count) {
  std::mt19937 engine(1);
  Bytes bytes(count);
  for (std::byte &each : bytes)
    each = static_cast<std::byte>(engine());
  return bytes;
}

Bytes expectedOf(const Transpose &t, const Bytes &input) {
  const std::vector<int64_t> to = t.resultShape();
  Bytes result(input.size());
  for (int64_t at = 0; at < countOf(to); ++at) {
    std::vector<int64_t> index(t.shape.size());
    int64_t rest = at;
    for (size_t dimension = to.size(); dimension-- > 0; rest /= to[dimension])
      index[t.permutation[dimension]] = rest % to[dimension];
    int64_t from = 0;
    for (size_t dimension = 0; dimension < index.size(); ++dimension)
      from = from * t.shape[dimension] + index[dimension];
    std::memcpy(result.data() + at * t.bytes, input.data() + from * t.bytes, t.bytes);
  }
  return result;
}

/// Threads in another order, and nothing read or written that should not be.
SIMTOptions checked() {
  SIMTOptions options;
  options.races = options.uninitialized = options.bounds = true;
  options.seed = 3;
  return options;
}

class Transposes : public testing::TestWithParam<Transpose> {};

} // namespace

TEST_P(Transposes, MoveEveryElementAndBreakNoRule) {
  const Transpose &t = GetParam();
  KernelOnSimulator kernel(textOf(t), t.chip, /*reportAccesses=*/true);
  ASSERT_TRUE(kernel.ok()) << kernel.errors << textOf(t);
  // Rows of an odd number of elements: a column is spread over all banks.
  const int64_t tile = 32 * t.vector;
  EXPECT_EQ(kernel.kernel.sharedBytes, tile * (tile + 1) * static_cast<int64_t>(t.bytes));
  const Bytes input = randomBytes(countOf(t.shape) * t.bytes);
  ErrorOr<std::vector<Bytes>> results = kernel.run({input}, checked());
  ASSERT_TRUE(results.ok()) << results.status().message();
  EXPECT_EQ((*results)[0], expectedOf(t, input)) << textOf(t);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, Transposes,
    testing::Values(Transpose{{64, 64}, {1, 0}, "f32", 4, 1, 256, "sm_70"}, Transpose{{200, 70}, {1, 0}, "f32", 4, 1},
                    Transpose{{33, 65}, {1, 0}, "i64", 8, 1}, Transpose{{128, 128}, {1, 0}, "i32", 4, 1, 128},
                    Transpose{{70, 200}, {1, 0}, "i32", 4, 1, 1024},
                    Transpose{{1, 40, 1, 50}, {2, 3, 0, 1}, "i32", 4, 1}, Transpose{{140, 260}, {1, 0}, "ui8", 1, 4},
                    Transpose{{141, 259}, {1, 0}, "ui8", 1, 1},
                    Transpose{{3, 34, 72}, {0, 2, 1}, "i32", 4, 1, 256, "sm_75"},
                    Transpose{{2, 20, 6, 7}, {0, 2, 3, 1}, "i32", 4, 1},
                    Transpose{{2, 6, 7, 20}, {0, 3, 1, 2}, "i32", 4, 1, 64}));

// A cast in front, a residual and a row behind, two sizes in one launch, and one operand that is transposed twice.
TEST(TransposingMap, ComputesBeforeAndAfterItTransposes) {
  constexpr int64_t kRows = 90, kColumns = 78; // of the result
  KernelOnSimulator kernel(R"(
func.func @f(%a: tensor<78x90xf32>, %b: tensor<90x78xf16>, %c: tensor<78xf16>, %d: tensor<40x50xf16>) {
  %z:3 = mp.kernel "k" (%x = %a, %r = %b, %w = %c, %y = %d) schedule(#mp.map<block = 4096, vector = 2, threads = 256, tile = 64>)
      : (tensor<78x90xf32>, tensor<90x78xf16>, tensor<78xf16>, tensor<40x50xf16>)
      -> (tensor<90x78xf16>, tensor<50x40xf16>, tensor<90x78xf32>) {
    %0 = mp.cast %x : tensor<78x90xf32> -> tensor<78x90xf16>
    %1 = mp.transpose %0 permutation [1, 0] : tensor<78x90xf16> -> tensor<90x78xf16>
    %2 = mp.add %1, %r : tensor<90x78xf16>, tensor<90x78xf16> -> tensor<90x78xf16>
    %3 = mp.add %2, %w : tensor<90x78xf16>, tensor<78xf16> -> tensor<90x78xf16>
    %4 = mp.transpose %y permutation [1, 0] : tensor<40x50xf16> -> tensor<50x40xf16>
    %5 = mp.relu %4 : tensor<50x40xf16>
    %6 = mp.transpose %x permutation [1, 0] : tensor<78x90xf32> -> tensor<90x78xf32>
    mp.yield %3, %5, %6 : tensor<90x78xf16>, tensor<50x40xf16>, tensor<90x78xf32>
  }
  return
})",
                           "sm_80", /*reportAccesses=*/true);
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  // Small integers: sums are exact in f16.
  std::vector<float> a(kRows * kColumns);
  std::vector<uint16_t> b(kRows * kColumns), c(kColumns), d(40 * 50);
  auto narrow = [](int64_t number) { return static_cast<uint16_t>(encode(static_cast<double>(number), kF16)); };
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<float>(i % 251), b[i] = narrow(i % 67);
  for (size_t i = 0; i < c.size(); ++i)
    c[i] = narrow(i);
  for (size_t i = 0; i < d.size(); ++i)
    d[i] = narrow(static_cast<int64_t>(i % 300) - 150);
  auto bytesOf = [](const auto &values) {
    const auto *first = reinterpret_cast<const std::byte *>(values.data());
    return Bytes(first, first + values.size() * sizeof(values[0]));
  };
  ErrorOr<std::vector<Bytes>> results = kernel.run({bytesOf(a), bytesOf(b), bytesOf(c), bytesOf(d)}, checked());
  ASSERT_TRUE(results.ok()) << results.status().message();
  auto resultAt = [&](size_t result, int64_t at, FloatFormat format, size_t bytes) {
    uint64_t bits = 0;
    std::memcpy(&bits, (*results)[result].data() + at * bytes, bytes);
    return decode(bits, format);
  };
  for (int64_t i = 0; i < kRows; ++i)
    for (int64_t j = 0; j < kColumns; ++j) {
      const int64_t at = i * kColumns + j;
      const double transposed = a[j * kRows + i];
      ASSERT_EQ(resultAt(0, at, kF16, 2), transposed + decode(b[at], kF16) + static_cast<double>(j));
      ASSERT_EQ(resultAt(2, at, kF32, 4), transposed);
    }
  for (int64_t i = 0; i < 50; ++i)
    for (int64_t j = 0; j < 40; ++j)
      ASSERT_EQ(resultAt(1, i * 40 + j, kF16, 2), std::max(0.0, decode(d[j * 50 + i], kF16)));
}

TEST(TransposingMap, RefusesATileThatDoesNotFit) {
  Transpose odd{{65, 64}, {1, 0}, "ui8", 1, 2};
  KernelOnSimulator kernel(textOf(odd), "sm_80");
  EXPECT_FALSE(kernel.ok());
  EXPECT_NE(kernel.errors.find("has tiles of 64 in 8 warps and vectors of 2 for matrices of 64 x 65"),
            std::string::npos)
      << kernel.errors;
}
