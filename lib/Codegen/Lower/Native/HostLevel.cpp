// What this machine runs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Codegen/Lower/Native/HostLevel.h"

#include "mp/Hardware/HostFeatures.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/TargetParser/Host.h"

#include <algorithm>

using namespace mp;

static std::string_view maker() { return llvm::sys::getHostCPUName().starts_with("znver") ? "AMD" : "other"; }

static bool isUsable(std::string_view feature) { return std::ranges::count(hostFeatures(), feature) > 0; }

const CPULevel &mp::hostLevel() { return highestCPULevel(isUsable, maker()); }

const CPULevel &mp::hostVectorLevel() {
  return highestCPULevel([](std::string_view feature) { return feature != "amx-tile" && isUsable(feature); }, maker());
}

std::string mp::describeHostRefusal() { return describeRefusedLevel(hostFeatures(), refusedFeatures(), maker()); }
