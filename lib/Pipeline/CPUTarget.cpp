// Programs as native code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Pipeline/Targets.h"

#include "mp/Codegen/HostLevel.h"

using namespace mlir;

namespace mp {

const CPULevel *findCPU(const CompileOptions &options) {
  return options.cpu.empty() ? &hostLevel() : findCPULevel(options.cpu);
}

FailureOr<CompiledCode> compileForCPU(ArrayRef<KernelOp> kernels, const CompileOptions &options,
                                      const CodegenOptions &codegen, VariantTarget &target) {
  const CPULevel &cpu = *findCPU(options);
  target = {"cpu", {cpu.features.begin(), cpu.features.end()}, executable::BlobKind::NativeCode};
  return compileKernels(kernels, cpu, codegen);
}

} // namespace mp
