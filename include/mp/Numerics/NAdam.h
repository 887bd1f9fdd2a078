// The momentum of NAdam's steps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_NUMERICS_NADAM_H
#define MP_NUMERICS_NADAM_H

#include <cmath>

namespace mp {

/// What the momentum of step t holds to the power of t: 0.96^(t * decay) is base^t.
inline double momentumBase(double momentumDecay) { return std::pow(0.96, momentumDecay); }

} // namespace mp

#endif // MP_NUMERICS_NADAM_H
