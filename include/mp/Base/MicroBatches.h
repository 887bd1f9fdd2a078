// What state of a step of several micro-batches is known by.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_BASE_MICROBATCHES_H
#define MP_BASE_MICROBATCHES_H

#include <string>
#include <string_view>

namespace mp::states {

/// The state in which a new value of the model's state `name` waits for `apply`. Between steps it is a copy of that
/// state.
inline std::string pendingOf(std::string_view name) { return std::string(name) + "/pending"; }

/// The sum of the gradients of the parameter `name`, between steps 0.
inline std::string gradientSumOf(std::string_view name) { return std::string(name) + "/gradient_sum"; }

} // namespace mp::states

#endif // MP_BASE_MICROBATCHES_H
