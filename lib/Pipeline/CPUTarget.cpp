// Programs as native code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Pipeline/Targets.h"

#include "mp/Codegen/Lower/Native/TargetInfo.h"

using namespace mlir;

namespace mp {

const TargetInfo *findCPU(const CompileOptions &options) {
  return options.cpu.empty() ? &hostTarget() : findTarget(options.cpu);
}

FailureOr<CompiledCode> compileForCPU(ArrayRef<KernelOp> kernels, const CompileOptions &options,
                                      const CodegenOptions &codegen, VariantTarget &target) {
  const TargetInfo &cpu = *findCPU(options);
  target = {"cpu", cpu.features, executable::BlobKind::NativeCode};
  return compileKernels(kernels, cpu, codegen);
}

} // namespace mp
