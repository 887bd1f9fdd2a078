// Compiled kernels, kept on disk.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_BUILD_COMPILECACHE_H
#define MP_LIB_CODEGEN_BUILD_COMPILECACHE_H

#include "mp/Base/Status.h"
#include "mp/Codegen/Build/Codegen.h"

#include "llvm/Support/BLAKE3.h"

#include <optional>
#include <string>

namespace mp {

/// One kernel's launch and its code: an object file, or PTX text.
struct CachedKernel {
  CompiledKernel launch;
  std::string code;
};

/// A folder of compiled kernels for one target. An entry's name is a hash of all that its code depends on: the kernel's
/// text, its symbol, the target and this build of the compiler. Any number of processes may use a folder at once: an
/// entry appears whole or not at all. An entry is believed only if the hash that it starts with is that of its bytes,
/// and the name among them its own; what is damaged, another's, no file or not to be read counts as not there and is
/// removed. Whoever can write to the folder can choose the code that is run, as with the compiler itself: it belongs
/// into the user's own.
class CompileCache {
public:
  /// An empty `directory` is a cache that keeps nothing. `target` names everything about the target that changes code.
  CompileCache(llvm::StringRef directory, llvm::StringRef target);

  /// `content` is the kernel's text without its name; `symbol` what its code is called.
  std::optional<CachedKernel> find(llvm::StringRef content, llvm::StringRef symbol) const;
  /// Fails where the folder cannot be made or written to.
  Status store(llvm::StringRef content, llvm::StringRef symbol, const CachedKernel &kernel) const;

  /// Removes what was not used for longest until the folder is below its limit; looks every few minutes at most.
  void prune() const;

private:
  using Hash = llvm::BLAKE3Result<>;

  /// What an entry is of.
  Hash keyOf(llvm::StringRef content, llvm::StringRef symbol) const;
  std::string pathOf(const Hash &key) const;

  std::string directory, target;
};

} // namespace mp

#endif // MP_LIB_CODEGEN_BUILD_COMPILECACHE_H
