// Objects to a shared object.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Lower/Native/Native.h"

#include "lld/Common/CommonLinkerContext.h"
#include "lld/Common/Driver.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"

#include <csignal>
#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace mp;
using llvm::SmallString;
using llvm::SmallVector;
using llvm::StringRef;

namespace {
/// While lld runs, signals are LLVM's: faults, so that an error that lld calls fatal does not end the process, and all
/// that end a program, for which it remembers files to remove. Afterwards they are the process's again.
class LinkerSignals {
public:
  LinkerSignals() {
    ::sigaction(SIGUSR1, nullptr, &before);
    llvm::CrashRecoveryContext::Enable();
  }
  ~LinkerSignals() {
    // In the order in which they came: the linker's stand in front of those of the context, and would bring them back.
    struct sigaction now;
    ::sigaction(SIGUSR1, nullptr, &now);
    if (now.sa_sigaction != before.sa_sigaction)
      llvm::sys::unregisterHandlers();
    llvm::CrashRecoveryContext::Disable();
  }
  LinkerSignals(const LinkerSignals &) = delete;
  LinkerSignals &operator=(const LinkerSignals &) = delete;

private:
  struct sigaction before;
};
} // namespace

/// LLVM's linker, of which a process has one at a time: it keeps what it does in globals.
static llvm::Error runLinker(llvm::ArrayRef<const char *> arguments) {
  static std::mutex lock;
  static bool broken = false;
  std::lock_guard<std::mutex> one(lock);
  if (broken)
    return llvm::createStringError("LLVM's linker stopped in the middle before; start this program again");
  std::string messages;
  llvm::raw_string_ostream told(messages);
  LinkerSignals signals;
  const lld::Result result = lld::lldMain(arguments, told, told, {{lld::Gnu, &lld::elf::link}});
  broken = !result.canRunAgain;
  // An error that is fatal leaves by an exit, and all that lld had in memory; what ended by a signal is 128 and more.
  if (broken && result.retCode < 128)
    broken = !llvm::CrashRecoveryContext().RunSafely([] { lld::CommonLinkerContext::destroy(); });
  if (result.retCode != 0)
    return llvm::createStringError("LLVM's linker failed: " +
                                   llvm::join(llvm::split(StringRef(messages).trim(), '\n'), "; "));
  return llvm::Error::success();
}

llvm::Expected<std::vector<std::byte>> mp::linkObjects(llvm::ArrayRef<StringRef> objects) {
  SmallString<128> folder;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("halfstep-link", folder)) {
    SmallString<128> where;
    llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, where);
    return llvm::createStringError("cannot make a folder for the linker's files in " + where + ": " + error.message() +
                                   "; TMPDIR names another folder");
  }
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
      const std::string why = (error ? error : out.error()).message();
      out.clear_error();
      return llvm::createStringError("cannot write " + paths.back() + ": " + why + "; TMPDIR names another folder");
    }
  }

  const std::string library = inFolder("kernels.so");
  // Kernels are linked beside each other: threads of the linker's own would only wait for each other. Through a mapping
  // of its output a full disk would be a fault of the process.
  SmallVector<const char *> arguments = {"ld.lld",
                                         "-shared",
                                         "-nostdlib",
                                         "--no-undefined",
                                         "-z",
                                         "noexecstack",
                                         "--build-id=none",
                                         "--gc-sections",
                                         "--threads=1",
                                         "--no-mmap-output-file",
                                         "-O1",
                                         "-s",
                                         "-o",
                                         library.c_str()};
  for (const std::string &path : paths)
    arguments.push_back(path.c_str());
  if (llvm::Error error = runLinker(arguments))
    return error;

  auto linked = llvm::MemoryBuffer::getFile(library);
  if (!linked)
    return llvm::createStringError(linked.getError(), "cannot read what the linker wrote");
  auto bytes = llvm::arrayRefFromStringRef((*linked)->getBuffer());
  const auto *begin = reinterpret_cast<const std::byte *>(bytes.data());
  return std::vector<std::byte>(begin, begin + bytes.size());
}
