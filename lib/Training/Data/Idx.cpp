// MNIST's files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Training/Data/Dataset.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <sys/stat.h>
#include <zlib.h>

using namespace mp;

namespace {

/// A file read through zlib, which passes on what is not compressed.
class Stream {
public:
  explicit Stream(const std::string &path) : file(gzopen(path.c_str(), "rb")) {}
  ~Stream() {
    if (file)
      gzclose(file);
  }
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  bool isOpen() const { return file; }

  /// Whether the file is read as it is.
  bool isPlain() const { return gzdirect(file); }

  /// Reads up to `size` bytes; fewer at the end of the file, none where it is damaged.
  size_t read(uint8_t *into, size_t size) {
    size_t done = 0;
    while (done < size) {
      constexpr size_t kChunk = size_t(1) << 20;
      int got = gzread(file, into + done, static_cast<unsigned>(std::min(kChunk, size - done)));
      if (got <= 0)
        break;
      done += static_cast<size_t>(got);
    }
    return done;
  }

  /// zlib's complaint, or nothing.
  std::string complaint() const {
    int code = Z_OK;
    const char *text = gzerror(file, &code);
    return code == Z_OK || code == Z_STREAM_END ? "" : text;
  }

private:
  gzFile file;
};

} // namespace

static uint32_t bigEndian(const uint8_t *bytes) {
  return uint32_t(bytes[0]) << 24 | uint32_t(bytes[1]) << 16 | uint32_t(bytes[2]) << 8 | bytes[3];
}

/// Sizes of the dimensions, after the magic number is checked.
static ErrorOr<std::vector<int64_t>> readShape(Stream &stream, unsigned dimensions) {
  std::array<uint8_t, 4> magic;
  if (stream.read(magic.data(), magic.size()) != magic.size())
    return makeError("truncated: no magic number");
  constexpr uint8_t kUnsignedByte = 0x08;
  if (magic[0] != 0 || magic[1] != 0)
    return makeError("not an IDX file: it starts with ", unsigned(magic[0]), " ", unsigned(magic[1]), ", expected 0 0");
  if (magic[2] != kUnsignedByte)
    return makeError("element type ", unsigned(magic[2]), ", expected 8 (unsigned byte)");
  if (magic[3] != dimensions)
    return makeError(unsigned(magic[3]), " dimensions, expected ", dimensions);
  std::vector<int64_t> shape;
  for (unsigned i = 0; i < dimensions; ++i) {
    std::array<uint8_t, 4> word;
    if (stream.read(word.data(), word.size()) != word.size())
      return makeError("truncated: its header ends after ", i, " of ", dimensions, " sizes");
    shape.push_back(bigEndian(word.data()));
  }
  return shape;
}

/// How many bytes of data a file of that size can hold at most.
static uint64_t mostData(uint64_t fileBytes, bool plain) {
  constexpr uint64_t kBestRatio = 1032; // of deflate, by its format
  return plain ? fileBytes : fileBytes * kBestRatio;
}

static ErrorOr<IdxArray> readArray(Stream &stream, uint64_t fileBytes, unsigned dimensions) {
  ErrorOr<std::vector<int64_t>> shape = readShape(stream, dimensions);
  if (!shape)
    return shape.status();
  std::optional<uint64_t> bytes = byteCount(makeType(ElementType::UI8, *shape));
  uint64_t most = mostData(fileBytes, stream.isPlain());
  if (!bytes || *bytes > most)
    return makeError("truncated: ", typeName(makeType(ElementType::UI8, *shape)), " does not fit into a file of ",
                     fileBytes, " bytes");
  IdxArray array{*shape, {}};
  try {
    array.data.resize(*bytes);
  } catch (const std::exception &) {
    return makeError("no memory for ", *bytes, " bytes");
  }
  size_t got = stream.read(array.data.data(), array.data.size());
  if (std::string complaint = stream.complaint(); !complaint.empty())
    return makeError("damaged: ", complaint);
  if (got != array.data.size())
    return makeError("truncated: ", got, " of ", array.data.size(), " bytes of data");
  uint8_t beyond;
  if (stream.read(&beyond, 1) != 0)
    return makeError("holds more than the ", array.data.size(), " bytes of its header");
  // The checksum of a compressed file is looked at once its end is read.
  if (std::string complaint = stream.complaint(); !complaint.empty())
    return makeError("damaged: ", complaint);
  return array;
}

ErrorOr<IdxArray> mp::readIdx(const std::string &path, unsigned dimensions) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0)
    return makeError("cannot open: ", std::strerror(errno)).in(path);
  if (!S_ISREG(info.st_mode))
    return makeError("not a regular file").in(path);
  Stream stream(path);
  if (!stream.isOpen())
    return makeError("cannot open: ", std::strerror(errno)).in(path);
  ErrorOr<IdxArray> array = readArray(stream, static_cast<uint64_t>(info.st_size), dimensions);
  if (!array)
    return array.status().in(path);
  return array;
}
