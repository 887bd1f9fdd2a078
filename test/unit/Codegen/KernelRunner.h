// Compiles a kernel's text and runs it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_CODEGEN_KERNELRUNNER_H
#define MP_TEST_CODEGEN_KERNELRUNNER_H

#include "mp/Codegen/Build/Codegen.h"
#include "mp/Codegen/Lower/Native/HostLevel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mp::test {

/// The memory of one tensor.
struct Buffer {
  std::vector<std::byte> bytes;

  template <typename T> static Buffer of(const std::vector<T> &values) {
    Buffer buffer;
    buffer.bytes.resize(values.size() * sizeof(T));
    std::memcpy(buffer.bytes.data(), values.data(), buffer.bytes.size());
    return buffer;
  }
  template <typename T> std::vector<T> as() const {
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
};

/// The text of a module with one map kernel "k": block arguments %a0, %a1, ..., a body, what it yields, a schedule.
std::string mapText(const std::vector<std::string> &inputs, const std::vector<std::string> &results,
                    const std::string &body, const std::string &yields, const std::string &schedule);

/// One kernel, compiled from the text of a function that holds it, and loaded.
class KernelRunner {
public:
  /// `text` is a module with one mp.kernel. Errors are kept in `errors`; then there is no code.
  explicit KernelRunner(const std::string &text, const CPULevel &target = hostLevel(), bool keepText = false);
  ~KernelRunner();

  bool ok() const { return code.has_value(); }

  /// Runs all blocks over copies of the inputs and gives the results. Memory around results and scratch is checked to
  /// be as it was. With `inPlace` the first result lies where that input does.
  std::vector<Buffer> run(const std::vector<Buffer> &inputs, bool backwards = false,
                          std::optional<size_t> inPlace = std::nullopt) const;

  std::string errors;
  std::optional<CompiledCode> code;

private:
  using Function = void (*)(void **buffers, int64_t block);

  std::vector<int64_t> resultBytes;
  int file = -1;
  void *library = nullptr;
  Function function = nullptr;
};

} // namespace mp::test

#endif // MP_TEST_CODEGEN_KERNELRUNNER_H
