//===- Read.cpp - A file to a verified table and blobs -------------------------------------*- C++ -*-===//
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

/// The header, once it and the hash of all else have been checked.
static ErrorOr<format::Header> checkHeader(std::span<const std::byte> file) {
  format::Header header;
  if (file.size() < sizeof(header))
    return makeError("not an executable: ", file.size(), " bytes are less than a header of ", sizeof(header));
  std::memcpy(&header, file.data(), sizeof(header));
  if (header.magic != format::kMagic)
    return makeError("not an executable: it does not start with the format's magic bytes");
  if (header.version != kExecutableVersion)
    return makeError("version ", header.version, " of the format, expected ", kExecutableVersion);
  if (header.fileBytes != file.size())
    return makeError("truncated or extended: ", file.size(), " bytes, expected ", header.fileBytes);
  if (header.hash != format::contentHash(file))
    return makeError("damaged: the content does not match its hash");
  if (header.headerBytes != sizeof(header))
    return makeError("header of ", header.headerBytes, " bytes, expected ", sizeof(header));
  if (header.reserved != 0)
    return makeError("the reserved bytes of the header are not 0");
  if (header.tableOffset % kAlignment != 0 || header.tableOffset < sizeof(header) || header.tableOffset > file.size() ||
      header.tableBytes > file.size() - header.tableOffset)
    return makeError("table at ", header.tableOffset, " of ", header.tableBytes, " bytes is outside the file");
  return header;
}

/// What runs with all rights of the process, or of a device that reads the process's memory.
static bool isCode(executable::BlobKind kind) {
  using executable::BlobKind;
  return kind != BlobKind::Constants && kind != BlobKind::ProgramText;
}

/// Takes over `file` and checks it: hash, then structure, then meaning.
static ErrorOr<LoadedExecutable> load(FileBytes file, const ReadOptions &options) {
  ErrorOr<format::Header> header = checkHeader(file.span());
  if (!header)
    return header.status();

  std::span<const std::byte> table = file.span().subspan(header->tableOffset, header->tableBytes);
  if (Status status = format::checkStructure(table); !status.ok())
    return status;

  LoadedExecutable loaded;
  executable::GetExecutable(table.data())->UnPackTo(&loaded.table);
  loaded.file = std::move(file);
  if (Status status = verifyExecutable(loaded.table, header->tableOffset); !status.ok())
    return status;
  if (options.noNative)
    for (const auto &blob : loaded.table.blobs)
      if (isCode(blob->kind))
        return makeError("holds native code, which is refused here");
  return loaded;
}

static ErrorOr<FileBytes> readFile(const std::string &path) {
  struct Closer {
    int descriptor;
    ~Closer() {
      if (descriptor >= 0)
        ::close(descriptor);
    }
  } file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat info;
  if (file.descriptor < 0 || ::fstat(file.descriptor, &info) != 0)
    return makeError("cannot open: ", std::strerror(errno));
  if (!S_ISREG(info.st_mode))
    return makeError("not a regular file");

  std::optional<FileBytes> bytes = FileBytes::allocate(static_cast<size_t>(info.st_size));
  if (!bytes)
    return makeError("no memory for ", info.st_size, " bytes");
  for (size_t done = 0; done < bytes->size();) {
    ssize_t got = ::read(file.descriptor, bytes->data() + done, bytes->size() - done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return makeError("cannot read: ", std::strerror(errno));
    if (got == 0)
      return makeError("truncated while it was read");
    done += static_cast<size_t>(got);
  }
  return std::move(*bytes);
}

ErrorOr<LoadedExecutable> mp::readExecutable(const std::string &path, const ReadOptions &options) {
  ErrorOr<FileBytes> file = readFile(path);
  if (!file)
    return file.status().in(path);
  ErrorOr<LoadedExecutable> loaded = load(std::move(*file), options);
  if (!loaded)
    return loaded.status().in(path);
  return loaded;
}

ErrorOr<LoadedExecutable> mp::readExecutable(std::span<const std::byte> bytes, const ReadOptions &options) {
  std::optional<FileBytes> file = FileBytes::allocate(bytes.size());
  if (!file)
    return makeError("no memory for ", bytes.size(), " bytes");
  if (!bytes.empty())
    std::memcpy(file->data(), bytes.data(), bytes.size());
  return load(std::move(*file), options);
}
