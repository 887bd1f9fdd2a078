// The CPUs that code can be made for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_CODEGEN_LOWER_NATIVE_TARGETINFO_H
#define MP_CODEGEN_LOWER_NATIVE_TARGETINFO_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace mp {

/// One level of CPU features, a row of the table in lib/Codegen/Lower/Native/TargetInfo.cpp.
struct TargetInfo {
  /// As `--target=cpu:NAME` says it: "sse2", "avx2", "avx512".
  llvm::StringRef name;
  /// The features that a machine must have to run the code, as LLVM names them.
  llvm::ArrayRef<llvm::StringRef> features;
  /// Bits of a vector register, and how many there are.
  int64_t vectorBits;
  int64_t vectorRegisters;
  /// Whether there is a fused multiply-add, and conversions between f16 and f32.
  bool fma;
  bool convertsHalf;

  /// f32 lanes of a register.
  int64_t lanes() const { return vectorBits / 32; }
  /// "+avx2,+fma", as LLVM takes it.
  std::string featureString() const;
};

/// All levels, from the lowest.
llvm::ArrayRef<TargetInfo> allTargets();

/// The level of that name, or null.
const TargetInfo *findTarget(llvm::StringRef name);

/// The highest level whose features this machine has.
const TargetInfo &hostTarget();

} // namespace mp

#endif // MP_CODEGEN_LOWER_NATIVE_TARGETINFO_H
