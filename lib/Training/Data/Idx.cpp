// MNIST's files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Training/Data/Idx.h"

#include "mp/Base/Expecting.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <sys/stat.h>
#include <zlib.h>

using namespace mp;
namespace fs = std::filesystem;

static constexpr const char *kImages = "-images-idx3-ubyte";
static constexpr const char *kLabels = "-labels-idx1-ubyte";

static const char *prefixOf(DataPart part) { return part == DataPart::Train ? "train" : "t10k"; }

namespace {

/// One IDX file of unsigned bytes, decompressed if it is gzip: sizes of its dimensions, and its data.
struct IdxArray {
  std::vector<int64_t> shape;
  std::vector<std::byte> data;
};

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
  size_t read(std::byte *into, size_t size) {
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

static uint32_t bigEndian(const std::array<std::byte, 4> &bytes) {
  uint32_t word = 0;
  for (std::byte byte : bytes)
    word = word << 8 | std::to_integer<uint32_t>(byte);
  return word;
}

/// Sizes of the dimensions, after the magic number is checked.
static ErrorOr<std::vector<int64_t>> readShape(Stream &stream, unsigned dimensions) {
  std::array<std::byte, 4> bytes;
  if (stream.read(bytes.data(), bytes.size()) != bytes.size())
    return makeError("truncated: no magic number");
  std::array<unsigned, 4> magic;
  std::ranges::transform(bytes, magic.begin(), [](std::byte byte) { return std::to_integer<unsigned>(byte); });
  constexpr unsigned kUnsignedByte = 0x08;
  if (magic[0] != 0 || magic[1] != 0)
    return makeError("not an IDX file: it starts with ", magic[0], " ", magic[1], ", expected 0 0");
  if (magic[2] != kUnsignedByte)
    return makeError("element type ", magic[2], ", expected 8 (unsigned byte)");
  if (magic[3] != dimensions)
    return makeError(magic[3], " dimensions, expected ", dimensions);
  std::vector<int64_t> shape;
  for (unsigned i = 0; i < dimensions; ++i) {
    std::array<std::byte, 4> word;
    if (stream.read(word.data(), word.size()) != word.size())
      return makeError("truncated: its header ends after ", i, " of ", dimensions, " sizes");
    shape.push_back(bigEndian(word));
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
    return makeError("no memory for the ", *bytes, " bytes that are expected");
  }
  size_t got = stream.read(array.data.data(), array.data.size());
  if (std::string complaint = stream.complaint(); !complaint.empty())
    return makeError("damaged: ", complaint);
  if (got != array.data.size())
    return makeError("truncated: ", got, " of ", array.data.size(), " bytes of data");
  std::byte beyond;
  if (stream.read(&beyond, 1) != 0)
    return makeError("holds more than the ", array.data.size(), " bytes of its header");
  // The checksum of a compressed file is looked at once its end is read.
  if (std::string complaint = stream.complaint(); !complaint.empty())
    return makeError("damaged: ", complaint);
  return array;
}

/// Reads an IDX file of unsigned bytes with that many dimensions.
static ErrorOr<IdxArray> readIdx(const std::string &path, unsigned dimensions) {
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
    return expecting(array.status(), "a whole IDX file of bytes, as MNIST's; fetch it again").in(path);
  return array;
}

/// The path of a file that is there plain or compressed; the plain name where it is not there.
static std::string findFile(const std::string &folder, DataPart part, const char *rest) {
  std::string path = (fs::path(folder) / (prefixOf(part) + std::string(rest))).string();
  std::error_code ignored;
  if (!fs::exists(path, ignored) && fs::exists(path + ".gz", ignored))
    return path + ".gz";
  return path;
}

bool mp::hasIdxFiles(const std::string &folder, DataPart part) {
  std::error_code ignored;
  return fs::exists(findFile(folder, part, kImages), ignored);
}

ErrorOr<Dataset> mp::readIdxFiles(const std::string &folder, DataPart part) {
  std::string imagePath = findFile(folder, part, kImages);
  ErrorOr<IdxArray> images = readIdx(imagePath, 3);
  if (!images)
    return images.status();
  ErrorOr<IdxArray> labels = readIdx(findFile(folder, part, kLabels), 1);
  if (!labels)
    return labels.status();
  if (images->shape[0] != labels->shape[0])
    return makeError(images->shape[0], " images, but ", labels->shape[0], " labels").in(imagePath);
  if (images->shape[0] == 0)
    return makeError("the data set is empty").in(imagePath);
  Dataset data{folder + " (" + prefixOf(part) + ")",
               {images->shape.begin() + 1, images->shape.end()},
               std::move(images->data),
               {}};
  data.labels.reserve(labels->data.size());
  for (std::byte label : labels->data)
    data.labels.push_back(std::to_integer<uint8_t>(label));
  return data;
}
