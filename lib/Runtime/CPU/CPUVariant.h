//===- CPUVariant.h - a launch plan, run on the host ------------*- C++ -*-===//
//
// Part of Halfstep, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MP_LIB_RUNTIME_CPU_CPUVARIANT_H
#define MP_LIB_RUNTIME_CPU_CPUVARIANT_H

#include "mp/Runtime/Device.h"

namespace mp {

class BlockRunner;

/// Loads the code that the variant's commands name. `arena` holds its arena_bytes; `file` and
/// `runner` outlive the result.
ErrorOr<std::unique_ptr<LoadedVariant>> loadCPUVariant(const LoadedExecutable &file,
                                                       const executable::ProgramT &program,
                                                       const executable::VariantT &variant, BlockRunner &runner,
                                                       std::unique_ptr<DeviceMemory> arena);

} // namespace mp

#endif // MP_LIB_RUNTIME_CPU_CPUVARIANT_H
