// Whole files, read and written safely.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_RUNTIME_TENSORS_FILES_H
#define MP_RUNTIME_TENSORS_FILES_H

#include "mp/Base/Status.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mp {

/// The bytes of a regular file. The error's message starts with the path.
ErrorOr<std::vector<std::byte>> readFile(const std::string &path);

/// writeWholeFile under a fixed name beside, for files that one process writes again and again.
Status writeFileWhole(const std::string &path, std::span<const std::span<const std::byte>> chunks);

/// Whether a file at `path` could be made, as far as folders go: the one that it would lie in is there, and it is none
/// itself. For an error before the work whose results it is to hold.
Status checkFolderOf(const std::string &path);

/// The bytes of a text, for writeFileWhole.
std::span<const std::byte> bytesOf(std::string_view text);

} // namespace mp

#endif // MP_RUNTIME_TENSORS_FILES_H
