//===- CPUTarget.cpp - programs as native code --------------------------------------------------------===//
//
// Part of Halfstep, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Targets.h"

#include "mp/Codegen/TargetInfo.h"

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
