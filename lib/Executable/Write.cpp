//===- Write.cpp - Table and blobs to a file -------------------------------------*- C++ -*-===//
//
// Part of Halfstep, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Format.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace mp;

/// Places blobs after the header and the table after them, so that offsets are known before the table is packed.
static uint64_t placeBlobs(executable::ExecutableT &table, const std::vector<std::vector<std::byte>> &blobs) {
  uint64_t end = sizeof(format::Header);
  for (size_t i = 0; i < blobs.size(); ++i) {
    table.blobs[i]->offset = format::alignUp(end);
    table.blobs[i]->length = blobs[i].size();
    end = table.blobs[i]->offset + blobs[i].size();
  }
  return format::alignUp(end);
}

ErrorOr<FileBytes> mp::serializeExecutable(executable::ExecutableT table,
                                           const std::vector<std::vector<std::byte>> &blobs) {
  if (table.blobs.size() != blobs.size())
    return makeError("the table names ", table.blobs.size(), " blobs, the caller gives ", blobs.size());
  for (const auto &blob : table.blobs)
    if (!blob)
      return makeError("a blob of the table is null");

  table.version = kExecutableVersion;
  format::Header header;
  header.tableOffset = placeBlobs(table, blobs);
  // Before packing: FlatBuffers asserts where a required field is missing.
  if (Status status = verifyExecutable(table, header.tableOffset); !status.ok())
    return status;

  flatbuffers::FlatBufferBuilder builder;
  executable::FinishExecutableBuffer(builder, executable::Executable::Pack(builder, &table));
  header.tableBytes = builder.GetSize();
  if (Status status = format::checkStructure(std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize())));
      !status.ok())
    return status;
  header.fileBytes = header.tableOffset + header.tableBytes;

  std::optional<FileBytes> file = FileBytes::allocate(header.fileBytes);
  if (!file)
    return makeError("no memory for an executable of ", header.fileBytes, " bytes");
  std::memset(file->data(), 0, file->size());
  for (size_t i = 0; i < blobs.size(); ++i)
    if (!blobs[i].empty())
      std::memcpy(file->data() + table.blobs[i]->offset, blobs[i].data(), blobs[i].size());
  std::memcpy(file->data() + header.tableOffset, builder.GetBufferPointer(), header.tableBytes);
  std::memcpy(file->data(), &header, sizeof(header));
  header.hash = format::contentHash(file->span());
  std::memcpy(file->data(), &header, sizeof(header));
  return std::move(*file);
}

namespace {

/// Closes a file descriptor on every way out.
class File {
public:
  explicit File(int descriptor) : descriptor(descriptor) {}
  ~File() {
    if (descriptor >= 0)
      ::close(descriptor);
  }
  File(const File &) = delete;
  File &operator=(const File &) = delete;

  bool isOpen() const { return descriptor >= 0; }
  bool writeAll(std::span<const std::byte> bytes);
  bool sync() { return ::fsync(descriptor) == 0; }
  bool close() { return ::close(std::exchange(descriptor, -1)) == 0; }

private:
  int descriptor;
};

} // namespace

bool File::writeAll(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return false;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return true;
}

/// Makes a rename in the folder of `path` last through a crash of the machine.
static bool syncFolder(const std::string &path) {
  size_t slash = path.rfind('/');
  std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  File file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return file.isOpen() && file.sync();
}

Status mp::writeExecutable(const std::string &path, executable::ExecutableT table,
                           const std::vector<std::vector<std::byte>> &blobs) {
  ErrorOr<FileBytes> bytes = serializeExecutable(std::move(table), blobs);
  if (!bytes)
    return bytes.status().in(path);

  std::string beside = path + ".XXXXXX";
  File file(::mkostemp(beside.data(), O_CLOEXEC));
  if (!file.isOpen())
    return makeError("cannot write beside it: ", std::strerror(errno)).in(path);
  // mkostemp makes the file private; what a compiler writes is for whom the umask says.
  mode_t mask = ::umask(0);
  ::umask(mask);
  bool written = ::chmod(beside.c_str(), 0666 & ~mask) == 0 && file.writeAll(bytes->span()) && file.sync() &&
                 file.close() && ::rename(beside.c_str(), path.c_str()) == 0;
  if (!written) {
    Status status = makeError("cannot write: ", std::strerror(errno)).in(path);
    ::unlink(beside.c_str());
    return status;
  }
  if (!syncFolder(path))
    return makeError("cannot synchronize its folder: ", std::strerror(errno)).in(path);
  return Status::success();
}
