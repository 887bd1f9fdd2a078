// Random bytes without arc4random of glibc 2.36, which is the only thing that LLVM needs of a glibc newer than 2.34.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <cerrno>
#include <cstdint>
#include <cstdlib>

#include <sys/random.h>

/// As glibc has it: 32 random bits. Nothing is left to do without them.
extern "C" uint32_t arc4random() noexcept {
  uint32_t bits = 0;
  ssize_t got;
  while ((got = getrandom(&bits, sizeof(bits), 0)) < 0 && errno == EINTR) {
  }
  if (got != sizeof(bits)) // up to 256 bytes come whole
    std::abort();
  return bits;
}
