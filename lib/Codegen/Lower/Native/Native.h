// From LLVM IR to a shared object.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_LOWER_NATIVE_NATIVE_H
#define MP_LIB_CODEGEN_LOWER_NATIVE_NATIVE_H

#include "Codegen/Lower/Translate.h"
#include "mp/Hardware/CPULevels.h"

#include <memory>
#include <string>
#include <vector>

namespace mp {

/// What `target` has instructions for; f32 to bf16 is always made of integer operations.
NativeArithmetic nativeArithmetic(const CPULevel &target);

/// Optimizes and compiles to an object (and text, with `keepText`). Fails naming the kernel if the object refers to a
/// symbol other than memcpy, memmove and memset. Safe to call for several modules at once.
llvm::Expected<KernelCode> compileNative(TranslatedModule &module, const CPULevel &target, bool keepText);

/// Links objects and the memory functions, which LLVM may call for any code, to a shared object without undefined
/// symbols by lld, which is a library here: no linker of the system's is asked for.
llvm::Expected<std::vector<std::byte>> linkNative(llvm::ArrayRef<llvm::StringRef> objects, const CPULevel &target);

/// The linker alone.
llvm::Expected<std::vector<std::byte>> linkObjects(llvm::ArrayRef<llvm::StringRef> objects);

} // namespace mp

#endif // MP_LIB_CODEGEN_LOWER_NATIVE_NATIVE_H
