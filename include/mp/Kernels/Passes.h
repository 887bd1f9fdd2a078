// From programs to kernels with a schedule and buffers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_KERNELS_PASSES_H
#define MP_KERNELS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mp {

#define GEN_PASS_DECL
#include "mp/Kernels/Passes.h.inc"

/// Declares `registerKernelsPasses()`, which makes every pass of this room a flag of mp-opt.
#define GEN_PASS_REGISTRATION
#include "mp/Kernels/Passes.h.inc"

} // namespace mp

#endif // MP_KERNELS_PASSES_H
