// Table and blobs to a file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Executable/Format.h"
#include "mp/Base/WholeFile.h"

#include <cstring>

using namespace mp;

/// Lays out blobs after the header and the table after them, so that offsets are known before the table is packed.
static uint64_t layOutBlobs(executable::ExecutableT &table, const std::vector<std::span<const std::byte>> &blobs) {
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
  return serializeExecutable(std::move(table), std::vector<std::span<const std::byte>>(blobs.begin(), blobs.end()));
}

ErrorOr<FileBytes> mp::serializeExecutable(executable::ExecutableT table,
                                           const std::vector<std::span<const std::byte>> &blobs) {
  if (table.blobs.size() != blobs.size())
    return makeError("the table names ", table.blobs.size(), " blobs, the caller gives ", blobs.size());
  for (const auto &blob : table.blobs)
    if (!blob)
      return makeError("a blob of the table is null");

  table.version = kExecutableVersion;
  format::Header header;
  header.tableOffset = layOutBlobs(table, blobs);
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

Status mp::writeExecutable(const std::string &path, executable::ExecutableT table,
                           const std::vector<std::vector<std::byte>> &blobs) {
  ErrorOr<FileBytes> bytes = serializeExecutable(std::move(table), blobs);
  if (!bytes)
    return bytes.status().in(path);
  const std::span<const std::byte> whole[] = {bytes->span()};
  return writeWholeFile(path, whole, TemporaryName::Unique);
}
