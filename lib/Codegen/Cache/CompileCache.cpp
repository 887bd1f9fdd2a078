//===- CompileCache.cpp - compiled kernels, kept on disk ----------------------------------------------------===//
//
// An entry: 32 bytes of BLAKE3 over the rest, four little-endian 64-bit numbers (grid, scratch, threads, shared), code.
//
//===--------------------------------------------------------------------------------------------------------===//

#include "Codegen/Cache/CompileCache.h"

#include "Codegen/Cache/BuildId.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <array>

using namespace mp;
using llvm::StringRef;

namespace {

using Hash = llvm::BLAKE3Result<>;
constexpr size_t kNumbers = 4;
constexpr size_t kHeaderBytes = sizeof(Hash) + kNumbers * sizeof(uint64_t);
constexpr uint64_t kMostBytes = 1ULL << 30;

Hash hashOf(StringRef bytes) {
  return llvm::BLAKE3::hash(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
}

StringRef asText(const Hash &hash) { return {reinterpret_cast<const char *>(hash.data()), hash.size()}; }

} // namespace

CompileCache::CompileCache(StringRef directory, StringRef target)
    // Without a name for this build an entry of another could not be told from one of its own.
    : directory(buildId().empty() ? "" : directory), target(target) {}

std::string CompileCache::pathOf(StringRef content, StringRef symbol) const {
  llvm::BLAKE3 hasher;
  // Each part with its length, so that no two lists of parts are the same bytes.
  for (StringRef part : {StringRef(LLVM_VERSION_STRING), StringRef(buildId()), StringRef(target), symbol, content}) {
    std::array<char, sizeof(uint64_t)> length;
    llvm::support::endian::write64le(length.data(), part.size());
    hasher.update(StringRef(length.data(), length.size()));
    hasher.update(part);
  }
  // The prefix is the one that llvm::pruneCache looks for.
  llvm::SmallString<128> path(directory);
  llvm::sys::path::append(path, "llvmcache-" + llvm::toHex(hasher.final(), /*LowerCase=*/true));
  return std::string(path);
}

std::optional<CachedKernel> CompileCache::find(StringRef content, StringRef symbol) const {
  if (directory.empty())
    return std::nullopt;
  const std::string path = pathOf(content, symbol);
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file =
      llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false, /*IsVolatile=*/true);
  if (!file)
    return std::nullopt;
  StringRef bytes = (*file)->getBuffer();
  if (bytes.size() < kHeaderBytes || bytes.take_front(sizeof(Hash)) != asText(hashOf(bytes.drop_front(sizeof(Hash))))) {
    [[maybe_unused]] std::error_code left = llvm::sys::fs::remove(path);
    return std::nullopt;
  }
  const char *numbers = bytes.data() + sizeof(Hash);
  auto number = [&](size_t index) {
    return static_cast<int64_t>(llvm::support::endian::read64le(numbers + index * sizeof(uint64_t)));
  };
  CachedKernel kernel;
  kernel.launch.symbol = symbol.str();
  kernel.launch.grid = number(0);
  kernel.launch.scratchBytes = number(1);
  kernel.launch.threads = number(2);
  kernel.launch.sharedBytes = number(3);
  kernel.code = bytes.drop_front(kHeaderBytes).str();
  return kernel;
}

void CompileCache::store(StringRef content, StringRef symbol, const CachedKernel &kernel) const {
  if (directory.empty() ||
      llvm::sys::fs::create_directories(directory, /*IgnoreExisting=*/true, llvm::sys::fs::perms::owner_all))
    return;
  const CompiledKernel &launch = kernel.launch;
  std::string body(kNumbers * sizeof(uint64_t), '\0');
  char *at = body.data();
  for (int64_t number : {launch.grid, launch.scratchBytes, launch.threads, launch.sharedBytes}) {
    llvm::support::endian::write64le(at, static_cast<uint64_t>(number));
    at += sizeof(uint64_t);
  }
  body += kernel.code;

  const std::string path = pathOf(content, symbol);
  llvm::Expected<llvm::sys::fs::TempFile> file = llvm::sys::fs::TempFile::create(path + ".%%%%%%%%");
  if (!file) {
    llvm::consumeError(file.takeError());
    return;
  }
  llvm::raw_fd_ostream out(file->FD, /*shouldClose=*/false);
  out << asText(hashOf(body)) << body;
  out.flush();
  const bool isWritten = !out.has_error();
  out.clear_error();
  llvm::consumeError(isWritten ? file->keep(path) : file->discard());
}

void CompileCache::prune() const {
  if (directory.empty())
    return;
  llvm::CachePruningPolicy policy;
  policy.MaxSizeBytes = kMostBytes;
  llvm::pruneCache(directory, policy);
}
