// Objects to a shared object.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Lower/Native/Native.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace mp;
using llvm::SmallString;
using llvm::SmallVector;
using llvm::StringRef;

static llvm::Expected<std::string> findLinker() {
  for (StringRef name : {"ld.lld-22", "ld.lld"})
    for (bool inPath : {false, true}) {
      const SmallVector<StringRef, 1> folders = {MP_LLVM_TOOLS_DIR};
      auto found = inPath ? llvm::sys::findProgramByName(name) : llvm::sys::findProgramByName(name, folders);
      if (found)
        return *found;
    }
  return llvm::createStringError("found no linker: looked for ld.lld-22 and ld.lld in " MP_LLVM_TOOLS_DIR
                                 " and in PATH (Debian's package lld-22 has it)");
}

/// The text of a file that may be empty or absent.
static std::string textOf(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().trim().str() : std::string();
}

llvm::Expected<std::vector<std::byte>> mp::linkObjects(llvm::ArrayRef<StringRef> objects) {
  auto linker = findLinker();
  if (!linker)
    return linker.takeError();

  SmallString<128> folder;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("halfstep-link", folder))
    return llvm::createStringError(error, "cannot make a folder for the linker's files");
  // A folder that stays behind harms nobody.
  llvm::scope_exit remove([&] { [[maybe_unused]] std::error_code left = llvm::sys::fs::remove_directories(folder); });

  auto inFolder = [&](const llvm::Twine &name) { return (folder + "/" + name).str(); };
  std::vector<std::string> paths;
  for (auto [index, object] : llvm::enumerate(objects)) {
    paths.push_back(inFolder(llvm::Twine(index) + ".o"));
    std::error_code error;
    llvm::raw_fd_ostream out(paths.back(), error);
    out << object;
    out.close();
    if (error || out.has_error()) {
      out.clear_error();
      return llvm::createStringError("cannot write " + paths.back());
    }
  }

  const std::string library = inFolder("kernels.so"), messages = inFolder("messages");
  SmallVector<StringRef> arguments = {
      *linker, "-shared", "-nostdlib", "--no-undefined", "-z", "noexecstack", "--build-id=none", "--gc-sections",
      "-O1",   "-s",      "-o",        library};
  arguments.append(paths.begin(), paths.end());
  std::string failure;
  const std::optional<StringRef> redirects[] = {StringRef(), StringRef(messages), StringRef(messages)};
  if (llvm::sys::ExecuteAndWait(*linker, arguments, std::nullopt, redirects, 0, 0, &failure) != 0)
    return llvm::createStringError(*linker + " failed: " + failure + textOf(messages));

  auto linked = llvm::MemoryBuffer::getFile(library);
  if (!linked)
    return llvm::createStringError(linked.getError(), "cannot read what the linker wrote");
  auto bytes = llvm::arrayRefFromStringRef((*linked)->getBuffer());
  const auto *begin = reinterpret_cast<const std::byte *>(bytes.data());
  return std::vector<std::byte>(begin, begin + bytes.size());
}
