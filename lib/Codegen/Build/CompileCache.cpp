// Compiled kernels, kept on disk.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An entry: 32 bytes of BLAKE3 over the rest, 32 bytes that its name is made of, five little-endian 64-bit numbers
// (grid, scratch, threads, shared, whether buffers are in memory), code.

#include "Codegen/Build/CompileCache.h"

#include "Codegen/Build/BuildId.h"
#include "mp/Base/WholeFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <array>
#include <filesystem>

using namespace mp;
using llvm::StringRef;

namespace {

using Hash = llvm::BLAKE3Result<>;
constexpr size_t kNumbers = 5;
constexpr size_t kNumbersOffset = 2 * sizeof(Hash);
constexpr size_t kHeaderBytes = kNumbersOffset + kNumbers * sizeof(uint64_t);
constexpr uint64_t kMostBytes = 1ULL << 30;

Hash hashOf(StringRef bytes) {
  return llvm::BLAKE3::hash(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
}

StringRef asText(const Hash &hash) { return {reinterpret_cast<const char *>(hash.data()), hash.size()}; }

} // namespace

CompileCache::CompileCache(StringRef directory, StringRef target)
    // Without a name for this build an entry of another could not be told from one of its own.
    : directory(buildId().empty() ? "" : directory), target(target) {}

CompileCache::Hash CompileCache::keyOf(StringRef content, StringRef symbol) const {
  llvm::BLAKE3 hasher;
  // Each part with its length, so that no two lists of parts are the same bytes.
  for (StringRef part : {StringRef(LLVM_VERSION_STRING), StringRef(buildId()), StringRef(target), symbol, content}) {
    std::array<char, sizeof(uint64_t)> length;
    llvm::support::endian::write64le(length.data(), part.size());
    hasher.update(StringRef(length.data(), length.size()));
    hasher.update(part);
  }
  return hasher.final();
}

std::string CompileCache::pathOf(const Hash &key) const {
  // The prefix is the one that llvm::pruneCache looks for.
  llvm::SmallString<128> path(directory);
  llvm::sys::path::append(path, "llvmcache-" + llvm::toHex(key, /*LowerCase=*/true));
  return std::string(path);
}

/// The bytes of the entry at `path`, if they are whole and of `key`.
static std::optional<std::string> readEntry(const std::string &path, const Hash &key) {
  std::string bytes;
  Status read = readWholeFile(path, [&](size_t size) -> std::byte * {
    if (size > kMostBytes)
      return nullptr;
    bytes.resize(size);
    return reinterpret_cast<std::byte *>(bytes.data());
  });
  StringRef entry = bytes;
  if (!read.ok() || entry.size() < kHeaderBytes || !entry.consume_front(asText(hashOf(entry.substr(sizeof(Hash))))) ||
      !entry.starts_with(asText(key)))
    return std::nullopt;
  return bytes;
}

std::optional<CachedKernel> CompileCache::find(StringRef content, StringRef symbol) const {
  if (directory.empty())
    return std::nullopt;
  const Hash key = keyOf(content, symbol);
  const std::string path = pathOf(key);
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, ignored)))
    return std::nullopt;
  std::optional<std::string> bytes = readEntry(path, key);
  if (!bytes) {
    // Whatever has the name of an entry without being one, be it a folder, would stay in the way of one.
    std::filesystem::remove(path, ignored);
    return std::nullopt;
  }
  const char *numbers = bytes->data() + kNumbersOffset;
  auto number = [&](size_t index) {
    return static_cast<int64_t>(llvm::support::endian::read64le(numbers + index * sizeof(uint64_t)));
  };
  CachedKernel kernel;
  kernel.launch.symbol = symbol.str();
  kernel.launch.grid = number(0);
  kernel.launch.scratchBytes = number(1);
  kernel.launch.threads = number(2);
  kernel.launch.sharedBytes = number(3);
  kernel.launch.buffersInMemory = number(4) != 0;
  kernel.code = bytes->substr(kHeaderBytes);
  return kernel;
}

Status CompileCache::store(StringRef content, StringRef symbol, const CachedKernel &kernel) const {
  if (directory.empty())
    return Status::success();
  if (std::error_code error =
          llvm::sys::fs::create_directories(directory, /*IgnoreExisting=*/true, llvm::sys::fs::perms::owner_all))
    return makeError("cannot make the folder: ", error.message()).in(directory);
  const Hash key = keyOf(content, symbol);
  const CompiledKernel &launch = kernel.launch;
  std::string body = asText(key).str();
  for (int64_t number : {launch.grid, launch.scratchBytes, launch.threads, launch.sharedBytes,
                         static_cast<int64_t>(launch.buffersInMemory)}) {
    std::array<char, sizeof(uint64_t)> bytes;
    llvm::support::endian::write64le(bytes.data(), static_cast<uint64_t>(number));
    body.append(bytes.data(), bytes.size());
  }
  body += kernel.code;
  const Hash hash = hashOf(body);
  const std::span<const std::byte> chunks[] = {std::as_bytes(std::span(hash)), std::as_bytes(std::span(body))};
  return writeWholeFile(pathOf(key), chunks, TemporaryName::Unique, Durability::Unsynchronized);
}

void CompileCache::prune() const {
  if (directory.empty())
    return;
  llvm::CachePruningPolicy policy;
  policy.MaxSizeBytes = kMostBytes;
  llvm::pruneCache(directory, policy);
}
