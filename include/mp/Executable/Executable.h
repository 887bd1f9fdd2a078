// The .mpx file, in memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler fills an executable::ExecutableT and calls writeExecutable; the runtime calls readExecutable and gets
// the same value back, verified. The schema lib/Executable/Executable.fbs says what every field means,
// docs/executable.md what the bytes are.

#ifndef MP_EXECUTABLE_EXECUTABLE_H
#define MP_EXECUTABLE_EXECUTABLE_H

#include "mp/Base/Status.h"
#include "mp/Executable/Executable_generated.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mp {

using executable::ElementType;

/// The alignment in bytes of blobs, of state blocks and of every pointer that a kernel gets.
inline constexpr uint64_t kAlignment = 64;

/// The version of the schema that this library writes, and the oldest that it reads, which lacks values of state.
inline constexpr uint32_t kExecutableVersion = 4;
inline constexpr uint32_t kOldestExecutableVersion = 3;

/// Bytes of one element in memory: i1 and ui8 take 1.
uint64_t elementBytes(ElementType type);

/// The name as MLIR writes it: "i1", "ui8", "i32", "i64", "f16", "bf16", "f32", "f64".
const char *elementName(ElementType type);

/// The element type of that name; nothing for any other text.
std::optional<ElementType> parseElementName(std::string_view name);

/// The number of elements; nothing if a size is negative or the product does not fit into 63 bits.
std::optional<uint64_t> elementCount(const executable::TensorTypeT &type);

/// The number of bytes in memory, under the same conditions.
std::optional<uint64_t> byteCount(const executable::TensorTypeT &type);

/// The type as MLIR writes it: "tensor<64x10xf32>".
std::string typeName(const executable::TensorTypeT &type);

/// Memory aligned to kAlignment that owns the bytes of a file.
class FileBytes {
public:
  FileBytes() = default;

  /// Uninitialized memory of that size; nothing if there is not that much.
  static std::optional<FileBytes> allocate(size_t size);

  std::byte *data() { return memory.get(); }
  const std::byte *data() const { return memory.get(); }
  size_t size() const { return length; }
  std::span<const std::byte> span() const { return {memory.get(), length}; }

private:
  struct Free {
    void operator()(std::byte *bytes) const { std::free(bytes); }
  };
  std::unique_ptr<std::byte, Free> memory;
  size_t length = 0;
};

/// A whole executable that passed every check of the reader. Moving it keeps blob addresses.
struct LoadedExecutable {
  executable::ExecutableT table;
  FileBytes file;

  /// The bytes of blob `index`, aligned to kAlignment.
  std::span<const std::byte> blob(size_t index) const {
    return file.span().subspan(table.blobs[index]->offset, table.blobs[index]->length);
  }

  /// What a row of the state starts from, in row-major order; nothing where its initializer says that.
  std::optional<std::span<const std::byte>> values(const executable::StateEntryT &entry) const {
    return entry.values < 0 ? std::nullopt : std::optional(blob(static_cast<size_t>(entry.values)));
  }
};

struct ReadOptions {
  /// Refuses an executable that holds native code.
  bool noNative = false;
};

/// Writes `table` and the contents of its blobs (one for each of table.blobs, which has their kinds) to `path`. Fills
/// in version, offsets, lengths and hash. A table that the reader would refuse is refused here, with the same message.
/// The file appears whole or not at all: it is written beside, synchronized and renamed.
Status writeExecutable(const std::string &path, executable::ExecutableT table,
                       const std::vector<std::vector<std::byte>> &blobs);

/// What a row of the state is to start from: its name, its type and its elements.
struct StateValues {
  std::string name;
  executable::TensorTypeT type;
  std::span<const std::byte> bytes;
};

/// The file of `executable` with `values` in it, each in the place of what its row started from before. Fails where one
/// has no row, another type, or is derived, and leaves out values that no row has any more.
ErrorOr<FileBytes> serializeWithValues(const LoadedExecutable &executable, const std::vector<StateValues> &values);

/// The bytes that writeExecutable puts into the file.
ErrorOr<FileBytes> serializeExecutable(executable::ExecutableT table, const std::vector<std::vector<std::byte>> &blobs);

/// The same for blobs that lie elsewhere.
ErrorOr<FileBytes> serializeExecutable(executable::ExecutableT table,
                                       const std::vector<std::span<const std::byte>> &blobs);

/// Reads and verifies the file at `path`: hash, then structure, then meaning. An error's message starts with the path.
ErrorOr<LoadedExecutable> readExecutable(const std::string &path, const ReadOptions &options = {});

/// The same for a file's bytes, which are copied.
ErrorOr<LoadedExecutable> readExecutable(std::span<const std::byte> bytes, const ReadOptions &options = {});

/// Checks all that the runtime relies on: every index, offset, size, count, enum value, name and overlap. Blobs must
/// end at or before `blobsEnd`, counted from the start of the file. What blobs hold is not looked at. The message names
/// program, variant, command and buffer.
Status verifyExecutable(const executable::ExecutableT &table, uint64_t blobsEnd);

} // namespace mp

#endif // MP_EXECUTABLE_EXECUTABLE_H
