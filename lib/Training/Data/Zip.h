// Members of zip files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRAINING_DATA_ZIP_H
#define MP_LIB_TRAINING_DATA_ZIP_H

#include "mp/Base/Status.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mp {

/// An untrusted zip file, open for reading.
class ZipFile {
public:
  /// Opens the file at `path`; every message of this class starts with the path, and where it is not what is
  /// `expected`, says so.
  static ErrorOr<ZipFile> open(const std::string &path, const std::string &expected);

  bool has(const std::string &name);

  /// The names of the first `most` members.
  std::vector<std::string> names(size_t most);

  /// The bytes of a member, stored or deflated. Memory is taken only for as many as its compressed bytes could be, and
  /// those are no more than the file has. What is encrypted, damaged or of another method is an error.
  ErrorOr<std::vector<std::byte>> read(const std::string &name);

private:
  struct Close {
    void operator()(void *file) const;
  };

  ZipFile(const std::string &path, const std::string &expected, uint64_t fileBytes, void *file)
      : path(path), expected(expected), fileBytes(fileBytes), file(file) {}

  Status checkMember(uint64_t &bytes);
  ErrorOr<std::vector<std::byte>> readMember();

  std::string path;
  std::string expected;
  uint64_t fileBytes;
  std::unique_ptr<void, Close> file; // a unzFile
};

} // namespace mp

#endif // MP_LIB_TRAINING_DATA_ZIP_H
