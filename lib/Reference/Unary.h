// A function of each element.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_REFERENCE_UNARY_H
#define MP_LIB_REFERENCE_UNARY_H

#include "Reference/Frame.h"

namespace mp {

/// `function` of each element of an op's input, in f64, rounded to the type of its result.
template <typename UnaryOp, typename Function> Tensor mapUnary(UnaryOp op, const Frame &frame, Function function) {
  std::vector<double> values = frame[op.getInput()].reals();
  for (double &value : values)
    value = function(value);
  return Tensor::ofReals(runtimeTypeOf(op.getResult()), values);
}

} // namespace mp

#endif // MP_LIB_REFERENCE_UNARY_H
