// The CPUs that code can be made for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Codegen/Lower/Native/TargetInfo.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

using namespace mp;
using llvm::StringRef;

static constexpr StringRef kSSE2[] = {"sse2"};
static constexpr StringRef kAVX2[] = {"avx2", "f16c", "fma"};
static constexpr StringRef kAVX512[] = {"avx512bw", "avx512dq", "avx512f", "avx512vl", "avx2", "f16c", "fma"};

static constexpr TargetInfo kTargets[] = {
    // name, features, bits, registers, fma, convertsHalf
    {"sse2", kSSE2, 128, 16, false, false},
    {"avx2", kAVX2, 256, 16, true, true},
    {"avx512", kAVX512, 512, 32, true, true},
};

std::string TargetInfo::featureString() const {
  return llvm::join(llvm::map_range(features, [](StringRef feature) { return "+" + feature.str(); }), ",");
}

llvm::ArrayRef<TargetInfo> mp::allTargets() { return kTargets; }

const TargetInfo *mp::findTarget(StringRef name) {
  const auto *found = llvm::find_if(kTargets, [&](const TargetInfo &target) { return target.name == name; });
  return found == std::end(kTargets) ? nullptr : found;
}

const TargetInfo &mp::hostTarget() {
  const auto features = llvm::sys::getHostCPUFeatures();
  auto runs = [&](const TargetInfo &target) {
    return llvm::all_of(target.features, [&](StringRef feature) { return features.lookup(feature); });
  };
  for (const TargetInfo &target : llvm::reverse(kTargets))
    if (runs(target))
      return target;
  return kTargets[0];
}
