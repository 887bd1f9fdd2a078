// Structs of C that may grow.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CAPI_STRUCTS_H
#define MP_LIB_CAPI_STRUCTS_H

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace mp {

/// What a caller's struct, which may be null or an older one, says; the members that it lacks are zero.
template <typename Struct> Struct known(const Struct *given) {
  Struct own{};
  if (given)
    std::memcpy(&own, given, std::min(given->size, sizeof(own)));
  own.size = sizeof(own);
  return own;
}

/// Fills in as much of a caller's struct as it has.
template <typename Struct> void giveTo(Struct &theirs, Struct own) {
  own.size = theirs.size;
  std::memcpy(&theirs, &own, std::min(theirs.size, sizeof(own)));
}

} // namespace mp

#endif // MP_LIB_CAPI_STRUCTS_H
