// Text behind which nothing can be read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_ANALYSIS_PAGEEND_H
#define MP_TEST_ANALYSIS_PAGEEND_H

#include "llvm/ADT/StringRef.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

namespace mp {

/// A copy of a text of less than a page that ends where its page does; the page behind it may not be read.
class PageEnd {
public:
  explicit PageEnd(llvm::StringRef copied)
      : pages(static_cast<char *>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))),
        length(copied.size()) {
    mprotect(pages + page, page, PROT_NONE);
    std::memcpy(pages + page - length, copied.data(), length);
  }
  PageEnd(const PageEnd &) = delete;
  PageEnd &operator=(const PageEnd &) = delete;
  ~PageEnd() { munmap(pages, 2 * page); }

  llvm::StringRef text() const { return {pages + page - length, length}; }

private:
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  char *pages;
  size_t length;
};

} // namespace mp

#endif // MP_TEST_ANALYSIS_PAGEEND_H
