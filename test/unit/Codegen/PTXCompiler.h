// Compiles a kernel's text to PTX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_CODEGEN_PTXCOMPILER_H
#define MP_TEST_CODEGEN_PTXCOMPILER_H

#include "Codegen/KernelRunner.h"

#include "mp/Codegen/Build/GPU.h"

#include <optional>
#include <string>
#include <utility>

namespace mp::test {

/// The kernels of a module's text as PTX for a chip.
class PTXCompiler {
public:
  PTXCompiler(const std::string &text, const std::string &chip);

  bool ok() const { return code.has_value(); }
  /// How often `what` stands in the text.
  int count(const std::string &what) const;
  /// What test/ptxas.py says against the text: nothing where it assembles for its chip and spills nothing.
  std::string assemble() const;
  /// Bytes that the kernel which spills most spills, by any ptxas; nothing where it does not assemble.
  std::optional<int64_t> spilledBytes() const;

  std::string errors, chip, text;
  std::optional<CompiledCode> code;

private:
  /// What test/ptxas.py says, and its exit status.
  std::pair<std::string, int> runAssemblers() const;
};

} // namespace mp::test

#endif // MP_TEST_CODEGEN_PTXCOMPILER_H
