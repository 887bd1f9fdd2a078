// Code of a blob, callable.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_DEVICES_HOST_NATIVELIBRARY_H
#define MP_LIB_DEVICES_HOST_NATIVELIBRARY_H

#include "mp/Base/Status.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace mp {

/// An ELF shared object that was loaded from memory; its code is gone when this is.
class NativeLibrary {
public:
  /// Loads a shared object for this machine that needs no symbols. Its headers are checked first,
  /// since the system's loader trusts them; the code itself is trusted as a program is.
  static ErrorOr<std::unique_ptr<NativeLibrary>> load(std::span<const std::byte> object);

  ~NativeLibrary();
  NativeLibrary(const NativeLibrary &) = delete;
  NativeLibrary &operator=(const NativeLibrary &) = delete;

  /// The address of a symbol; the caller knows what it is of.
  ErrorOr<void *> find(const std::string &symbol) const;

private:
  NativeLibrary() = default;

  int file = -1;
  void *handle = nullptr;
};

} // namespace mp

#endif // MP_LIB_DEVICES_HOST_NATIVELIBRARY_H
