// Operands of products in panels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_CODEGEN_PACKEDOPERAND_H
#define MP_TEST_CODEGEN_PACKEDOPERAND_H

#include "mp/IR/Panels.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mp::test {

/// `batch` matrices and how they lie, as they are and packed.
struct Packed {
  PackedMatrix matrix;
  bool isTransposed;

  int64_t count() const { return matrix.batch * matrix.rows * matrix.k; }
  int64_t packedCount() const { return matrix.batch * matrix.chunks() * matrix.panels() * matrix.panelElements(); }
  int64_t at(int64_t number, int64_t row, int64_t column) const {
    const int64_t inMatrix = isTransposed ? column * matrix.rows + row : row * matrix.k + column;
    return number * matrix.rows * matrix.k + inMatrix;
  }
  std::string type(const char *element) const {
    const int64_t first = isTransposed ? matrix.k : matrix.rows, last = isTransposed ? matrix.rows : matrix.k;
    return "tensor<" + std::to_string(matrix.batch) + "x" + std::to_string(first) + "x" + std::to_string(last) + "x" +
           element + ">";
  }
  std::string packedType(const char *element) const {
    std::string text = "tensor<";
    for (int64_t size : matrix.shape())
      text += std::to_string(size) + "x";
    return text + element + ">";
  }
  std::string attributes() const {
    return " batches " + std::to_string(matrix.batch) + (isTransposed ? " transposed" : "") +
           " panels <rows = " + std::to_string(matrix.panelRows) + ", depth = " + std::to_string(matrix.depth) +
           ", unit = " + std::to_string(matrix.unit) + ", depth_inner = " + (matrix.isDepthInner ? "true" : "false") +
           (matrix.parts > 1 ? ", parts = " + std::to_string(matrix.parts) : "") + ">";
  }
};

/// What mp.pack makes of `values`: zeros where nothing lies.
template <typename T> std::vector<T> packed(const Packed &p, const std::vector<T> &values) {
  std::vector<T> result(p.packedCount(), T(0));
  for (int64_t number = 0; number < p.matrix.batch; ++number)
    for (int64_t row = 0; row < p.matrix.rows; ++row)
      for (int64_t column = 0; column < p.matrix.k; ++column)
        result[p.matrix.indexOf(number, row, column)] = values[p.at(number, row, column)];
  return result;
}

/// A module with a kernel that multiplies packed matrices of `element`, rows of both sides along k, to f32. `schedule`
/// says the panels of both as their own fields do.
inline std::string productOfPanels(const Packed &lhs, const Packed &rhs, const char *element,
                                   const std::string &schedule) {
  const std::string left = lhs.packedType(element), right = rhs.packedType(element);
  const std::string result = "tensor<" + std::to_string(lhs.matrix.batch) + "x" + std::to_string(lhs.matrix.rows) +
                             "x" + std::to_string(rhs.matrix.rows) + "xf32>";
  return "func.func @f(%a: " + left + ", %b: " + right + ") -> " + result +
         " {\n %z = mp.kernel \"k\" (%x = %a, %y = %b) schedule(#mp.contraction<" + schedule +
         ", pack_lhs = true, pack_rhs = true>) : (" + left + ", " + right + ") -> " + result +
         " {\n %0 = mp.unpack %x" + lhs.attributes() + " : " + left + " -> " + lhs.type(element) +
         "\n %1 = mp.unpack %y" + rhs.attributes() + " : " + right + " -> " + rhs.type(element) +
         "\n %2 = mp.matmul %0, %1" + (lhs.isTransposed ? " transpose_lhs" : "") +
         (rhs.isTransposed ? "" : " transpose_rhs") + " acc f32 : " + lhs.type(element) + ", " + rhs.type(element) +
         " -> " + result + "\n mp.yield %2 : " + result + "\n }\n return %z : " + result + "\n}\n";
}

} // namespace mp::test

#endif // MP_TEST_CODEGEN_PACKEDOPERAND_H
