//===- WholeFile.cpp - whole files, read and written safely ---------------===//
//
// Part of Halfstep, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mp/Executable/WholeFile.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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

Status mp::readWholeFile(const std::string &path, const std::function<std::byte *(size_t)> &allocate) {
  // Without O_NONBLOCK, opening a pipe waits for who writes to it.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info;
  if (file < 0 || ::fstat(file, &info) != 0)
    return systemError(path, "cannot open");
  if (!S_ISREG(info.st_mode))
    return makeError("not a regular file").in(path);
  auto size = static_cast<size_t>(info.st_size);
  std::byte *bytes = allocate(size);
  if (!bytes && size != 0)
    return makeError("no memory for ", size, " bytes").in(path);
  for (size_t done = 0; done < size;) {
    ssize_t got = ::read(file, bytes + done, size - done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return systemError(path, "cannot read");
    if (got == 0)
      return makeError("became shorter while it was read").in(path);
    done += static_cast<size_t>(got);
  }
  return Status::success();
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

/// Opens the file beside `path` and puts its name into `beside`.
static int openBeside(const std::string &path, TemporaryName temporary, std::string &beside) {
  if (temporary == TemporaryName::Fixed) {
    beside = path + ".partial";
    return ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  }
  beside = path + ".XXXXXX";
  int file = ::mkostemp(beside.data(), O_CLOEXEC);
  // mkostemp makes the file private; who may read a file is for the umask to say.
  mode_t mask = ::umask(0);
  ::umask(mask);
  if (file >= 0)
    ::fchmod(file, 0666 & ~mask);
  return file;
}

static bool writePieces(Descriptor &file, std::span<const std::span<const std::byte>> pieces) {
  for (std::span<const std::byte> piece : pieces)
    if (!writeAll(file, piece))
      return false;
  return ::fsync(file) == 0 && file.close();
}

/// Makes a rename in the folder of `path` last through a crash of the machine.
static bool syncFolder(const std::string &path) {
  size_t slash = path.rfind('/');
  std::string name = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  Descriptor folder(::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return folder >= 0 && ::fsync(folder) == 0;
}

Status mp::writeWholeFile(const std::string &path, std::span<const std::span<const std::byte>> pieces,
                          TemporaryName temporary) {
  std::string beside;
  Descriptor file(openBeside(path, temporary, beside));
  if (file < 0)
    return systemError(path, "cannot write beside it");
  if (!writePieces(file, pieces) || ::rename(beside.c_str(), path.c_str()) != 0) {
    Status status = systemError(path, "cannot write");
    ::unlink(beside.c_str());
    return status;
  }
  return syncFolder(path) ? Status::success() : systemError(path, "cannot synchronize its folder");
}
