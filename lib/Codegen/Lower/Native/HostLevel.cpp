// What this machine runs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Codegen/Lower/Native/HostLevel.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

using namespace mp;

const CPULevel &mp::hostLevel() {
  const auto features = llvm::sys::getHostCPUFeatures();
  const bool isAMD = llvm::sys::getHostCPUName().starts_with("znver");
  return highestCPULevel([&](std::string_view feature) { return features.lookup(feature); }, isAMD ? "AMD" : "other");
}
