// Taps of a line as channels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_KERNELS_FORMING_TAPSASCHANNELS_H
#define MP_LIB_KERNELS_FORMING_TAPSASCHANNELS_H

#include "mlir/IR/PatternMatch.h"

namespace mp {

/// Adds the patterns that copy images of one or two channels, given as integers, once for each tap of a line, and let
/// convolutions and gradients of their filters read the copies as channels.
void populateTapsAsChannelsPatterns(mlir::RewritePatternSet &patterns);

} // namespace mp

#endif // MP_LIB_KERNELS_FORMING_TAPSASCHANNELS_H
