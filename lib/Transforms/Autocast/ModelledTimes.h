// What ops and casts of a program take in each type.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRANSFORMS_AUTOCAST_MODELLEDTIMES_H
#define MP_LIB_TRANSFORMS_AUTOCAST_MODELLEDTIMES_H

#include "Transforms/Autocast/ProgramGraph.h"

#include "mp/Hardware/CPULevels.h"

namespace mp {

/// Sets the modelled seconds of the graph's nodes in each type, of casts of its values to and from `low`, and of
/// loss scaling, on one core of `level`: in a step that trains, with the gradients, or in one that infers.
void setModelledTimes(ProgramGraph &program, Precision low, const CPULevel &level, bool training);

} // namespace mp

#endif // MP_LIB_TRANSFORMS_AUTOCAST_MODELLEDTIMES_H
