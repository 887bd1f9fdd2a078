// One matrix product as a kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_CODEGEN_PRODUCT_H
#define MP_TEST_CODEGEN_PRODUCT_H

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>

namespace mp::test {

/// One product, its text and its sizes.
struct Product {
  int64_t m, n, k;
  bool transposeLhs = false, transposeRhs = false, bias = false;
  int64_t batch = 0; ///< 0 for none
  std::string schedule = "block_m = 12, block_n = 32, block_k = 16, tile_m = 6, tile_n = 16, vector = 8";

  std::string shape(int64_t rows, int64_t columns, const char *type) const {
    std::string text = "tensor<";
    if (batch)
      text += std::to_string(batch) + "x";
    return text + std::to_string(rows) + "x" + std::to_string(columns) + "x" + type + ">";
  }
  std::string lhsType(const char *type) const { return transposeLhs ? shape(k, m, type) : shape(m, k, type); }
  std::string rhsType(const char *type) const { return transposeRhs ? shape(n, k, type) : shape(k, n, type); }

  /// A module with the kernel, whose result and bias are of `type`, too, where no other is named.
  std::string text(const char *type, const char *acc, const char *resultType = nullptr) const {
    resultType = resultType ? resultType : type;
    const std::string lhs = lhsType(type), rhs = rhsType(type), result = shape(m, n, resultType);
    const std::string c = "tensor<" + std::to_string(n) + "x" + resultType + ">";
    return "func.func @f(%a: " + lhs + ", %b: " + rhs + ", %c: " + c + ") -> " + result +
           " {\n %z = mp.kernel \"k\" (%x = %a, %y = %b, %w = %c) schedule(#mp.contraction<" + schedule + ">) : (" +
           lhs + ", " + rhs + ", " + c + ") -> " + result + " {\n %0 = mp.matmul %x, %y" +
           (transposeLhs ? " transpose_lhs" : "") + (transposeRhs ? " transpose_rhs" : "") +
           (bias ? " bias %w : " + c : "") + " acc " + acc + " : " + lhs + ", " + rhs + " -> " + result +
           "\n mp.yield %0 : " + result + "\n }\n return %z : " + result + "\n}\n";
  }

  int64_t batches() const { return batch ? batch : 1; }
  size_t lhsAt(int64_t p, int64_t i, int64_t l) const { return p * m * k + (transposeLhs ? l * m + i : i * k + l); }
  size_t rhsAt(int64_t p, int64_t l, int64_t j) const { return p * k * n + (transposeRhs ? j * k + l : l * n + j); }
};

inline std::ostream &operator<<(std::ostream &out, const Product &p) { return out << p.text("f32", "f32"); }

} // namespace mp::test

#endif // MP_TEST_CODEGEN_PRODUCT_H
