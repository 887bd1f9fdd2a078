// A file to a verified table and blobs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Executable/Format.h"
#include "mp/Base/WholeFile.h"

#include <cstring>

using namespace mp;

/// The header, once it and the hash of all else have been checked.
static ErrorOr<format::Header> checkHeader(std::span<const std::byte> file) {
  format::Header header;
  if (file.size() < sizeof(header))
    return makeError("not an executable: ", file.size(), " bytes are less than a header of ", sizeof(header));
  std::memcpy(&header, file.data(), sizeof(header));
  if (header.magic != format::kMagic)
    return makeError("not an executable: it does not start with the format's magic bytes");
  if (Status read = format::checkVersion(header.version, "format"); !read.ok())
    return read;
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
  return kind != BlobKind::Constants && kind != BlobKind::ProgramText && kind != BlobKind::Values;
}

/// The elements of what states start from.
static Status checkValues(const LoadedExecutable &loaded) {
  for (const auto &entry : loaded.table.state)
    if (auto values = loaded.values(*entry))
      if (Status held = format::checkElements(*entry->type, *values); !held.ok())
        return held.in("state '" + entry->name + "'");
  return Status::success();
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
  if (loaded.table.version != header->version)
    return makeError("version ", loaded.table.version, " of the table in a file of version ", header->version);
  if (Status status = verifyExecutable(loaded.table, header->tableOffset); !status.ok())
    return status;
  if (Status status = checkValues(loaded); !status.ok())
    return status;
  if (options.noNative)
    for (const auto &blob : loaded.table.blobs)
      if (isCode(blob->kind))
        return makeError("has native code, which --no-native refuses");
  return loaded;
}

ErrorOr<LoadedExecutable> mp::readExecutable(const std::string &path, const ReadOptions &options) {
  FileBytes file;
  Status read = readWholeFile(path, [&](size_t size) {
    if (std::optional<FileBytes> memory = FileBytes::allocate(size))
      file = std::move(*memory);
    return file.data();
  });
  if (!read.ok())
    return read;
  ErrorOr<LoadedExecutable> loaded = load(std::move(file), options);
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
