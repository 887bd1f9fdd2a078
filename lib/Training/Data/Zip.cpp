// Members of zip files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Training/Data/Zip.h"

#include "mp/Base/Expecting.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <minizip/unzip.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

using namespace mp;

static constexpr int kExactCase = 1;

void ZipFile::Close::operator()(void *file) const { unzClose(file); }

ErrorOr<ZipFile> ZipFile::open(const std::string &path, const std::string &expected) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0)
    return makeError("cannot open: ", std::strerror(errno)).in(path);
  if (!S_ISREG(info.st_mode))
    return makeError("not a regular file").in(path);
  if (::access(path.c_str(), R_OK) != 0)
    return makeError("cannot open: ", std::strerror(errno)).in(path);
  void *file = unzOpen64(path.c_str());
  if (!file)
    return expecting(info.st_size == 0 ? makeError("is empty") : makeError("not a zip file, or damaged"), expected)
        .in(path);
  return ZipFile(path, expected, static_cast<uint64_t>(info.st_size), file);
}

bool ZipFile::has(const std::string &name) { return unzLocateFile(file.get(), name.c_str(), kExactCase) == UNZ_OK; }

std::vector<std::string> ZipFile::names(size_t most) {
  std::vector<std::string> names;
  std::array<char, 256> name;
  for (int at = unzGoToFirstFile(file.get()); at == UNZ_OK && names.size() < most; at = unzGoToNextFile(file.get())) {
    unz_file_info64 info;
    if (unzGetCurrentFileInfo64(file.get(), &info, name.data(), name.size(), nullptr, 0, nullptr, 0) != UNZ_OK)
      break;
    names.emplace_back(name.data(), std::min<size_t>(info.size_filename, name.size()));
  }
  return names;
}

/// How many bytes the current member says it has, if that can be.
Status ZipFile::checkMember(uint64_t &bytes) {
  unz_file_info64 info;
  if (unzGetCurrentFileInfo64(file.get(), &info, nullptr, 0, nullptr, 0, nullptr, 0) != UNZ_OK)
    return makeError("damaged: its entry cannot be read");
  constexpr uLong kEncrypted = 1;
  if (info.flag & kEncrypted)
    return makeError("is encrypted");
  if (info.compression_method != 0 && info.compression_method != Z_DEFLATED)
    return makeError("compression method ", info.compression_method, ", expected 0 (stored) or 8 (deflated)");
  if (info.compressed_size > fileBytes)
    return makeError("damaged: ", info.compressed_size, " compressed bytes in a file of ", fileBytes);
  constexpr uint64_t kBestRatio = 1032; // of deflate, by its format
  uint64_t most = info.compression_method == 0 ? info.compressed_size : info.compressed_size * kBestRatio;
  if (info.uncompressed_size > most)
    return makeError("damaged: ", info.uncompressed_size, " bytes cannot come from ", info.compressed_size);
  bytes = info.uncompressed_size;
  return Status::success();
}

/// What a code of minizip or zlib says of a member.
static Status complaint(int code) {
  if (code == UNZ_CRCERROR)
    return makeError("damaged: its checksum is another");
  if (code == Z_DATA_ERROR)
    return makeError("damaged: not deflated data");
  return makeError("damaged (", code, ")");
}

ErrorOr<std::vector<std::byte>> ZipFile::readMember() {
  uint64_t size = 0;
  if (Status checked = checkMember(size); !checked.ok())
    return checked;
  std::vector<std::byte> bytes;
  try {
    bytes.resize(size);
  } catch (const std::exception &) {
    return makeError("no memory for the ", size, " bytes that are expected");
  }
  if (int opened = unzOpenCurrentFile(file.get()); opened != UNZ_OK)
    return complaint(opened);
  uint64_t done = 0;
  int got = 1;
  while (done < size && got > 0) {
    constexpr uint64_t kChunk = uint64_t(1) << 20;
    got = unzReadCurrentFile(file.get(), bytes.data() + done, static_cast<unsigned>(std::min(kChunk, size - done)));
    done += static_cast<uint64_t>(std::max(got, 0));
  }
  int closed = unzCloseCurrentFile(file.get()); // looks at the checksum once all is read
  if (got < 0)
    return complaint(got);
  if (done != size)
    return makeError("truncated: ", done, " of ", size, " bytes");
  if (closed != UNZ_OK)
    return complaint(closed);
  return bytes;
}

ErrorOr<std::vector<std::byte>> ZipFile::read(const std::string &name) {
  if (!has(name))
    return makeError("has no member '", name, "'").in(path);
  ErrorOr<std::vector<std::byte>> bytes = readMember();
  if (!bytes)
    return expecting(bytes.status(), expected).in(path + ": " + name);
  return bytes;
}
