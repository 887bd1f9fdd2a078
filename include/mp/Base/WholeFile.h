// Whole files, read and written safely.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_BASE_WHOLEFILE_H
#define MP_BASE_WHOLEFILE_H

#include "mp/Base/Status.h"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace mp {

/// Reads a regular file into the memory that `allocate` gives for its size (null: there is not that much). The error's
/// message starts with the path.
Status readWholeFile(const std::string &path, const std::function<std::byte *(size_t)> &allocate);

/// What a file is called until it is whole.
enum class TemporaryName {
  /// `PATH.partial`: what a killed process left there is written over. For one writer of a path at a time.
  Fixed,
  /// `PATH.` and six letters that no other file has: for any number of writers at once, the last of which wins.
  Unique,
};

/// What becomes of a file that was just written when the machine stops.
enum class Durability {
  /// It is there.
  Synchronized,
  /// It may be lost or damaged: for what is checked when it is read and can be made again.
  Unsynchronized,
};

/// Writes the chunks one behind the other. Where there is a regular file or nothing, so that, whenever the process or
/// the machine stops, `path` is the old file or the whole new one: beside, synchronized, renamed, folder synchronized.
/// A file that is there must be writable and keeps its permissions and, where the system allows it, its owner; its
/// other hard links keep the old content. A symbolic link stays and what it points to is written, there or not. What is
/// no regular file is written through: a device, a pipe, or an open file by its name under /proc, which is appended to.
/// The error's message starts with the path.
Status writeWholeFile(const std::string &path, std::span<const std::span<const std::byte>> chunks,
                      TemporaryName temporary, Durability durability = Durability::Synchronized);

/// Does so with one text, under a unique name.
Status writeWholeFile(const std::string &path, std::string_view text);

} // namespace mp

#endif // MP_BASE_WHOLEFILE_H
