// The moments of a product's blocks of rows, checked against sums in f64 of what a kernel stored.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_CODEGEN_BLOCKMOMENTS_H
#define MP_TEST_CODEGEN_BLOCKMOMENTS_H

#include "mp/Numerics/ErrorBounds.h"
#include "mp/Numerics/Float.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace mp::test {

/// A product of [m, k] and [k, n] with a bias, and the moments of its blocks of rows, under a whole schedule.
inline std::string momentsText(int64_t m, int64_t k, int64_t n, int64_t blockM, const std::string &type,
                               const std::string &schedule) {
  auto tensor = [](int64_t rows, int64_t columns, const std::string &element) {
    return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "x" + element + ">";
  };
  const std::string a = tensor(m, k, type), b = tensor(k, n, type), z = tensor(m, n, type);
  const std::string c = "tensor<" + std::to_string(n) + "x" + type + ">";
  const std::string of = ", " + tensor((m + blockM - 1) / blockM, n, "f32"), four = of + of + of + of;
  return "func.func @f(%a: " + a + ", %b: " + b + ", %c: " + c +
         ") {\n%z:5 = mp.kernel \"gemm\" (%x = %a, %y = %b, %w = %c) schedule(#mp." + schedule + ") : (" + a + ", " +
         b + ", " + c + ") -> (" + z + four + ") {\n%0 = mp.matmul %x, %y bias %w : " + c + " acc f32 : " + a + ", " +
         b + " -> " + z + "\n%1, %2, %3, %4 = mp.row_block_moments %0 block " + std::to_string(blockM) + " : " + z +
         "\nmp.yield %0, %1, %2, %3, %4 : " + z + four + "\n}\nreturn\n}\n";
}

/// Of a product of `m` rows and `n` columns in blocks of `blockM` rows.
struct BlockMoments {
  int64_t m, n, blockM;
  std::vector<double> z; ///< as it is stored
  std::vector<double> sums, shifts, differences, squares;

  int64_t blocks() const { return (m + blockM - 1) / blockM; }

  /// Each is what f64 gives of the rows of its block, from the first of them.
  void expectOfWhatIsStored() const {
    ASSERT_EQ(z.size(), static_cast<size_t>(m * n));
    for (int64_t block = 0; block < blocks(); ++block)
      for (int64_t j = 0; j < n; ++j) {
        const int64_t at = block * n + j, begin = block * blockM, end = std::min(begin + blockM, m);
        const double shift = z[begin * n + j];
        double sum = 0, absolutes = 0, ofDifferences = 0, left = 0, ofSquares = 0;
        for (int64_t i = begin; i < end; ++i) {
          const double value = z[i * n + j];
          sum += value, absolutes += std::abs(value);
          ofDifferences += value - shift, left += std::abs(value - shift);
        }
        const double mean = sum / static_cast<double>(end - begin);
        for (int64_t i = begin; i < end; ++i)
          ofSquares += (z[i * n + j] - mean) * (z[i * n + j] - mean);
        EXPECT_EQ(shifts[at], shift);
        EXPECT_NEAR(sums[at], sum, contractionBound(blockM, absolutes, sum, kF32, kF32));
        EXPECT_NEAR(differences[at], ofDifferences, contractionBound(blockM, 2 * left, ofDifferences, kF32, kF32));
        EXPECT_NEAR(squares[at], ofSquares, 4e-6 * ofSquares) << "block " << block << ", column " << j;
      }
  }

  /// Of `row`, in which nothing is finite, and of no other: infinity is the sum of what is infinite, and no deviation
  /// from it is a number, as the evaluator has them.
  void expectInfinitiesOf(int64_t row) const {
    for (int64_t i = 0; i < blocks() * n; ++i) {
      const bool isHit = i / n == row / blockM;
      const double value = z[row * n + i % n];
      EXPECT_EQ(std::isfinite(sums[i]), !isHit);
      EXPECT_EQ(std::isnan(squares[i]), isHit);
      EXPECT_TRUE(!isHit || std::isnan(value) ? isHit == std::isnan(sums[i]) : sums[i] == value);
    }
  }
};

} // namespace mp::test

#endif // MP_TEST_CODEGEN_BLOCKMOMENTS_H
