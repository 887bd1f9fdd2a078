//===- Files.cpp - whole files, read and written safely -------------------===//
//
// Part of Halfstep, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mp/Runtime/Files.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace mp;

namespace {

/// Closes a file descriptor on every way out.
class Descriptor {
public:
  explicit Descriptor(int number) : number(number) {}
  ~Descriptor() {
    if (number >= 0)
      ::close(number);
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;

  operator int() const { return number; }
  bool close() { return ::close(std::exchange(number, -1)) == 0; }

private:
  int number;
};

} // namespace

static Status systemError(const std::string &path, const char *what) {
  return makeError(what, ": ", std::strerror(errno)).in(path);
}

ErrorOr<std::vector<std::byte>> mp::readFile(const std::string &path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info;
  if (file < 0 || ::fstat(file, &info) != 0)
    return systemError(path, "cannot open");
  if (!S_ISREG(info.st_mode))
    return makeError("not a regular file").in(path);
  std::vector<std::byte> bytes;
  try {
    bytes.resize(static_cast<size_t>(info.st_size));
  } catch (const std::exception &) {
    return makeError("no memory for ", info.st_size, " bytes").in(path);
  }
  for (size_t done = 0; done < bytes.size();) {
    ssize_t got = ::read(file, bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return systemError(path, "cannot read");
    if (got == 0)
      return makeError("became shorter while it was read").in(path);
    done += static_cast<size_t>(got);
  }
  return bytes;
}

static bool writeAll(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return false;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return true;
}

Status mp::writeFileWhole(const std::string &path, std::span<const std::span<const std::byte>> pieces) {
  std::string beside = path + ".partial";
  Descriptor file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file < 0)
    return systemError(path, "cannot write");
  for (std::span<const std::byte> piece : pieces)
    if (!writeAll(file, piece))
      return systemError(path, "cannot write");
  if (::fsync(file) != 0 || !file.close() || ::rename(beside.c_str(), path.c_str()) != 0)
    return systemError(path, "cannot write");

  // The rename itself lasts only once the folder is on disk.
  size_t slash = path.rfind('/');
  std::string folderPath = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  Descriptor folder(::open(folderPath.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder < 0 || ::fsync(folder) != 0)
    return systemError(path, "cannot synchronize its folder");
  return Status::success();
}

std::span<const std::byte> mp::bytesOf(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}
