// A folder for the length of a test.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_RUNTIME_TEMPORARYFOLDER_H
#define MP_TEST_RUNTIME_TEMPORARYFOLDER_H

#include <cstdlib>
#include <filesystem>
#include <string>

namespace mp::test {

/// An empty folder that is removed with all that is in it.
class TemporaryFolder {
public:
  TemporaryFolder() {
    path = (std::filesystem::temp_directory_path() / "halfstep-test-XXXXXX").string();
    if (!mkdtemp(path.data()))
      std::abort();
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  std::string operator/(const std::string &name) const { return path + "/" + name; }

  std::string path;
};

} // namespace mp::test

#endif // MP_TEST_RUNTIME_TEMPORARYFOLDER_H
