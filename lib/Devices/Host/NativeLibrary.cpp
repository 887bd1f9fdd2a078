// Code of a blob, callable.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/Host/NativeLibrary.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace mp;

#if defined(__x86_64__)
static constexpr Elf64_Half kMachine = EM_X86_64;
#elif defined(__aarch64__)
static constexpr Elf64_Half kMachine = EM_AARCH64;
#else
static constexpr Elf64_Half kMachine = EM_NONE;
#endif

/// Checks what the loader would run into: kind of file, machine, and that segments lie within the
/// file.
static Status checkHeaders(std::span<const std::byte> object) {
  Elf64_Ehdr header;
  if (object.size() < sizeof(header))
    return makeError("native code of ", object.size(), " bytes is not an ELF file");
  std::memcpy(&header, object.data(), sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB)
    return makeError("native code is not a 64-bit little-endian ELF file");
  if (header.e_type != ET_DYN)
    return makeError("native code is an ELF file of type ", header.e_type, ", expected a shared object");
  if (header.e_machine != kMachine)
    return makeError("native code is for ELF machine ", header.e_machine, ", this is machine ", kMachine);
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phoff > object.size() ||
      header.e_phnum > (object.size() - header.e_phoff) / sizeof(Elf64_Phdr))
    return makeError("native code is truncated: its program headers lie outside of it");
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, object.data() + header.e_phoff + i * sizeof(segment), sizeof(segment));
    if (segment.p_offset > object.size() || segment.p_filesz > object.size() - segment.p_offset ||
        (segment.p_type == PT_LOAD && segment.p_filesz > segment.p_memsz))
      return makeError("native code is truncated: segment ", i, " lies outside of it");
  }
  return Status::success();
}

static Status writeAll(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return makeError("cannot keep native code in memory: ", std::strerror(errno));
    bytes = bytes.subspan(written);
  }
  return Status::success();
}

ErrorOr<std::unique_ptr<NativeLibrary>> NativeLibrary::load(std::span<const std::byte> object) {
  if (Status checked = checkHeaders(object); !checked.ok())
    return checked;
  std::unique_ptr<NativeLibrary> library(new NativeLibrary());
  library->file = ::memfd_create("halfstep-kernels", MFD_CLOEXEC);
  if (library->file < 0)
    return makeError("cannot keep native code in memory: ", std::strerror(errno));
  if (Status written = writeAll(library->file, object); !written.ok())
    return written;
  // The descriptor stays open as long as the library is loaded: dlopen compares names first, and
  // another library that got the same number would be taken for this one.
  std::string path = "/proc/self/fd/" + std::to_string(library->file);
  library->handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library->handle)
    return makeError("cannot load native code: ", ::dlerror());
  return library;
}

NativeLibrary::~NativeLibrary() {
  if (handle)
    ::dlclose(handle);
  if (file >= 0)
    ::close(file);
}

ErrorOr<void *> NativeLibrary::find(const std::string &symbol) const {
  void *address = ::dlsym(handle, symbol.c_str());
  if (!address)
    return makeError("native code does not have the symbol '", symbol, "'");
  return address;
}
