// Text that a user gives: models and plans.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_IR_INPUTTEXT_H
#define MP_IR_INPUTTEXT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace mp {

/// The most bytes that are taken from what has no size of its own: a pipe, a device, standard input.
inline constexpr size_t kMostStreamedText = size_t{256} << 20;

/// Opens a text, of standard input for `-`. Null, and in `error` why, where it cannot be read, or is no regular file
/// and does not end within `kMostStreamedText`.
std::unique_ptr<llvm::MemoryBuffer> openInputText(llvm::StringRef path, std::string *error);

} // namespace mp

#endif // MP_IR_INPUTTEXT_H
