// Uses of every op, for tests over all ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table that the gradient checks and the comparison of devices walk. A test over all ops iterates the registered
// ops of the dialect and fails where the table has no case.

#ifndef MP_TEST_OPCASES_OPCASES_H
#define MP_TEST_OPCASES_OPCASES_H

#include "mp/Reference/Tensor.h"

#include <string>
#include <vector>

namespace mp {

/// What an operand is filled with.
enum class Fill {
  Signed,    ///< Floats with 0.1 <= |x| <= 2: away from the kink of relu. Integers from -20 to 20 (ui8: 0 to 40).
  Whole,     ///< Whole numbers from 1 to 4 and from -4 to -1: f32 adds up a million of their products exactly, f16 128.
  Positive,  ///< Floats from 0.25 to 3, integers from 1 to 40.
  Fraction,  ///< Floats with 0.04 <= |x| <= 0.8.
  Tiny,      ///< Floats as Signed, a millionth of that.
  Separated, ///< No two elements of any operands of a case within 0.02 of each other, as far as their type has it.
  Labels,    ///< Classes 0 to 4.
  Flags,     ///< Integers 0 and 1.
  Rng,       ///< (seed, step).
  Clean,     ///< -1: no gradient was bad.
  Bad,       ///< 0: the first gradient was bad.
  Overflow,  ///< As Signed, with one element infinite.
};

struct Operand {
  std::string type; ///< "3x5x$T": $T is the element type of the instance, $A the type in which it is summed.
  Fill fill = Fill::Signed;
};

/// One use of one op.
struct OpCase {
  std::string op;                   ///< "mp.add"
  std::string name;                 ///< What is special about it: "row".
  std::vector<Operand> operands;    ///< %0, %1, ... of the text.
  std::vector<std::string> results; ///< Result types as operands state theirs.
  std::string text;                 ///< "mp.add %0, %1 : {0}, {1} -> {r}": {0} is the type of %0, {r} of the result.
  bool large = false;               ///< Too many elements to differentiate numerically.

  /// Whether the case is one for each float type.
  bool isTyped() const;
};

/// Every case, in the order of the op families.
const std::vector<OpCase> &opCases();

/// A case with its element type put in.
struct OpInstance {
  std::vector<std::string> operands; ///< "tensor<3x5xf32>"
  std::vector<std::string> results;
  std::string statement; ///< "%r = mp.add %0, %1 : ...", "%r:2 = ..." with two results.

  /// "%r" of one result, "%r#0" of several.
  std::string result(size_t index) const;
};
OpInstance instantiate(const OpCase &use, ElementType element);

/// The arguments for a case's operands: the same for the same case, element type and seed.
std::vector<Tensor> fillOperands(const OpCase &use, ElementType element, uint64_t seed = 0);

/// The type of that text, "3x5xf32" or "tensor<3x5xf32>".
TensorTypeT parseTensorType(std::string text);

} // namespace mp

#endif // MP_TEST_OPCASES_OPCASES_H
