// Whole files, read and written safely.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Runtime/Tensors/Files.h"
#include "mp/Base/WholeFile.h"

#include <exception>
#include <filesystem>

using namespace mp;

ErrorOr<std::vector<std::byte>> mp::readFile(const std::string &path) {
  std::vector<std::byte> bytes;
  Status read = readWholeFile(path, [&](size_t size) -> std::byte * {
    try {
      bytes.resize(size);
    } catch (const std::exception &) {
      return nullptr;
    }
    return bytes.data();
  });
  if (!read.ok())
    return read;
  return bytes;
}

Status mp::writeFileWhole(const std::string &path, std::span<const std::span<const std::byte>> chunks) {
  return writeWholeFile(path, chunks, TemporaryName::Fixed);
}

Status mp::checkFolderOf(const std::string &path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return makeError(path, ": is a folder, expected a file");
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty() || std::filesystem::is_directory(folder, ignored))
    return Status::success();
  return makeError(path, ": folder does not exist: ", folder.string());
}

std::span<const std::byte> mp::bytesOf(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}
