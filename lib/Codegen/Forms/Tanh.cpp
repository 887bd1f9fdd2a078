// The hyperbolic tangent in f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Forms/Arithmetic.h"
#include "Codegen/Forms/Math.h"

using namespace mlir;
using namespace mp;

Value mp::buildTanh(LaneBuilder &b, Value x) {
  const Arithmetic f(b, x);
  Value a = f.magnitude(x);

  // tanh a = a + a^3 P(a^2), the minimax polynomial on [0, 0.7], off by 2^-30 of the result.
  Value square = f.mul(a, a);
  Value p = f.polynomial(square,
                         {0x1.f2551ap-10, -0x1.02972ap-7, 0x1.617fecp-6, -0x1.b9bb3cp-5, 0x1.110f52p-3, -0x1.55555p-2});
  Value small = f.fma(f.mul(a, square), p, a);

  // Beyond it 1 - 2 / (e^2a + 1): at 0.7 an error of the quotient counts two thirds.
  Value e = buildExp(b, f.add(a, a));
  Value large = f.sub(f.constant(1), f.div(f.constant(2), f.add(e, f.constant(1))));
  return f.withSign(f.select(f.isLess(a, 0.7), small, large), x);
}
