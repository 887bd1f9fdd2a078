// A step in one line of a terminal.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRAINING_PROGRESSLINE_H
#define MP_LIB_TRAINING_PROGRESSLINE_H

#include "Training/Progress.h"

namespace mp {

/// Columns of the terminal on standard error, as it is now; what the variable COLUMNS says, or 80, where it does not
/// tell.
size_t terminalWidth();

/// A step as a line of text without a bar: everything, however long. `left` are the seconds that are to come, where
/// anybody knows.
std::string formatStep(const StepRecord &record, const ProgressPosition &position, double elapsed,
                       std::optional<double> left);

/// A step as a line of at most `width` characters. What is left out first is the speed, then the bar, skipped steps,
/// the loss scale, the epoch, the step and the time.
///
///     epoch 1/8 [=====>      ] 187/468 loss 0.4310, scale 65536, 0:12, 1:30 left
std::string fitStep(const StepRecord &record, const ProgressPosition &position, double elapsed,
                    std::optional<double> left, size_t width);

} // namespace mp

#endif // MP_LIB_TRAINING_PROGRESSLINE_H
