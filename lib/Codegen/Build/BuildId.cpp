// Which build of the compiler this is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Build/BuildId.h"

#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/MemoryBuffer.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstring>

namespace {

struct Search {
  uintptr_t address; // of something in the object looked for
  std::string id;
};

} // namespace

/// The description of the note NT_GNU_BUILD_ID in a segment of notes; empty where it has none.
static std::string findBuildId(const char *notes, size_t bytes) {
  auto aligned = [](size_t size) { return (size + 3) / 4 * 4; };
  ElfW(Nhdr) note;
  while (bytes >= sizeof(note)) {
    std::memcpy(&note, notes, sizeof(note));
    const size_t nameBytes = aligned(note.n_namesz), whole = sizeof(note) + nameBytes + aligned(note.n_descsz);
    if (whole > bytes)
      break;
    const char *name = notes + sizeof(note);
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0)
      return {name + nameBytes, note.n_descsz};
    notes += whole;
    bytes -= whole;
  }
  return {};
}

/// Looks at one loaded object; stops the walk at the one that holds the address.
static int visitObject(dl_phdr_info *object, size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  bool isOurs = false;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = object->dlpi_phdr[i];
    const uintptr_t start = object->dlpi_addr + segment.p_vaddr;
    isOurs |= segment.p_type == PT_LOAD && search.address - start < segment.p_memsz;
  }
  if (!isOurs)
    return 0;
  for (int i = 0; i < object->dlpi_phnum && search.id.empty(); ++i) {
    const ElfW(Phdr) &segment = object->dlpi_phdr[i];
    if (segment.p_type == PT_NOTE)
      search.id = findBuildId(reinterpret_cast<const char *>(object->dlpi_addr + segment.p_vaddr), segment.p_memsz);
  }
  return 1;
}

static std::string hashOfFile(const void *address) {
  Dl_info info;
  if (!dladdr(address, &info))
    return {};
  auto file = llvm::MemoryBuffer::getFile(info.dli_fname);
  if (!file)
    return {};
  llvm::BLAKE3 hasher;
  hasher.update((*file)->getBuffer());
  auto hash = hasher.final();
  return {hash.begin(), hash.end()};
}

const std::string &mp::buildId() {
  static const std::string id = [] {
    Search search{reinterpret_cast<uintptr_t>(&findBuildId), {}};
    dl_iterate_phdr(visitObject, &search);
    return search.id.empty() ? hashOfFile(reinterpret_cast<const void *>(search.address)) : search.id;
  }();
  return id;
}
