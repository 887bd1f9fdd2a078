// Whole files, read and written safely.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Base/WholeFile.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
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

/// What a path leads to.
struct Destination {
  std::string path;               ///< its last name is no symbolic link, but where it is an open file
  std::optional<struct stat> old; ///< of what is there
  bool isOpenFile = false;        ///< a name under /proc, which stands for a file that some process has open

  bool isReplaced() const { return !old || (S_ISREG(old->st_mode) && !isOpenFile); }
};

} // namespace

static Status systemError(const char *what) { return makeError(what, ": ", std::strerror(errno)); }

Status mp::readWholeFile(const std::string &path, const std::function<std::byte *(size_t)> &allocate) {
  // Without O_NONBLOCK, opening a pipe waits for who writes to it.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info;
  if (file < 0 || ::fstat(file, &info) != 0)
    return systemError("cannot open").in(path);
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
      return systemError("cannot read").in(path);
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
    if (written <= 0) {
      errno = written == 0 ? EIO : errno; // a device that takes nothing would be asked for ever
      return false;
    }
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return true;
}

/// The part of a path before its last name: empty, or with a slash at its end.
static std::string folderOf(const std::string &path) { return path.substr(0, path.rfind('/') + 1); }

/// The same as a path that can be opened.
static std::string openableFolderOf(const std::string &path) {
  std::string folder = folderOf(path);
  return folder.empty() ? "." : folder;
}

static bool isInProc(const std::string &path) {
  struct statfs info;
  return ::statfs(openableFolderOf(path).c_str(), &info) == 0 && info.f_type == PROC_SUPER_MAGIC;
}

/// Follows the links of the last name, as opening would, to a name that a file can be renamed to.
static ErrorOr<Destination> findDestination(const std::string &path) {
  Destination end{path, std::nullopt};
  struct stat info;
  if (::stat(path.c_str(), &info) == 0)
    end.old = info;
  else if (errno != ENOENT) // a loop of links, too
    return systemError("cannot write");
  char target[PATH_MAX];
  // With no limit, links that someone changes meanwhile could be followed for ever.
  for (int links = 0; links < 40; ++links) {
    ssize_t length = ::readlink(end.path.c_str(), target, sizeof(target));
    if (length < 0)
      return end;
    end.isOpenFile = isInProc(end.path);
    if (end.isOpenFile)
      return end;
    std::string name(target, static_cast<size_t>(length));
    end.path = name.starts_with('/') ? name : folderOf(end.path) + name;
  }
  errno = ELOOP;
  return systemError("cannot write");
}

/// Gives the file beside the permissions of the one that it replaces, and its owner.
static bool copyOwnership(int file, const struct stat &old) {
  mode_t mode = old.st_mode & 0777;
  // Who may not give a file away, or not to this group, does not give the group's rights to another group.
  if (::fchown(file, old.st_uid, old.st_gid) != 0 && ::fchown(file, static_cast<uid_t>(-1), old.st_gid) != 0)
    mode &= ~static_cast<mode_t>(S_IRWXG);
  return ::fchmod(file, mode) == 0;
}

/// Opens a new file whose name is `name` with its last six characters replaced. Unlike mkstemp it leaves to the umask
/// who may read the file: asking for the umask means to change it, for other threads, too.
static int openUnique(std::string &name, mode_t mode) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz012345";
  std::array<unsigned char, 6> random;
  for (int tries = 0; tries < 100; ++tries) {
    if (::getentropy(random.data(), random.size()) != 0)
      return -1;
    for (size_t i = 0; i < random.size(); ++i)
      name[name.size() - random.size() + i] = kLetters[random[i] % kLetters.size()];
    int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (file >= 0 || errno != EEXIST)
      return file;
  }
  return -1;
}

/// Opens the file beside `path` and puts its name into `beside`.
static int openBeside(const std::string &path, TemporaryName temporary, mode_t mode, std::string &beside) {
  const std::string suffix = temporary == TemporaryName::Fixed ? ".partial" : ".XXXXXX";
  const size_t folder = folderOf(path).size();
  // A name may be as long as the system allows, and the one beside is not to be longer.
  beside = path.substr(0, folder + std::min(path.size() - folder, NAME_MAX - suffix.size())) + suffix;
  if (temporary == TemporaryName::Unique)
    return openUnique(beside, mode);
  // Not written over in place: it could be a link to anything.
  ::unlink(beside.c_str());
  return ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
}

static bool writeChunks(Descriptor &file, std::span<const std::span<const std::byte>> chunks, Durability durability) {
  for (std::span<const std::byte> chunk : chunks)
    if (!writeAll(file, chunk))
      return false;
  // A device or a pipe may have nothing to synchronize.
  const bool isSafe =
      durability == Durability::Unsynchronized || ::fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP;
  return isSafe && file.close();
}

/// Makes a rename in the folder of `path` last through a crash of the machine.
static bool syncFolder(const std::string &path) {
  Descriptor folder(::open(openableFolderOf(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return folder >= 0 && ::fsync(folder) == 0;
}

static Status writeThrough(const Destination &end, std::span<const std::span<const std::byte>> chunks,
                           Durability durability) {
  const int append = end.isOpenFile ? O_APPEND : 0;
  Descriptor file(::open(end.path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC | append));
  if (file < 0 || !writeChunks(file, chunks, durability))
    return systemError("cannot write");
  return Status::success();
}

static Status replace(const Destination &end, std::span<const std::span<const std::byte>> chunks,
                      TemporaryName temporary, Durability durability) {
  // A rename asks for the folder's permission only.
  if (end.old && ::faccessat(AT_FDCWD, end.path.c_str(), W_OK, AT_EACCESS) != 0)
    return systemError("cannot write");
  std::string beside;
  // The content of a private file is private from its first byte on.
  Descriptor file(openBeside(end.path, temporary, end.old ? 0600 : 0666, beside));
  if (file < 0)
    return systemError("cannot write beside it");
  if ((end.old && !copyOwnership(file, *end.old)) || !writeChunks(file, chunks, durability) ||
      ::rename(beside.c_str(), end.path.c_str()) != 0) {
    Status status = systemError("cannot write");
    ::unlink(beside.c_str());
    return status;
  }
  return durability == Durability::Unsynchronized || syncFolder(end.path)
             ? Status::success()
             : systemError("cannot synchronize its folder");
}

Status mp::writeWholeFile(const std::string &path, std::span<const std::span<const std::byte>> chunks,
                          TemporaryName temporary, Durability durability) {
  if (path.empty())
    return makeError("expected the path of a file to write, found an empty one");
  ErrorOr<Destination> end = findDestination(path);
  if (!end)
    return end.status().in(path);
  Status written =
      end->isReplaced() ? replace(*end, chunks, temporary, durability) : writeThrough(*end, chunks, durability);
  return written.in(path);
}

Status mp::writeWholeFile(const std::string &path, std::string_view text) {
  const std::span<const std::byte> whole[] = {std::as_bytes(std::span(text))};
  return writeWholeFile(path, whole, TemporaryName::Unique);
}
