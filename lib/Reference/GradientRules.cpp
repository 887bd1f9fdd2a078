// Rules of MPGradientOps.td, which give an operand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/Rules.h"

using namespace mp;

Tensor rules::evaluate(StopGradientOp op, const Frame &frame) { return frame[op.getInput()]; }
Tensor rules::evaluate(StraightThroughOp op, const Frame &frame) { return frame[op.getValue()]; }
Tensor rules::evaluate(ReverseGradientOp op, const Frame &frame) { return frame[op.getInput()]; }
