// Sums inside matrix instructions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_DEVICES_SIMT_MATRIXARITHMETIC_H
#define MP_LIB_DEVICES_SIMT_MATRIXARITHMETIC_H

#include "mp/Executable/Simulator.h"
#include "mp/Runtime/Core/SIMTOptions.h"

#include <string_view>

namespace mp {

/// How a chip's matrix instructions add up. In hardware-like sums, `products` (tf32: `productsTF32`) and the
/// accumulator are added at once: each is cut to a multiple of 2^(e - 23 - extraBits), where 2^e is the largest one's
/// leading bit, and the exact sum of these is cut to f32.
struct MatrixRules {
  MatrixArithmetic arithmetic;
  int products;
  int productsTF32;
  int extraBits;
};

/// The rules of a chip ("sm_80"), after Fasi et al., "Numerical behavior of NVIDIA tensor cores" (PeerJ Computer
/// Science 7:e330) and Khattak and Mikaitis, "Accurate models of NVIDIA tensor cores" (arXiv:2512.07004).
MatrixRules rulesOf(std::string_view chip, MatrixArithmetic arithmetic);

/// d = a * b + c with a [16 x k], b [k x 8], c and d [16 x 8] by rows; d is rounded to `result`. Values are of the
/// types that the instruction takes, so that products are exact.
void multiplyTile(const MatrixRules &rules, SimulatorElement operands, SimulatorElement result, int k, const double *a,
                  const double *b, const double *c, double *d);

} // namespace mp

#endif // MP_LIB_DEVICES_SIMT_MATRIXARITHMETIC_H
